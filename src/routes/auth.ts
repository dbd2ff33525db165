import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { isAllowedDomain, normalizeEmailAddress } from '../access/email-address.ts';
import { pseudonyms, sha256 } from '../access/hashing.ts';
import { networkOf } from '../access/network.ts';
import {
  challengeCookie,
  clearChallengeCookie,
  clearSessionCookie,
  makeToken,
  sessionCookie,
  sessionLife,
  setChallengeCookie,
  setSessionCookie,
  tokenHash,
} from '../access/session.ts';
import {
  codeLife,
  isSignInCode,
  makeSignInCode,
  readSignInCode,
  sealSignInCode,
} from '../access/sign-in-code.ts';
import { ApiError } from '../errors.ts';
import { bindingMailer, type Delivery, signInMessage } from '../mail/sign-in-mail.ts';
import { codePolicy } from '../policy/limits.ts';
import { newId, retryOutages } from '../store/database.ts';
import { announceSession, endSession, endSessionsOf, forgetSession } from '../store/sessions.ts';
import {
  claimChallenge,
  completeSignIn,
  findSignInCode,
  openChallenge,
  putSignInCode,
  returnTry,
  type SignIn,
  takeTry,
  withdrawChallenge,
} from '../store/sign-in.ts';
import { type AppEnv, linkOrigin } from './http/context.ts';
import { createRouter, defineRoute } from './http/contract.ts';
import { count, id, jsonRequest, jsonResponse, setsCookie, success } from './http/openapi-parts.ts';
import { tooManyRequests } from './http/rate-limit.ts';

const emailField = z.string().openapi({
  description: 'Case, and anything after a `+` before the `@`, is ignored.',
  example: 'you@gmail.com',
});

/**
 * The address that an account goes by.
 * @throws ApiError `invalid_email`
 */
function requireEmailAddress(text: string): string {
  const address = normalizeEmailAddress(text);
  if (address !== null) return address;
  throw new ApiError('invalid_email');
}

/** The cookie of the two sign-in calls, for the OpenAPI document. */
const challengeField = z.object({
  challenge: z.string().optional().openapi({
    description:
      'Set by `requestCode`; browsers send it automatically. It identifies the code that was requested here, which then has its own number of tries. A new request replaces it.',
  }),
});

/** The answer for every address that mail can be sent to, with or without an account. */
export const codeRequested = success.extend({
  expires_in: count.openapi({ description: 'Seconds for which the code is valid.', example: 600 }),
  retry_after: count.openapi({
    description: 'Seconds until another code can be sent.',
    example: 60,
  }),
});

const requestCodeContract = defineRoute({
  method: 'post',
  path: '/v1/auth/request-code',
  operationId: 'requestCode',
  tags: ['Sign-in'],
  summary: 'Send a one-time code to an e-mail address',
  description:
    'The code is valid for 10 minutes. For one address: one code in 60 seconds, 5 an hour from one network, 20 an hour in all. The response also sets the cookie `challenge`: sent back with the code, it keeps strangers from using up your tries.',
  credential: 'none',
  rateLimit: 'REQUEST_CODE_RATE_LIMIT',
  request: { body: jsonRequest(z.object({ email: emailField })), cookies: challengeField },
  problems: [
    'invalid_email',
    'email_domain_not_allowed',
    'email_undeliverable',
    'too_many_requests',
    'email_not_sent',
  ],
  responses: {
    200: jsonResponse(
      'The mail is on its way, whether or not there is an account.',
      codeRequested,
      setsCookie('`challenge`: HttpOnly, Secure, for the path `/v1/auth` and 10 minutes.'),
    ),
  },
});

const requestCode = createRouter().openapi(requestCodeContract, async (c) => {
  const sender = networkOf(c.req);
  const email = requireEmailAddress(c.req.valid('json').email);
  if (!isAllowedDomain(email, c.var.config.allowedEmailDomains)) {
    throw new ApiError('email_domain_not_allowed');
  }

  const token = makeToken();
  const id = await sha256(token);
  const now = Date.now();
  const expiresAt = now + codeLife * 1000;
  const counted = await pseudonyms({ email, sender }, c.var.config.codeSecret);
  const challenge = { id, ...counted, now, expiresAt };
  const claim = await claimChallenge(c.env.DB, challenge, codePolicy);
  if (claim.kind === 'too-many') throw tooManyRequests((claim.retryAt - now) / 1000);

  await sendCode(c, { id, email, digits: claim.digits });
  const replacedId = await tokenHash(challengeCookie(c));
  // the mail is out, so its code should work
  const opened = { id, replacedId, now: Date.now() };
  await followUp(c, () => openChallenge(c.env.DB, opened, codePolicy));
  setChallengeCookie(c, token);
  const { perAddress } = codePolicy.requests;
  return c.json(
    { success: true as const, expires_in: codeLife, retry_after: perAddress.window / 1000 },
    200,
  );
});

interface Claimed {
  readonly id: string;
  readonly email: string;
  readonly digits: number;
}

/**
 * Makes the code of a challenge, stores its HMAC, and mails the code.
 * @throws ApiError `email_undeliverable`, where the cool-down stays; `email_not_sent`, where nothing of it counts,
 *   and as little when KV does not answer
 */
async function sendCode(c: Context<AppEnv>, { id, email, digits }: Claimed): Promise<void> {
  const { config, requestId } = c.var;
  let delivery: Delivery | null = null;
  try {
    const code = makeSignInCode(digits);
    await putSignInCode(c.env.KV, id, await sealSignInCode(code, id, config.codeSecret), codeLife);
    const message = await signInMessage({
      to: email,
      code,
      serviceName: config.serviceName,
      origin: linkOrigin(c),
      askedAt: new Date(),
      minutes: codeLife / 60,
    });
    const send = bindingMailer(c.env.EMAIL, { name: config.serviceName, email: config.mailFrom });
    delivery = await send(message);
  } finally {
    if (delivery === null || delivery.kind === 'failed') {
      await followUp(c, () => withdrawChallenge(c.env.DB, id));
    }
  }
  switch (delivery.kind) {
    case 'sent':
      return;
    case 'undeliverable':
      throw new ApiError('email_undeliverable');
    case 'failed':
      console.error({ request_id: requestId, event: 'email_not_sent', reason: delivery.reason });
      throw new ApiError('email_not_sent');
  }
}

const verifyCodeContract = defineRoute({
  method: 'post',
  path: '/v1/auth/verify-code',
  operationId: 'verifyCode',
  tags: ['Sign-in'],
  summary: 'Sign in with the code from the mail',
  description:
    'Sets the cookie `sid`, which is the session. The first sign-in creates the account. A code allows 5 wrong tries, and works once.',
  credential: 'none',
  rateLimit: 'VERIFY_CODE_RATE_LIMIT',
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
  problems: ['invalid_email', 'invalid_code'],
  responses: {
    200: jsonResponse(
      'Signed in.',
      success.extend({ user_id: id('usr') }),
      setsCookie('`sid`: HttpOnly, Secure, SameSite=Lax, for 30 days; and `challenge`, cleared.'),
    ),
  },
});

const verifyCode = createRouter().openapi(verifyCodeContract, async (c) => {
  const sender = networkOf(c.req);
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
  // without a challenge the same work is done, with an id that nothing is stored under
  const lookedUp = challengeId ?? tryId;
  const sealed = await findSignInCode(c.env.KV, lookedUp, challengeId !== null);
  if (challengeId !== null && sealed === null) {
    c.executionCtx.waitUntil(retryOutages(() => returnTry(c.env.DB, tryId)));
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
 * Opens the session of a correct code. Where the database or KV fails before the
 * code is consumed, the try does not count.
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
      retryOutages(() => returnTry(DB, signIn.tryId)),
      forgetSession(KV, signIn.sessionHash),
    ];
    c.executionCtx.waitUntil(Promise.allSettled(undone));
    throw error;
  }
}

/** The id of the challenge that the cookie names; empty for a malformed cookie; null without one. */
async function namedChallenge(c: Context<AppEnv>): Promise<string | null> {
  const cookie = challengeCookie(c);
  return cookie === undefined ? null : ((await tokenHash(cookie)) ?? '');
}

/** The same error for a code that is wrong, expired, used, was never requested, or was tried too often. */
function invalidCode(): ApiError {
  return new ApiError('invalid_code');
}

const logoutContract = defineRoute({
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
            .openapi({ description: 'End every session of the user.' }),
        }),
        { everywhere: true },
      ),
      required: false,
    },
  },
  responses: {
    200: jsonResponse('Signed out.', success, setsCookie('`sid`, cleared.')),
  },
});

const logout = createRouter().openapi(logoutContract, async (c) => {
  const { hash, userId } = c.var.session;
  if (c.req.valid('json').everywhere) await endSessionsOf(c.env.DB, userId);
  else await endSession(c.env.DB, hash);
  c.executionCtx.waitUntil(forgetSession(c.env.KV, hash));
  clearSessionCookie(c);
  return c.json({ success: true as const }, 200);
});

/** How long an answer waits, in milliseconds: long enough for two retries, on a busy machine, too. */
const followUpTimeout = 4000;

/**
 * Does work that should be done when the answer arrives, and retries it during an
 * outage of the database; after a time-out the answer goes first.
 * @throws what the work throws before the time-out
 */
export async function followUp(c: Context<AppEnv>, work: () => Promise<void>): Promise<void> {
  const done = retryOutages(work);
  const isDone = await Promise.race([
    done.then(() => true),
    scheduler.wait(followUpTimeout).then(() => false),
  ]);
  if (isDone) return;
  const left = done.catch((error: unknown) => {
    const stack = error instanceof Error ? error.stack : undefined;
    console.error({ request_id: c.var.requestId, event: 'not_followed_up', error: stack });
  });
  c.executionCtx.waitUntil(left);
}

/** Sign-in by e-mail and one-time code, and sign-out. */
export const auth = createRouter()
  .route('/', requestCode)
  .route('/', verifyCode)
  .route('/', logout);
