import { timingSafeEqual } from 'node:crypto';
import { encodeBase64 } from 'hono/utils/encode';
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

/** Digits, capital and small letters: a double click selects such a text as a whole. */
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** `length` random base62 characters, with 5.95 bits each. */
export function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of crypto.getRandomValues(new Uint8Array(length))) {
      // 248 = 4 × 62: the values above would favor the first characters.
      if (byte < 248 && text.length < length) text += alphabet.charAt(byte % 62);
    }
  }
  return text;
}

/** A number in base62, most significant digit first, padded with zeros to `digits` digits. */
export function toBase62(value: bigint, digits: number): string {
  let text = '';
  for (let rest = value; text.length < digits; rest /= 62n) {
    text = alphabet.charAt(Number(rest % 62n)) + text;
  }
  return text;
}

/** The value of base62 digits; the text must not contain anything else. */
export function fromBase62(text: string): number {
  return [...text].reduce((value, digit) => 62 * value + alphabet.indexOf(digit), 0);
}
