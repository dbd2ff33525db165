import { createRoute, z } from '@hono/zod-openapi';
import { clearSessionCookie } from '../../access/cookies.ts';
import type { SignedInEnv } from '../../context.ts';
import { endSession, endSessionsOf, forgetSession } from '../../store/sessions.ts';
import { jsonBody } from '../json-body.ts';
import { problemResponses } from '../problem-responses.ts';
import { createRouter } from '../router.ts';
import { signedIn } from '../signed-in.ts';
import { successBody } from '../success-body.ts';

const contract = createRoute({
  method: 'post',
  path: '/v1/auth/logout',
  tags: ['Sign-in'],
  summary: 'Sign out, here or everywhere',
  security: [{ session: [] }],
  middleware: [signedIn, jsonBody] as const,
  request: {
    body: {
      content: {
        'application/json': {
          schema: z.object({
            everywhere: z
              .boolean()
              .default(false)
              .openapi({ description: 'End every session of the user.' }),
          }),
        },
      },
    },
  },
  responses: {
    200: { description: 'Signed out; the cookie is cleared.', content: successBody },
    ...problemResponses(
      'invalid_request',
      'auth_required',
      'origin_not_allowed',
      'request_timeout',
      'body_too_large',
      'unsupported_media_type',
    ),
  },
});

export const logout = createRouter<SignedInEnv>().openapi(contract, async (c) => {
  const { hash, userId } = c.var.session;
  if (c.req.valid('json').everywhere) await endSessionsOf(c.env.DB, userId);
  else await endSession(c.env.DB, hash);
  c.executionCtx.waitUntil(forgetSession(c.env.KV, hash));
  clearSessionCookie(c);
  return c.json({ success: true as const }, 200);
});
