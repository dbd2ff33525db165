import { encodeBase64Url } from 'hono/utils/encode';
import { hmac, isSameText } from '../../access/hashing.ts';
import type { Secret } from '../../access/secrets.ts';
import { normalized, signatureLength } from './url-spelling.ts';

/**
 * The signature of a URL: the beginning of base64url(HMAC-SHA-256(secret, what is signed)).
 * @param signed the path after the signature and its `/`, and the query, as `new URL()` writes them
 */
export async function signatureOf(secret: Secret, signed: string): Promise<string> {
  return encodeBase64Url(await hmac(secret, normalized(signed))).slice(0, signatureLength);
}

/** Whether one of the secrets has signed a URL; takes equally long for all wrong signatures. */
export async function isSigned(
  signature: string,
  signed: string,
  secrets: readonly Secret[],
): Promise<boolean> {
  const expected = await Promise.all(secrets.map((secret) => signatureOf(secret, signed)));
  return expected.map((one) => isSameText(one, signature)).includes(true);
}
