import { timingSafeEqual } from 'node:crypto';
import { encodeBase64 } from 'hono/utils/encode';
import { toBase62 } from './base62.ts';
import type { Secret } from './secrets.ts';

/** SHA-256 of bytes, or of the UTF-8 encoding of a string, in hexadecimal. */
export async function sha256(data: string | Uint8Array<ArrayBuffer>): Promise<string> {
  const bytes = typeof data === 'string' ? new TextEncoder().encode(data) : data;
  const digest = await crypto.subtle.digest('SHA-256', bytes);
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

export async function hmac(secret: Secret, text: string): Promise<ArrayBuffer> {
  return crypto.subtle.sign('HMAC', await hmacKey(secret), new TextEncoder().encode(text));
}

/** HMAC-SHA-256, truncated to 96 bits (RFC 2104 §5), as `digits` base62 digits. */
export async function hmacDigits(secret: Secret, text: string, digits: number): Promise<string> {
  const view = new DataView(await hmac(secret, text));
  return toBase62((view.getBigUint64(0) << 32n) | BigInt(view.getUint32(8)), digits);
}

/** Compares strings of the same length in constant time. */
export function isSameText(one: string, other: string): boolean {
  const encoder = new TextEncoder();
  return one.length === other.length && timingSafeEqual(encoder.encode(one), encoder.encode(other));
}

/** Whether `signature` is the HMAC of a text, in constant time. */
export async function isHmac(
  secret: Secret,
  text: string,
  signature: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  const key = await hmacKey(secret);
  return crypto.subtle.verify('HMAC', key, signature, new TextEncoder().encode(text));
}

/** Cache of imported secrets: every request needs some. */
const hmacKeys = new WeakMap<Secret, CryptoKey>();

async function hmacKey(secret: Secret): Promise<CryptoKey> {
  const known = hmacKeys.get(secret);
  if (known) return known;
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', secret, algorithm, false, ['sign', 'verify']);
  hmacKeys.set(secret, key);
  return key;
}

/**
 * The pseudonym of an address, mailbox, network, site, device or file, for counting where the original value is never
 * needed: deterministic, and meaningless without the secret.
 */
export async function pseudonym(
  kind: 'address' | 'mailbox' | 'network' | 'site' | 'device' | 'file',
  value: string,
  secret: Secret,
): Promise<string> {
  return encodeBase64(await hmac(secret, `${kind}:${value}`));
}
