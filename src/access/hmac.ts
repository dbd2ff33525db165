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
