import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { domainRefusal, isAllowedDomain } from '../../access/allowed-domains.ts';
import { sha256 } from '../../access/hashing.ts';
import {
  challengeCookie,
  challengeHash,
  makeChallengeToken,
  setChallengeCookie,
} from '../../access/session.ts';
import { codeLife, makeSignInCode, sealSignInCode } from '../../access/sign-in-code.ts';
import { maxTurnstileTokenLength, verifyTurnstile } from '../../access/turnstile.ts';
import { ApiError } from '../../errors.ts';
import { bindingMailer, type Delivery, signInMessage } from '../../mail/mails.ts';
import { codePolicy, mailTerms } from '../../policy/limits.ts';
import { retryOutages } from '../../store/database.ts';
import {
  claimChallenge,
  openChallenge,
  putSignInCode,
  withdrawChallenge,
} from '../../store/sign-in.ts';
import { logFault, stackOf } from '../../telemetry/log.ts';
import { type AppEnv, linkOrigin } from '../http/context.ts';
import { createRouter, defineRoute } from '../http/contract.ts';
import { count, jsonRequest, jsonResponse, setsCookie, success } from '../http/openapi-parts.ts';
import { overloaded, tooManyRequests } from '../http/rate-limit.ts';
import { emailField, identify, requireEmailAddress, signInCookies } from './visitor.ts';

const { coolDown, perAddress, perAddressAndNetwork, perDevice } = codePolicy.requests;

/** The response for every address that can receive mail, with or without an account. */
export const codeRequested = success.extend({
  expires_in: count.openapi({
    description: 'How long the code is valid, in seconds.',
    example: 600,
  }),
  retry_after: count.openapi({
    description: 'Seconds until another code can be sent.',
    example: 60,
  }),
});

const contract = defineRoute({
  method: 'post',
  path: '/v1/auth/request-code',
  operationId: 'requestCode',
  tags: ['Sign-in'],
  summary: 'Send a one-time code to an email address',
  description: `The code is valid for ${codeLife / 60} minutes. Limits for one address: one code every ${coolDown.window / 1000} seconds, ${perAddressAndNetwork.events} an hour from one network, and ${perAddress.events} an hour from all new browsers together; a browser that has signed in before has its own ${perDevice.events} an hour. The response also sets the \`challenge\` cookie. Send it back with the code to keep strangers from using up your tries.`,
  credential: 'none',
  rateLimit: 'REQUEST_CODE_RATE_LIMIT',
  request: {
    body: jsonRequest(
      z.object({
        email: emailField,
        turnstile_token: z.string().max(maxTurnstileTokenLength).optional().openapi({
          description:
            'The token from the Turnstile widget on the sign-in page. Required if the operator has turned Turnstile on.',
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
      'The mail is on its way, whether or not an account exists.',
      codeRequested,
      setsCookie(
        'Sets `challenge`: HttpOnly, Secure, for the path `/v1/auth`, valid for 10 minutes.',
      ),
    ),
  },
});

/** POST /v1/auth/request-code. */
export const requestCode = createRouter().openapi(contract, async (c) => {
  const body = c.req.valid('json');
  const email = requireEmailAddress(body.email);
  const { allowedEmailDomains: allowed, links } = c.var.config;
  const domain = email.slice(email.indexOf('@') + 1);
  if (allowed !== '*' && !isAllowedDomain(domain, allowed)) {
    throw new ApiError('email_domain_not_allowed', domainRefusal(domain, allowed, links.contact));
  }
  const now = Date.now();
  const { visitor } = await identify(c, email, 'REQUEST_CODE_RATE_LIMIT', now);
  await demandHuman(c, body.turnstile_token);

  const token = makeChallengeToken();
  const id = await sha256(token);
  const challenge = { id, now, expiresAt: now + codeLife * 1000 };
  const mails = mailTerms(now, c.var.config.mailsPerDay);
  const claim = await claimChallenge(c.env.DB, challenge, visitor, codePolicy, mails);
  if (claim.kind === 'too-many') {
    if (claim.isOutOfMails) logFault('mail_limit_reached', { request_id: c.var.requestId });
    throw tooManyRequests((claim.retryAt - now) / 1000);
  }

  const code = await sendCode(c, { id, email, digits: claim.digits });
  const replacedId = await challengeHash(challengeCookie(c));
  // The mail has been sent, so its code has to work.
  const opened = { id, code, replacedId, now: Date.now() };
  await followUp(c, () => openChallenge(c.env.DB, opened, codePolicy));
  setChallengeCookie(c, token);
  return c.json(
    { success: true as const, expires_in: codeLife, retry_after: coolDown.window / 1000 },
    200,
  );
});

/**
 * Requires a passed Turnstile check if Turnstile is configured.
 * @throws ApiError `turnstile_failed`, `overloaded`
 */
async function demandHuman(c: Context<AppEnv>, token: string | undefined): Promise<void> {
  const { turnstile } = c.var.config;
  if (turnstile === null) return;
  const ip = c.req.header('CF-Connecting-IP');
  const outcome = await verifyTurnstile(turnstile, token ?? '', ip);
  switch (outcome.kind) {
    case 'passed':
      return;
    case 'failed':
      throw new ApiError('turnstile_failed');
    case 'unavailable': {
      const { reason } = outcome;
      logFault('turnstile_unavailable', { request_id: c.var.requestId, reason });
      throw overloaded(5);
    }
  }
}

interface ClaimedChallenge {
  readonly id: string;
  readonly email: string;
  readonly digits: number;
}

/**
 * Creates the code of a challenge, stores its HMAC in KV, and mails the code.
 * @returns the HMAC
 * @throws ApiError `email_undeliverable`, after which the cool-down stays; `email_not_sent`, after which the request
 *   does not count, as it does not if KV fails
 */
async function sendCode(
  c: Context<AppEnv>,
  { id, email, digits }: ClaimedChallenge,
): Promise<string> {
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
      logFault('email_not_sent', { request_id: requestId, reason: delivery.reason });
      throw new ApiError('email_not_sent');
  }
}

/**
 * How long a response waits for follow-up work, in milliseconds: long enough for two retries, even on a busy machine.
 */
const followUpTimeout = 4000;

/**
 * Does work that should be complete when the response arrives, and retries it during a database outage. After a
 * timeout, the response is sent first and the work continues.
 * @throws what the work throws before the timeout
 */
export async function followUp(c: Context<AppEnv>, work: () => Promise<void>): Promise<void> {
  const done = retryOutages(work);
  const isDone = await Promise.race([
    done.then(() => true),
    scheduler.wait(followUpTimeout).then(() => false),
  ]);
  if (isDone) return;
  const remaining = done.catch((error: unknown) => {
    logFault('not_followed_up', { request_id: c.var.requestId, error: stackOf(error) });
  });
  c.executionCtx.waitUntil(remaining);
}
