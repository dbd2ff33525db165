import { encodeBase64Url } from 'hono/utils/encode';

/** Creates a secret for the signatures of a site: 32 random bytes in base64url, 43 characters. */
export function makeSiteSecret(): string {
  // Without the padding.
  return encodeBase64Url(crypto.getRandomValues(new Uint8Array(32)).buffer).slice(0, 43);
}
