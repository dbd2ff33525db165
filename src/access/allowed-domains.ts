import { asciiDomain } from './email-address.ts';

/** The e-mail domains that may sign in, in their ASCII form; `*` for all. */
export type AllowedDomains = ReadonlySet<string> | '*';

/** Reads a list separated by commas; null when an entry is not a domain, or there is none. */
export function parseAllowedDomains(text: string): AllowedDomains | null {
  if (text.trim() === '*') return '*';
  const domains = new Set<string>();
  for (const entry of text.split(',')) {
    const domain = asciiDomain(entry.trim());
    if (domain === null) return null;
    domains.add(domain);
  }
  return domains;
}

/** Whether a normalized address is of a domain that may sign in. */
export function isAllowedDomain(address: string, allowed: AllowedDomains): boolean {
  return allowed === '*' || allowed.has(address.slice(address.indexOf('@') + 1));
}
