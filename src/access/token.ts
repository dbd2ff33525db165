import { encodeBase64Url } from 'hono/utils/encode';
import { sha256 } from './sha256.ts';

/** A random token for a cookie: 256 bits in base64url. */
export function makeToken(): string {
  return encodeBase64Url(crypto.getRandomValues(new Uint8Array(32)).buffer).replaceAll('=', '');
}

const shape = /^[0-9A-Za-z_-]{43}$/;

/** What a cookie's value is kept under, or null when we never made such a value. */
export async function tokenHash(token: string | undefined): Promise<string | null> {
  return token !== undefined && shape.test(token) ? sha256(token) : null;
}
