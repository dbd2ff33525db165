import { z } from 'zod';

/** RFC 5321 §4.5.3.1: 64 before the `@`, 254 in all. */
const longestLocalPart = 64;
const longestAddress = 254;

/**
 * The address that an account goes by, or null when `text` is not an e-mail
 * address. `Alice+shop@GMail.com` and ` alice@gmail.com` are the same person:
 * everything from the first `+` of the local part on is dropped, letters are
 * lower case, and an international domain takes its ASCII form.
 */
export function normalizeEmailAddress(text: string): string | null {
  const [local, domain, ...more] = text.trim().split('@');
  if (local === undefined || domain === undefined || more.length > 0) return null;
  const name = local.replace(/\+.*$/s, '').toLowerCase();
  const host = asciiDomain(domain);
  if (host === null || name.length > longestLocalPart) return null;
  const address = `${name}@${host}`;
  if (address.length > longestAddress || !z.email().safeParse(address).success) return null;
  return address;
}

/** The domain as the DNS has it (UTS #46, which the URL parser applies), or null. */
export function asciiDomain(domain: string): string | null {
  if (!/^[^\s/?#:@\\[\]%]+$/.test(domain)) return null;
  return URL.parse(`http://${domain}`)?.hostname ?? null;
}
