import type { Context } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { fromBase62, hmacDigits, toBase62 } from './hashing.ts';
import type { Secret, SecretVersions } from './secrets.ts';
import { cookieAttributes } from './session.ts';
import { issueToken, readToken, type TokenKind } from './token.ts';

/** How long a browser is recognized after a sign-in, in seconds: 180 days. */
export const deviceLife = 180 * 24 * 60 * 60;

const addressDigits = 17;
const timeDigits = 6;
const epochDigits = 8;

/** Device tokens. Payload: pseudonym of the address, issue time in seconds, and the user's epoch. */
const kind: TokenKind = {
  prefix: 'dev_',
  payloadLength: addressDigits + timeDigits + epochDigits,
};

/** Attributes of the cookie. Only the two sign-in calls need it. */
const device = { ...cookieAttributes, path: '/v1/auth', maxAge: deviceLife };

/** A browser in which someone has signed in before, according to its cookie. */
export interface Device {
  readonly id: string;
  /** The `deviceAddress` of the only address for which the device has its own limits. */
  readonly address: string;
  /**
   * The user's epoch when the cookie was set. Signing out everywhere raises the epoch, and a new account for the
   * address starts with a later one: both invalidate all earlier devices.
   */
  readonly epoch: number;
}

/** The pseudonym of an address in the device cookie. */
export function deviceAddress(email: string, codeSecret: Secret): Promise<string> {
  return hmacDigits(codeSecret, `device-address:${email}`, addressDigits);
}

/** The device that sent a request; null if there is none, or it has expired. */
export async function deviceOf(
  c: Context,
  secrets: SecretVersions,
  now: number,
): Promise<Device | null> {
  const cookie = getCookie(c, 'device');
  const issued = cookie === undefined ? null : await readToken(kind, cookie, secrets);
  if (issued === null) return null;
  const { random: id, payload } = issued;
  const since = fromBase62(payload.slice(addressDigits, -epochDigits));
  if (now / 1000 > since + deviceLife) return null;
  const epoch = fromBase62(payload.slice(-epochDigits));
  return { id, address: payload.slice(0, addressDigits), epoch };
}

/**
 * Marks a browser in which someone has signed in.
 * @param id id of the existing device; null to create a new one
 */
export async function setDeviceCookie(
  c: Context,
  { id, address, epoch }: Omit<Device, 'id'> & { readonly id: string | null },
  secrets: SecretVersions,
  now: number,
): Promise<void> {
  const since = toBase62(BigInt(Math.floor(now / 1000)), timeDigits);
  const payload = address + since + toBase62(BigInt(epoch), epochDigits);
  const value = await issueToken(kind, payload, secrets, id ?? undefined);
  setCookie(c, 'device', value, device);
}

export function clearDeviceCookie(c: Context): void {
  deleteCookie(c, 'device', device);
}
