import { decodeBase64, encodeBase64 } from 'hono/utils/encode';
import { hmac, isHmac } from './hashing.ts';
import type { Secret } from './secrets.ts';

/** How long a code can be used, in seconds. */
export const codeLife = 600;

/** Creates a random code of `digits` decimal digits. */
export function makeSignInCode(digits: number): string {
  let code = '';
  while (code.length < digits) {
    for (const byte of crypto.getRandomValues(new Uint8Array(digits))) {
      // 250 = 25 × 10: the values above would favor the first digits.
      if (byte < 250 && code.length < digits) code += byte % 10;
    }
  }
  return code;
}

/**
 * Normalizes a code as typed or pasted by a user: drops spaces and hyphens of all kinds, and accepts full-width digits.
 * Null if anything else is left.
 */
export function readSignInCode(text: string): string | null {
  const code = text.normalize('NFKC').replace(/[\s\p{Dash_Punctuation}]/gu, '');
  return /^[0-9]{1,20}$/.test(code) ? code : null;
}

/** The stored form of a code: HMAC-SHA-256 in base64, bound to its challenge. */
export async function sealSignInCode(
  code: string,
  challengeId: string,
  secret: Secret,
): Promise<string> {
  return encodeBase64(await hmac(secret, `code:${challengeId}:${code}`));
}

/** Whether `sealed` was created from this code, in constant time. Null never matches, and takes equally long. */
export function isSignInCode(
  code: string,
  challengeId: string,
  sealed: string | null,
  secret: Secret,
): Promise<boolean> {
  const signature = sealed === null ? new Uint8Array(32) : decodeBase64(sealed);
  return isHmac(secret, `code:${challengeId}:${code}`, signature);
}
