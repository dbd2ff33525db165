import { encodeBase64Url } from 'hono/utils/encode';
import { sha256 } from './sha256.ts';

/** How long a session lasts, in seconds: 30 days. */
export const sessionLife = 30 * 24 * 60 * 60;

/** A session that has been checked. */
export interface Session {
  /** What it is kept under: SHA-256 of the cookie's value. */
  readonly hash: string;
  readonly userId: string;
  /** Normalized address of the user. */
  readonly email: string;
}

/** A random token for a cookie: 256 bits in base64url. */
export function makeToken(): string {
  return encodeBase64Url(crypto.getRandomValues(new Uint8Array(32)).buffer).replaceAll('=', '');
}

const shape = /^[0-9A-Za-z_-]{43}$/;

/** What a cookie's value is kept under, or null when we never made such a value. */
export async function tokenHash(token: string | undefined): Promise<string | null> {
  return token !== undefined && shape.test(token) ? sha256(token) : null;
}
