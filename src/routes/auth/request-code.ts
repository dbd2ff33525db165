import { createRoute, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { isAllowedDomain } from '../../access/allowed-domains.ts';
import { challengeCookie, setChallengeCookie } from '../../access/cookies.ts';
import { networkOf } from '../../access/network.ts';
import { pseudonyms } from '../../access/pseudonym.ts';
import { sha256 } from '../../access/sha256.ts';
import { codeLife, makeSignInCode, sealSignInCode } from '../../access/sign-in-code.ts';
import { makeToken, tokenHash } from '../../access/token.ts';
import { type AppEnv, linkOrigin } from '../../context.ts';
import { ApiError } from '../../errors.ts';
import { bindingMailer, type Delivery } from '../../mail/mailer.ts';
import { signInMessage } from '../../mail/sign-in-message.ts';
import { codePolicy } from '../../policy/throttle.ts';
import { claimChallenge, openChallenge, withdrawChallenge } from '../../store/challenges.ts';
import { putSignInCode } from '../../store/sign-in-codes.ts';
import { jsonBody } from '../bodies/json-body.ts';
import { jsonProblems, jsonRequest, jsonResponse, setsCookie, success } from '../contracts/json.ts';
import { problemResponses } from '../contracts/problem-responses.ts';
import { createRouter } from '../contracts/router.ts';
import { count } from '../contracts/values.ts';
import { brake, tooManyRequests } from '../gates/brake.ts';
import { challengeField } from './challenge-field.ts';
import { emailField, requireEmailAddress } from './email-field.ts';
import { followUp } from './follow-up.ts';

/** What is answered for every address that mail can be sent to. */
export const codeRequested = success.extend({
  expires_in: count.openapi({ description: 'Seconds that the code can be used.', example: 600 }),
  retry_after: count.openapi({ description: 'Seconds until another can be sent.', example: 60 }),
});

const contract = createRoute({
  method: 'post',
  path: '/v1/auth/request-code',
  operationId: 'requestCode',
  tags: ['Sign-in'],
  summary: 'Send a one-time code to an e-mail address',
  description:
    'The code can be used for 10 minutes. For one address: one code in 60 seconds, 5 in an hour from one place, 20 in an hour. The answer also sets the cookie `challenge`: sent back with the code, it keeps strangers from using up your tries.',
  security: [],
  middleware: [jsonBody] as const,
  request: { body: jsonRequest(z.object({ email: emailField })), cookies: challengeField },
  responses: {
    200: jsonResponse(
      'The mail is on its way, whether or not there is an account.',
      codeRequested,
      setsCookie('`challenge`: HttpOnly, Secure, for the path `/v1/auth` and 10 minutes.'),
    ),
    ...problemResponses(
      ...jsonProblems,
      'invalid_email',
      'email_domain_not_allowed',
      'email_undeliverable',
      'too_many_requests',
      'email_not_sent',
    ),
  },
});

export const requestCode = createRouter().openapi(contract, async (c) => {
  const sender = networkOf(c.req);
  await brake(c.env.REQUEST_CODE_BRAKE, sender);
  const email = requireEmailAddress(c.req.valid('json').email);
  if (!isAllowedDomain(email, c.var.config.allowedEmailDomains)) {
    throw new ApiError(
      'email_domain_not_allowed',
      'Addresses of this domain cannot sign in here: use another one.',
    );
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
 * Makes the code of a challenge, keeps its HMAC, and mails it.
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
      throw new ApiError(
        'email_undeliverable',
        'Mail to this address is refused for good: use another one.',
      );
    case 'failed':
      console.error({ request_id: requestId, event: 'email_not_sent', reason: delivery.reason });
      throw new ApiError('email_not_sent', 'The mail could not be sent: ask again.');
  }
}
