import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { type Device, deviceAddress, deviceOf } from '../../access/device.ts';
import { normalizeEmailAddress } from '../../access/email-address.ts';
import { pseudonym } from '../../access/hashing.ts';
import { clientNetwork, pseudonymous } from '../../access/network.ts';
import { ApiError } from '../../errors.ts';
import { codePolicy } from '../../policy/limits.ts';
import type { RateLimitName } from '../../settings.ts';
import type { Visitor } from '../../store/sign-in.ts';
import type { AppEnv } from '../http/context.ts';
import { limitNetwork } from '../http/rate-limit.ts';

export const emailField = z.string().openapi({
  description: 'Case is ignored, and so is a `+` with anything between it and the `@`.',
  example: 'you@gmail.com',
});

/**
 * The normalized address that identifies an account.
 * @throws ApiError `invalid_email`
 */
export function requireEmailAddress(text: string): string {
  const address = normalizeEmailAddress(text);
  if (address !== null) return address;
  throw new ApiError('invalid_email');
}

/** The cookies of the two sign-in calls, for the OpenAPI document. */
export const signInCookies = z.object({
  challenge: z.string().optional().openapi({
    description:
      'Set by `requestCode`; browsers send it automatically. It identifies the code requested in this browser, which then has its own number of tries. A new request replaces it.',
  }),
  device: z
    .string()
    .optional()
    .openapi({
      description: `Set by \`verifyCode\`; browsers send it automatically. For the address that signed in, this browser then has its own limits: ${codePolicy.requests.perDevice.events} codes an hour, always with ${codePolicy.digits.usual} digits.`,
    }),
});

/** The client that requests or enters a code, and the values from which a sign-in sets the device cookie. */
interface Identified {
  readonly visitor: Visitor;
  /** The known device that sent the request; null for an unknown one. */
  readonly device: Device | null;
  /** The pseudonym of the address in the cookie. */
  readonly deviceAddress: string;
}

/**
 * Identifies the client that requests or enters a code. A device that belongs to another address counts as unknown
 * here, and so is limited by network: the rate limit before the body has counted it as a known device.
 * @throws ApiError `too_many_requests`
 */
export async function identify(
  c: Context<AppEnv>,
  email: string,
  rateLimit: RateLimitName,
  now: number,
): Promise<Identified> {
  const { codeSecret, tokenSecrets } = c.var.config;
  const client = clientNetwork(c.req);
  const presented = await deviceOf(c, tokenSecrets, now);
  const ownAddress = await deviceAddress(email, codeSecret);
  const device = presented?.address === ownAddress ? presented : null;
  if (presented !== null && device === null) await limitNetwork(c.env[rateLimit], client);
  const [addressName, networkNames, deviceName] = await Promise.all([
    pseudonym('address', email, codeSecret),
    pseudonymous(client, codeSecret),
    device === null ? '' : pseudonym('device', device.id, codeSecret),
  ]);
  const visitor = {
    email,
    address: addressName,
    ...networkNames,
    device: device && { id: deviceName, epoch: device.epoch },
  };
  return { visitor, device, deviceAddress: ownAddress };
}
