import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { type Device, deviceAddress, deviceOf, setDeviceCookie } from '../access/device.ts';
import { isAllowedDomain, normalizeEmailAddress } from '../access/email-address.ts';
import { pseudonym, sha256 } from '../access/hashing.ts';
import { newMailboxId } from '../access/mailbox.ts';
import { senderOf } from '../access/network.ts';
import {
  challengeCookie,
  challengeHash,
  clearChallengeCookie,
  clearSessionCookie,
  makeChallengeToken,
  makeSessionToken,
  readSessionToken,
  sessionCookie,
  sessionLife,
  setChallengeCookie,
  setSessionCookie,
} from '../access/session.ts';
import {
  codeLife,
  isSignInCode,
  makeSignInCode,
  readSignInCode,
  sealSignInCode,
} from '../access/sign-in-code.ts';
import { maxTurnstileTokenLength, verifyTurnstile } from '../access/turnstile.ts';
import type { AnonymousRateLimitName } from '../config.ts';
import { ApiError } from '../errors.ts';
import { bindingMailer, type Delivery, signInMessage } from '../mail/sign-in-mail.ts';
import { codePolicy, mailTerms } from '../policy/limits.ts';
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
  type Visitor,
  withdrawChallenge,
} from '../store/sign-in.ts';
import { type AppEnv, linkOrigin } from './http/context.ts';
import { createRouter, defineRoute } from './http/contract.ts';
import { count, id, jsonRequest, jsonResponse, setsCookie, success } from './http/openapi-parts.ts';
import { limitSender, overloaded, tooManyRequests } from './http/rate-limit.ts';

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

/** The cookies of the two sign-in calls, for the OpenAPI document. */
const signInCookies = z.object({
  challenge: z.string().optional().openapi({
    description:
      'Set by `requestCode`; browsers send it automatically. It identifies the code that was requested here, which then has its own number of tries. A new request replaces it.',
  }),
  device: z.string().optional().openapi({
    description:
      'Set by `verifyCode`; browsers send it automatically. For the address that was signed in with, this browser then has limits of its own: 5 codes an hour, always of six digits.',
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
    'The code is valid for 10 minutes. For one address: one code in 60 seconds, 5 an hour from one network, 20 an hour in all; a browser that has signed in before has 5 an hour of its own. The response also sets the cookie `challenge`: sent back with the code, it keeps strangers from using up your tries.',
  credential: 'none',
  rateLimit: 'REQUEST_CODE_RATE_LIMIT',
  request: {
    body: jsonRequest(
      z.object({
        email: emailField,
        turnstile_token: z.string().max(maxTurnstileTokenLength).optional().openapi({
          description:
            'What the Turnstile widget of the sign-in page gave; required where the operator has switched that on.',
        }),
      }),
      { email: 'you@gmail.com' },
    ),
    cookies: signInCookies,
  },
  problems: [
    'invalid_email',
    'turnstile_failed',
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
  const body = c.req.valid('json');
  const email = requireEmailAddress(body.email);
  if (!isAllowedDomain(email, c.var.config.allowedEmailDomains)) {
    throw new ApiError('email_domain_not_allowed');
  }
  const now = Date.now();
  const { visitor } = await visitorOf(c, email, 'REQUEST_CODE_RATE_LIMIT', now);
  await demandHuman(c, body.turnstile_token);

  const token = makeChallengeToken();
  const id = await sha256(token);
  const challenge = { id, now, expiresAt: now + codeLife * 1000 };
  const mails = mailTerms(now, c.var.config.mailsPerDay);
  const claim = await claimChallenge(c.env.DB, challenge, visitor, codePolicy, mails);
  if (claim.kind === 'too-many') throw tooManyRequests((claim.retryAt - now) / 1000);

  const code = await sendCode(c, { id, email, digits: claim.digits });
  const replacedId = await challengeHash(challengeCookie(c));
  // the mail is out, so its code should work
  const opened = { id, code, replacedId, now: Date.now() };
  await followUp(c, () => openChallenge(c.env.DB, opened, codePolicy));
  setChallengeCookie(c, token);
  const { coolDown } = codePolicy.requests;
  return c.json(
    { success: true as const, expires_in: codeLife, retry_after: coolDown.window / 1000 },
    200,
  );
});

/**
 * Who asks for a code or enters one. A device of another address is a stranger, who is counted by network.
 * @throws ApiError `too_many_requests`
 */
async function visitorOf(
  c: Context<AppEnv>,
  email: string,
  rateLimit: AnonymousRateLimitName,
  now: number,
): Promise<{ readonly visitor: Visitor; readonly device: Device | null }> {
  const { codeSecret, tokenSecrets } = c.var.config;
  const { network, site } = senderOf(c.req);
  const present = await deviceOf(c, tokenSecrets, now);
  const isOwn = present?.address === (await deviceAddress(email, codeSecret));
  const device = isOwn ? present : null;
  if (present !== null && !isOwn) {
    await limitSender(c.env[rateLimit], { network, site });
  }
  const [addressName, networkName, siteName, deviceName] = await Promise.all([
    pseudonym('address', email, codeSecret),
    pseudonym('network', network, codeSecret),
    site === null ? null : pseudonym('site', site, codeSecret),
    device === null ? '' : pseudonym('device', device.id, codeSecret),
  ]);
  const visitor = {
    email,
    address: addressName,
    network: networkName,
    site: siteName,
    device: device && { id: deviceName, epoch: device.epoch },
  };
  return { visitor, device };
}

/**
 * Lets people on, where the operator has them told from programs.
 * @throws ApiError `turnstile_failed`, `overloaded`
 */
async function demandHuman(c: Context<AppEnv>, token: string | undefined): Promise<void> {
  const { turnstile } = c.var.config;
  if (turnstile === null) return;
  const ip = c.req.header('CF-Connecting-IP');
  switch (await verifyTurnstile(turnstile, token ?? '', ip)) {
    case 'passed':
      return;
    case 'failed':
      throw new ApiError('turnstile_failed');
    case 'unavailable':
      throw overloaded(5);
  }
}

interface Claimed {
  readonly id: string;
  readonly email: string;
  readonly digits: number;
}

/**
 * Makes the code of a challenge, stores its HMAC in KV, and mails the code.
 * @returns the HMAC
 * @throws ApiError `email_undeliverable`, where the cool-down stays; `email_not_sent`, where nothing of it counts,
 *   and as little when KV does not answer
 */
async function sendCode(c: Context<AppEnv>, { id, email, digits }: Claimed): Promise<string> {
  const { config, requestId } = c.var;
  const code = makeSignInCode(digits);
  const sealed = await sealSignInCode(code, id, config.codeSecret);
  let delivery: Delivery | null = null;
  try {
    await putSignInCode(c.env.KV, id, sealed, codeLife);
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
      return sealed;
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
    cookies: signInCookies,
  },
  problems: ['invalid_email', 'invalid_code'],
  responses: {
    200: jsonResponse(
      'Signed in.',
      success.extend({ user_id: id('usr') }),
      setsCookie(
        '`sid`: HttpOnly, Secure, SameSite=Lax, for 30 days; `device`, likewise, for the path `/v1/auth` and 180 days; and `challenge`, cleared.',
      ),
    ),
  },
});

const verifyCode = createRouter().openapi(verifyCodeContract, async (c) => {
  const body = c.req.valid('json');
  const email = requireEmailAddress(body.email);
  const code = readSignInCode(body.code);
  if (code === null) throw invalidCode();

  const now = Date.now();
  const tryId = newId('try');
  const { codeSecret, tokenSecrets } = c.var.config;
  const { visitor, device } = await visitorOf(c, email, 'VERIFY_CODE_RATE_LIMIT', now);
  const given = { id: tryId, challengeId: await namedChallenge(c), now };
  const taken = await takeTry(c.env.DB, given, visitor, codePolicy);
  const { challengeId } = taken;
  // without a challenge the same work is done, with an id that nothing is stored under
  const lookedUp = challengeId ?? tryId;
  // KV may not have it yet, or have been asked before it had: then D1's copy counts
  const sealed = (await findSignInCode(c.env.KV, lookedUp)) ?? taken.code;
  const isRight = await isSignInCode(code, lookedUp, sealed, codeSecret);
  if (challengeId === null || !isRight) throw invalidCode();

  const { userId, epoch, token } = await openSession(
    c,
    {
      challengeId,
      tryId,
      email,
      address: visitor.address,
      sessionExpiresAt: now + sessionLife * 1000,
      replacedSessionHash: await presentedSessionHash(c),
    },
    taken.mailboxId ?? newMailboxId(),
    now,
  );
  setSessionCookie(c, token);
  clearChallengeCookie(c);
  const address = await deviceAddress(email, codeSecret);
  await setDeviceCookie(c, { id: device?.id ?? null, address, epoch }, tokenSecrets, now);
  return c.json({ success: true as const, user_id: userId }, 200);
});

/**
 * Opens the session of a correct code. Where the database or KV fails before the
 * code is consumed, the try does not count.
 * @param mailboxId of the user, or for a user who is new
 * @throws ApiError `invalid_code` when the code was used or has expired meanwhile
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
  try {
    await announceSession(KV, sessionHash, sessionLife);
    const result = await completeSignIn(DB, { ...signIn, sessionHash, mailboxId }, now);
    if (result.kind === 'signed-in') return { ...result, token };
    c.executionCtx.waitUntil(forgetSession(KV, sessionHash));
    if (result.kind === 'too-late') throw invalidCode();
    // another sign-in has created the user a moment ago
    return await openSession(c, signIn, result.mailboxId, now);
  } catch (error) {
    if (!(error instanceof ApiError)) {
      const undone = [
        retryOutages(() => returnTry(DB, signIn.tryId)),
        forgetSession(KV, sessionHash),
      ];
      c.executionCtx.waitUntil(Promise.allSettled(undone));
    }
    throw error;
  }
}

/** The session that came with a request, whether or not it still holds. */
async function presentedSessionHash(c: Context<AppEnv>): Promise<string | null> {
  const cookie = sessionCookie(c);
  if (cookie === undefined) return null;
  return (await readSessionToken(cookie, c.var.config.tokenSecrets))?.hash ?? null;
}

/** The id of the challenge that the cookie names; empty for a malformed cookie; null without one. */
async function namedChallenge(c: Context<AppEnv>): Promise<string | null> {
  const cookie = challengeCookie(c);
  return cookie === undefined ? null : ((await challengeHash(cookie)) ?? '');
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
  if (c.req.valid('json').everywhere) await endSessionsOf(c.env.DB, userId, Date.now());
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
