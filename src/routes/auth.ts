import { z } from '@hono/zod-openapi';
import { clearDeviceCookie } from '../access/device.ts';
import { clearSessionCookie } from '../access/session.ts';
import { endSession, endSessionsOf, forgetSession } from '../store/sessions.ts';
import { requestCode } from './auth/request-code.ts';
import { verifyCode } from './auth/verify-code.ts';
import { createRouter, defineRoute } from './http/contract.ts';
import { jsonRequest, jsonResponse, setsCookie, success } from './http/openapi-parts.ts';

const contract = defineRoute({
  method: 'post',
  path: '/v1/auth/logout',
  operationId: 'signOut',
  tags: ['Sign-in'],
  summary: 'Sign out, here or everywhere',
  credential: 'session',
  request: {
    body: {
      ...jsonRequest(
        z.object({
          everywhere: z
            .boolean()
            .default(false)
            .openapi({ description: 'Whether to end all of the user’s sessions.' }),
        }),
        { everywhere: true },
      ),
      required: false,
    },
  },
  responses: {
    200: jsonResponse(
      'Signed out.',
      success,
      setsCookie('Clears `sid`; with `everywhere`, also `device`.'),
    ),
  },
});

/** POST /v1/auth/logout. */
const logout = createRouter().openapi(contract, async (c) => {
  const { hash, userId } = c.var.session;
  if (c.req.valid('json').everywhere) {
    await endSessionsOf(c.env.DB, userId, Date.now());
    clearDeviceCookie(c);
  } else await endSession(c.env.DB, hash);
  c.executionCtx.waitUntil(forgetSession(c.env.KV, hash));
  clearSessionCookie(c);
  return c.json({ success: true as const }, 200);
});

/** Sign-in by email with a one-time code, and sign-out. */
export const auth = createRouter()
  .route('/', requestCode)
  .route('/', verifyCode)
  .route('/', logout);
