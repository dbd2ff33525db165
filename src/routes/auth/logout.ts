import { createRoute, z } from '@hono/zod-openapi';
import { clearSessionCookie } from '../../access/cookies.ts';
import type { SignedInEnv } from '../../context.ts';
import { endSession, endSessionsOf, forgetSession } from '../../store/sessions.ts';
import { jsonBody } from '../bodies/json-body.ts';
import { jsonProblems, jsonRequest, jsonResponse, setsCookie, success } from '../contracts/json.ts';
import { problemResponses } from '../contracts/problem-responses.ts';
import { createRouter } from '../contracts/router.ts';
import { signedIn } from '../gates/session.ts';

const contract = createRoute({
  method: 'post',
  path: '/v1/auth/logout',
  operationId: 'signOut',
  tags: ['Sign-in'],
  summary: 'Sign out, here or everywhere',
  security: [{ session: [] }],
  middleware: [signedIn, jsonBody] as const,
  request: {
    body: {
      ...jsonRequest(
        z.object({
          everywhere: z
            .boolean()
            .default(false)
            .openapi({ description: 'End every session of the user.' }),
        }),
        { everywhere: true },
      ),
      required: false,
    },
  },
  responses: {
    200: jsonResponse('Signed out.', success, setsCookie('`sid`, cleared.')),
    ...problemResponses(...jsonProblems, 'auth_required'),
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
