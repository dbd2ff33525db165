import { type AllowedDomains, isAllowedDomain } from '../../../access/allowed-domains.ts';

/** Large email providers, most common first. */
const providers = [
  'gmail.com',
  'outlook.com',
  'hotmail.com',
  'yahoo.com',
  'icloud.com',
  'proton.me',
  'aol.com',
  'live.com',
  'protonmail.com',
  'googlemail.com',
  'fastmail.com',
  'zoho.com',
  'gmx.de',
  'gmx.net',
  'web.de',
  'mail.com',
  'me.com',
  'ymail.com',
  'gmx.com',
  'yandex.com',
] as const;

/**
 * Maximum edit distance between a domain and a suggested provider. Short names allow only one edit, because two would
 * be half of the name.
 */
const maxEdits = { usual: 2, short: 1 } as const;
const shortNameLength = 8;

/**
 * A corrected address, if the domain looks like a misspelled provider; otherwise null.
 * @param isComplete whether typing has ended; until then, a prefix of a name is not a mistake
 */
export function suggestedAddress(
  email: string,
  allowed: AllowedDomains,
  isComplete: boolean,
): string | null {
  const text = email.trim();
  const at = text.lastIndexOf('@');
  const domain = text.slice(at + 1).toLowerCase();
  if (at < 1 || domain === '' || mayBeKnown(domain, allowed, isComplete)) return null;
  let best: { name: string; edits: number } | null = null;
  for (const name of providers) {
    if (!isAllowedDomain(name, allowed)) continue;
    const edits = editDistance(domain, name);
    const allowedEdits = name.length < shortNameLength ? maxEdits.short : maxEdits.usual;
    if (edits <= allowedEdits && (best === null || edits < best.edits)) best = { name, edits };
  }
  return best && text.slice(0, at + 1) + best.name;
}

/** Whether a domain is known, or may become a known one with more letters. */
function mayBeKnown(domain: string, allowed: AllowedDomains, isComplete: boolean): boolean {
  if (allowed !== '*' && isAllowedDomain(domain, allowed)) return true;
  const known = [...providers, ...(allowed === '*' ? [] : allowed)];
  return known.some((name) => (isComplete ? name === domain : name.startsWith(domain)));
}

/**
 * The number of insertions, deletions, substitutions, and swaps of adjacent letters that turn one text into the other
 * (Damerau–Levenshtein distance with each position edited at most once: "optimal string alignment").
 */
export function editDistance(one: string, other: string): number {
  let beforeLast: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: other.length + 1 }, (_, i) => i);
  for (let i = 1; i <= one.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const isSame = one[i - 1] === other[j - 1];
      const isSwapped = one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      const edits = [
        (last[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (last[j - 1] ?? 0) + (isSame ? 0 : 1),
      ];
      if (isSwapped) edits.push((beforeLast[j - 2] ?? 0) + 1);
      row.push(Math.min(...edits));
    }
    beforeLast = last;
    last = row;
  }
  return last[other.length] ?? 0;
}
