import { encodeBase64 } from 'hono/utils/encode';

/** SHA-256 of a text's UTF-8, in hexadecimal. */
export async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** A server secret, for HMAC-SHA-256. */
export type HmacSecret = Uint8Array<ArrayBuffer>;

export async function hmac(secret: HmacSecret, text: string): Promise<ArrayBuffer> {
  return crypto.subtle.sign('HMAC', await hmacKey(secret, 'sign'), new TextEncoder().encode(text));
}

/** Whether `signature` is the HMAC of a text; in constant time. */
export async function isHmac(
  secret: HmacSecret,
  text: string,
  signature: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  const key = await hmacKey(secret, 'verify');
  return crypto.subtle.verify('HMAC', key, signature, new TextEncoder().encode(text));
}

function hmacKey(secret: HmacSecret, usage: 'sign' | 'verify') {
  return crypto.subtle.importKey('raw', secret, { name: 'HMAC', hash: 'SHA-256' }, false, [usage]);
}

/**
 * The pseudonym of an address or a network, for counting where nobody needs to
 * read the value again: deterministic, and meaningless without the secret.
 */
export async function pseudonym(
  kind: 'address' | 'network',
  value: string,
  secret: HmacSecret,
): Promise<string> {
  return encodeBase64(await hmac(secret, `${kind}:${value}`));
}

/** The two pseudonyms that sign-ins are counted by. */
export async function pseudonyms(
  { email, sender }: { readonly email: string; readonly sender: string },
  secret: HmacSecret,
): Promise<{ readonly address: string; readonly network: string }> {
  const [address, network] = await Promise.all([
    pseudonym('address', email, secret),
    pseudonym('network', sender, secret),
  ]);
  return { address, network };
}
