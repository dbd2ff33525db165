import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { setDeviceCookie } from '../../access/device.ts';
import { sha256 } from '../../access/hashing.ts';
import { mailboxName, newMailboxId } from '../../access/mailbox.ts';
import {
  challengeCookie,
  challengeHash,
  clearChallengeCookie,
  makeSessionToken,
  sessionLife,
  setSessionCookie,
} from '../../access/session.ts';
import { isSignInCode, readSignInCode } from '../../access/sign-in-code.ts';
import { ApiError } from '../../errors.ts';
import { codePolicy } from '../../policy/limits.ts';
import { newId, retryOutages } from '../../store/database.ts';
import { announceSession, forgetSession } from '../../store/sessions.ts';
import {
  completeSignIn,
  findSignInCode,
  returnTry,
  type SignIn,
  type SignInResult,
  takeTry,
} from '../../store/sign-in.ts';
import type { AppEnv } from '../http/context.ts';
import { createRouter, defineRoute } from '../http/contract.ts';
import { presentedSession } from '../http/credentials.ts';
import { id, jsonRequest, jsonResponse, setsCookie, success } from '../http/openapi-parts.ts';
import { emailField, identify, requireEmailAddress, signInCookies } from './visitor.ts';

const contract = defineRoute({
  method: 'post',
  path: '/v1/auth/verify-code',
  operationId: 'verifyCode',
  tags: ['Sign-in'],
  summary: 'Sign in with the code from the mail',
  description: `Sets the session cookie \`sid\`. The first sign-in creates the account. A code works once and allows ${codePolicy.wrong.perChallenge} wrong tries.`,
  credential: 'none',
  rateLimit: 'VERIFY_CODE_RATE_LIMIT',
  request: {
    body: jsonRequest(
      z.object({
        email: emailField,
        code: z.string().openapi({
          example: '123456',
          description:
            'Six digits, or twelve after many wrong tries. Spaces and hyphens are ignored.',
        }),
      }),
    ),
    cookies: signInCookies,
  },
  problems: ['invalid_email', 'invalid_code'],
  responses: {
    200: jsonResponse(
      'Signed in.',
      success.extend({ user_id: id('usr') }),
      setsCookie(
        'Sets `sid`: HttpOnly, Secure, SameSite=Lax, valid for 30 days; and `device`: likewise, for the path `/v1/auth`, valid for 180 days. Clears `challenge`.',
      ),
    ),
  },
});

/** POST /v1/auth/verify-code. */
export const verifyCode = createRouter().openapi(contract, async (c) => {
  const body = c.req.valid('json');
  const email = requireEmailAddress(body.email);
  const code = readSignInCode(body.code);
  if (code === null) throw invalidCode();

  const now = Date.now();
  const tryId = newId('try');
  const { codeSecret, tokenSecrets } = c.var.config;
  const identified = await identify(c, email, 'VERIFY_CODE_RATE_LIMIT', now);
  const { visitor, device } = identified;
  const hashedMailboxName = await mailboxName(email, codeSecret);
  const attempt = {
    id: tryId,
    challengeId: await namedChallenge(c),
    mailboxName: hashedMailboxName,
    now,
  };
  const takenTry = await takeTry(c.env.DB, attempt, visitor, codePolicy);
  const { challengeId } = takenTry;
  // Without a challenge, the same work is done with an id that has no stored data.
  const lookedUp = challengeId ?? tryId;
  // KV may not have the code yet, or may have cached its absence: then D1's copy counts.
  const sealed = (await findSignInCode(c.env.KV, lookedUp)) ?? takenTry.code;
  const isCorrect = await isSignInCode(code, lookedUp, sealed, codeSecret);
  if (challengeId === null || !isCorrect) throw invalidCode();

  const { userId, epoch, token } = await openSession(
    c,
    {
      challengeId,
      tryId,
      email,
      mailboxName: hashedMailboxName,
      sessionExpiresAt: now + sessionLife * 1000,
      replacedSessionHash: (await presentedSession(c))?.hash ?? null,
    },
    takenTry.mailboxId ?? newMailboxId(),
    now,
  );
  setSessionCookie(c, token);
  clearChallengeCookie(c);
  const known = { id: device?.id ?? null, address: identified.deviceAddress, epoch };
  await setDeviceCookie(c, known, tokenSecrets, now);
  return c.json({ success: true as const, user_id: userId }, 200);
});

/**
 * Opens the session of a correct code. If the database or KV fails before the code is consumed, the try does not count.
 * @param mailboxId the user's mailbox id, or a fresh one for a new mailbox
 * @throws ApiError `invalid_code` if the code was used or has expired meanwhile
 */
async function openSession(
  c: Context<AppEnv>,
  signIn: Omit<SignIn, 'sessionHash' | 'mailboxId'>,
  mailboxId: string,
  now: number,
): Promise<{ readonly userId: string; readonly epoch: number; readonly token: string }> {
  const { DB, KV } = c.env;
  const token = await makeSessionToken(mailboxId, c.var.config.tokenSecrets);
  const sessionHash = await sha256(token);
  let result: SignInResult;
  try {
    await announceSession(KV, sessionHash, sessionLife);
    result = await completeSignIn(DB, { ...signIn, sessionHash, mailboxId }, now);
  } catch (error) {
    const rollbacks = [
      retryOutages(() => returnTry(DB, signIn.tryId)),
      forgetSession(KV, sessionHash),
    ];
    c.executionCtx.waitUntil(Promise.allSettled(rollbacks));
    throw error;
  }
  if (result.kind === 'signed-in') return { ...result, token };
  c.executionCtx.waitUntil(forgetSession(KV, sessionHash));
  if (result.kind === 'too-late') throw invalidCode();
  // Another sign-in has just created the mailbox.
  return openSession(c, signIn, result.mailboxId, now);
}

/** The id of the challenge in the cookie; empty for a malformed cookie; null without a cookie. */
async function namedChallenge(c: Context<AppEnv>): Promise<string | null> {
  const cookie = challengeCookie(c);
  return cookie === undefined ? null : ((await challengeHash(cookie)) ?? '');
}

/** The same error for a code that is wrong, expired, used, was never requested, or was tried too often. */
function invalidCode(): ApiError {
  return new ApiError('invalid_code');
}
