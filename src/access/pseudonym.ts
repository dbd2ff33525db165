import { encodeBase64 } from 'hono/utils/encode';
import { type HmacSecret, hmac } from './hmac.ts';

/**
 * What an address or a network is counted under where nobody needs to read it
 * again: the same every time, and telling nothing without the secret.
 */
export async function pseudonym(
  kind: 'address' | 'network',
  value: string,
  secret: HmacSecret,
): Promise<string> {
  return encodeBase64(await hmac(secret, `${kind}:${value}`));
}

/** Both that a sign-in is counted by. */
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
