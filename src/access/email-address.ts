/** RFC 5321 §4.5.3.1: 64 characters before the `@`, 254 in total. */
const maxLocalPartLength = 64;
const maxAddressLength = 254;

/** The dot-atom of RFC 5322 §3.2.3. Quoted local parts are also legal, but not used in practice. */
const dotAtom = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;

/** At least two labels of RFC 1035 §2.3.4; the last one is not a number, as it would be in an IP address. */
const hostName =
  /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?!\d+$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])$/;

/**
 * The normalized address that identifies an account; null if `text` is not an email address. `Alice+shop@GMail.com`
 * and ` alice@gmail.com` are the same person: everything from the first `+` of the local part is dropped, letters
 * become lower case, and an international domain takes its ASCII form.
 */
export function normalizeEmailAddress(text: string): string | null {
  const [local, domain, ...more] = text.trim().split('@');
  if (local === undefined || domain === undefined || more.length > 0) return null;
  const name = local.replace(/\+.*$/s, '').toLowerCase();
  if (name.length > maxLocalPartLength || !dotAtom.test(name)) return null;
  const host = asciiDomain(domain);
  if (host === null) return null;
  const address = `${name}@${host}`;
  return address.length > maxAddressLength ? null : address;
}

/** The domain in the form that the DNS uses (UTS #46, applied by the URL parser); null if it is invalid. */
export function asciiDomain(domain: string): string | null {
  if (!/^[^\s/?#:@\\[\]%]+$/.test(domain)) return null;
  const host = URL.parse(`http://${domain}`)?.hostname ?? '';
  return hostName.test(host) ? host : null;
}

/** Whether an address is in a domain reserved for documentation (RFC 2606 §3). */
export function isPlaceholder(address: string): boolean {
  return /@example\.(com|net|org)$/.test(address);
}
