import { asciiDomain } from './email-address.ts';

/**
 * The email domains that may sign in, in their ASCII form and the order of the setting; `*` for all. An entry that
 * begins with `*.` is a pattern: `*.edu` stands for all domains below `edu`, such as `mit.edu` and `cs.mit.edu`;
 * `*.example.org` for those below `example.org`, but not for `example.org`.
 */
export type AllowedDomains = ReadonlySet<string> | '*';

const patternStart = '*.';

/** Parses a comma-separated list; null if an entry is neither a domain nor a pattern, or the list is empty. */
export function parseAllowedDomains(text: string): AllowedDomains | null {
  if (text.trim() === '*') return '*';
  const domains = new Set<string>();
  for (const entry of text.split(',')) {
    const domain = asciiEntry(entry.trim());
    if (domain === null) return null;
    domains.add(domain);
  }
  return domains;
}

/** An entry in ASCII form; null if it is neither a domain nor a pattern. */
function asciiEntry(entry: string): string | null {
  if (!entry.startsWith(patternStart)) return asciiDomain(entry);
  // What follows may be one label, which is no domain for mail: a domain below it is, and is checked as all are.
  const below = asciiDomain(`x.${entry.slice(patternStart.length)}`);
  return below?.replace(/^x\./, patternStart) ?? null;
}

/** Whether a domain may sign in. It is one of a normalized address: in lower case, ASCII, without a trailing dot. */
export function isAllowedDomain(domain: string, allowed: AllowedDomains): boolean {
  if (allowed === '*' || allowed.has(domain)) return true;
  const labels = domain.split('.');
  return labels.some((_, i) => i > 0 && allowed.has(patternStart + labels.slice(i).join('.')));
}

/** How many domains are named if there are too many for one sentence: the first ones of the setting. */
const maxNamed = 6;

/** Whether sentences name all of these. */
export function namesAll(allowed: ReadonlySet<string>): boolean {
  return allowed.size <= maxNamed + 1;
}

/** What stands after "addresses at": all domains, or the first ones and the number of the others. */
function domainsText(allowed: ReadonlySet<string>): string {
  const names = [...allowed].map((entry) =>
    entry.startsWith(patternStart) ? `any ${entry.slice(1)} domain` : entry,
  );
  const named = namesAll(allowed)
    ? names
    : [...names.slice(0, maxNamed), `${names.length - maxNamed} more`];
  return new Intl.ListFormat('en-GB').format(named);
}

/** A sentence that says, before anything is typed, whose addresses may sign in. */
export function whoMaySignIn(allowed: AllowedDomains): string {
  return allowed === '*'
    ? 'Addresses at all domains may sign in.'
    : `Addresses at ${domainsText(allowed)} may sign in.`;
}

/**
 * What is said to those whose address is at another domain.
 * @param domain the other domain, in its ASCII form
 * @param contact how to reach the operator: a URL, also with `mailto:`; empty: not said
 */
export function domainRefusal(
  domain: string,
  allowed: ReadonlySet<string>,
  contact: string,
): string {
  const whom = contact === '' ? '.' : `: ${contact.replace(/^mailto:/, '')}`;
  return `Addresses at ${domain} cannot sign in here. This service accepts addresses at ${domainsText(allowed)}. Its operator can add yours${whom}`;
}
