import { createRoute, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import {
  challengeCookie,
  clearChallengeCookie,
  sessionCookie,
  setSessionCookie,
} from '../../access/cookies.ts';
import { networkOf } from '../../access/network.ts';
import { pseudonyms } from '../../access/pseudonym.ts';
import { sessionLife } from '../../access/session.ts';
import { sha256 } from '../../access/sha256.ts';
import { isSignInCode, readSignInCode } from '../../access/sign-in-code.ts';
import { makeToken, tokenHash } from '../../access/token.ts';
import type { AppEnv } from '../../context.ts';
import { ApiError } from '../../errors.ts';
import { codePolicy } from '../../policy/throttle.ts';
import { returnTry, takeTry } from '../../store/code-tries.ts';
import { newId } from '../../store/id.ts';
import { persistently } from '../../store/persistence.ts';
import { announceSession, forgetSession } from '../../store/sessions.ts';
import { findSignInCode } from '../../store/sign-in-codes.ts';
import { completeSignIn, type SignIn } from '../../store/sign-ins.ts';
import { jsonBody } from '../bodies/json-body.ts';
import { jsonProblems, jsonRequest, jsonResponse, setsCookie, success } from '../contracts/json.ts';
import { problemResponses } from '../contracts/problem-responses.ts';
import { createRouter } from '../contracts/router.ts';
import { id } from '../contracts/values.ts';
import { brake } from '../gates/brake.ts';
import { challengeField } from './challenge-field.ts';
import { emailField, requireEmailAddress } from './email-field.ts';

const contract = createRoute({
  method: 'post',
  path: '/v1/auth/verify-code',
  operationId: 'verifyCode',
  tags: ['Sign-in'],
  summary: 'Sign in with the code from the mail',
  description:
    'Sets the cookie `sid`, which is the session. The first sign-in creates the account. A code takes 5 wrong tries, and works once.',
  security: [],
  middleware: [jsonBody] as const,
  request: {
    body: jsonRequest(
      z.object({
        email: emailField,
        code: z.string().openapi({
          example: '123456',
          description:
            'Six digits, or twelve after many wrong tries; spaces and hyphens do not matter.',
        }),
      }),
    ),
    cookies: challengeField,
  },
  responses: {
    200: jsonResponse(
      'Signed in.',
      success.extend({ user_id: id('usr') }),
      setsCookie('`sid`: HttpOnly, Secure, SameSite=Lax, for 30 days; and `challenge`, cleared.'),
    ),
    ...problemResponses(...jsonProblems, 'invalid_email', 'invalid_code', 'too_many_requests'),
  },
});

export const verifyCode = createRouter().openapi(contract, async (c) => {
  const sender = networkOf(c.req);
  await brake(c.env.VERIFY_CODE_BRAKE, sender);
  const body = c.req.valid('json');
  const email = requireEmailAddress(body.email);
  const code = readSignInCode(body.code);
  if (code === null) throw invalidCode();

  const now = Date.now();
  const tryId = newId('try');
  const { codeSecret } = c.var.config;
  const { address, network } = await pseudonyms({ email, sender }, codeSecret);
  const named = await namedChallenge(c);
  const given = { id: tryId, address, challengeId: named, network, now };
  const challengeId = await takeTry(c.env.DB, given, codePolicy);
  // Without a challenge the same is done with an id that nothing is kept under.
  const lookedUp = challengeId ?? tryId;
  const sealed = await findSignInCode(c.env.KV, lookedUp, challengeId !== null);
  if (challengeId !== null && sealed === null) {
    c.executionCtx.waitUntil(persistently(() => returnTry(c.env.DB, tryId)));
    throw new ApiError('overloaded', 'The code cannot be looked up right now: try again.', {
      headers: { 'Retry-After': '2' },
    });
  }
  const isRight = await isSignInCode(code, lookedUp, sealed, codeSecret);
  if (challengeId === null || !isRight) throw invalidCode();

  const token = makeToken();
  const sessionHash = await sha256(token);
  const userId = await openSession(
    c,
    {
      challengeId,
      tryId,
      email,
      address,
      sessionHash,
      sessionExpiresAt: now + sessionLife * 1000,
      replacedSessionHash: await tokenHash(sessionCookie(c)),
    },
    now,
  );
  if (userId === null) {
    c.executionCtx.waitUntil(forgetSession(c.env.KV, sessionHash));
    throw invalidCode();
  }
  setSessionCookie(c, token);
  clearChallengeCookie(c);
  return c.json({ success: true as const, user_id: userId }, 200);
});

/**
 * Opens the session of a code that is right. Where the database or KV fails
 * before the code is used up, its try is none of those that are left.
 * @returns the id of the user, or null when the code was used or has expired meanwhile
 */
async function openSession(
  c: Context<AppEnv>,
  signIn: SignIn,
  now: number,
): Promise<string | null> {
  const { DB, KV } = c.env;
  try {
    await announceSession(KV, signIn.sessionHash, sessionLife);
    return await completeSignIn(DB, signIn, now);
  } catch (error) {
    const undone = [
      persistently(() => returnTry(DB, signIn.tryId)),
      forgetSession(KV, signIn.sessionHash),
    ];
    c.executionCtx.waitUntil(Promise.allSettled(undone));
    throw error;
  }
}

/** The challenge that the cookie names; empty for a cookie that names none; null without one. */
async function namedChallenge(c: Context<AppEnv>): Promise<string | null> {
  const cookie = challengeCookie(c);
  return cookie === undefined ? null : ((await tokenHash(cookie)) ?? '');
}

/** One answer for a code that is wrong, expired, used, was never asked for, or tried too often. */
function invalidCode(): ApiError {
  return new ApiError(
    'invalid_code',
    'This code does not work: check it, or ask for a new one; after many wrong ones wait an hour.',
  );
}
