/** Large email providers, the most common first. */
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

/** Email domains that may sign in; `*`: all. */
export type AllowedDomains = readonly string[] | '*';

/** Edits between a domain and the provider that is taken for meant. In short names, two edits are half of the name. */
const maxEdits = { usual: 2, short: 1 } as const;
const shortName = 8;

/**
 * The address that was probably meant, if the domain looks like a misspelt provider.
 * @param isComplete whether typing has ended: until then, the start of a name is no mistake
 */
export function suggestedAddress(
  email: string,
  allowed: AllowedDomains,
  isComplete: boolean,
): string | null {
  const text = email.trim();
  const at = text.lastIndexOf('@');
  const domain = text.slice(at + 1).toLowerCase();
  if (at < 1 || domain === '' || mayBeMeant(domain, allowed, isComplete)) return null;
  let best: { name: string; edits: number } | null = null;
  for (const name of providers) {
    if (!isAllowed(name, allowed)) continue;
    const edits = editDistance(domain, name);
    const most = name.length < shortName ? maxEdits.short : maxEdits.usual;
    if (edits <= most && (best === null || edits < best.edits)) best = { name, edits };
  }
  return best && text.slice(0, at + 1) + best.name;
}

/** Whether a domain is one that is known, or may become one with more letters. */
function mayBeMeant(domain: string, allowed: AllowedDomains, isComplete: boolean): boolean {
  const known = [...providers, ...(allowed === '*' ? [] : allowed)];
  return known.some((name) => (isComplete ? name === domain : name.startsWith(domain)));
}

function isAllowed(domain: string, allowed: AllowedDomains): boolean {
  return allowed === '*' || allowed.includes(domain);
}

/**
 * Insertions, deletions, substitutions, and swaps of neighbours that make one text of the other
 * (Damerau–Levenshtein distance with each place edited once: "optimal string alignment").
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

/** How many domains are named where there are more than fit into a sentence. */
const named = 4;

/** Whose addresses may sign in: a sentence, and all domains where that leaves some out. */
export function whoMaySignIn(allowed: AllowedDomains): {
  readonly text: string;
  readonly domains: readonly string[];
} {
  if (allowed === '*') return { text: 'Any email address works.', domains: [] };
  const large = providers.filter((name) => allowed.includes(name));
  const domains = [...new Set([...large, ...allowed])];
  if (domains.length <= named + 1) {
    const list = new Intl.ListFormat('en', { type: 'disjunction' }).format(domains);
    return { text: `Use an address at ${list}.`, domains: [] };
  }
  const first = domains.slice(0, named).join(', ');
  return {
    text: `Works with ${first} and ${domains.length - named} other providers.`,
    domains: domains.toSorted(),
  };
}
