import { encodeBase64Url } from 'hono/utils/encode';
import { hmac, isSameText } from '../../access/hashing.ts';
import type { Secret } from '../../access/secrets.ts';

/** The number of characters of a signature: 144 bits (RFC 2104 §5 asks for at least half of the hash). */
const signatureLength = 24;

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

/**
 * Percent-encoding that has the same meaning gets the same form: hexadecimal digits in upper case, and no unreserved
 * character encoded (RFC 3986 §6.2.2.1 and §6.2.2.2).
 */
function normalized(text: string): string {
  // Of a percent sign that encodes nothing, what follows it could make an escape that was not signed.
  if (/%(?![0-9a-f]{2})/i.test(text)) return text;
  return text.replace(/%([0-9a-f]{2})/gi, (encoded, digits: string) => {
    const character = String.fromCharCode(Number.parseInt(digits, 16));
    return /[\w.~-]/.test(character) ? character : encoded.toUpperCase();
  });
}
