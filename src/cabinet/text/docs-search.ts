import { compoundsOf, isMistyped, squeezed, stemOf, tellingWords, wordsOf } from './docs-words.ts';

/** What search finds: a section of a page, an operation of the API, or something that has a name of its own. */
export interface SearchEntry {
  readonly path: string;
  /** Title of the page. */
  readonly page: string;
  readonly heading: string;
  /** Plain text of the section. */
  readonly text: string;
  /** Words that people look for it by and that it does not contain. */
  readonly keywords?: string;
  /** The heading is a name in code: an option, an error, a header, a member. */
  readonly isName?: boolean;
}

/** A piece of text, and whether it is what was looked for. */
export interface TextPart {
  readonly text: string;
  readonly isMatch: boolean;
}

export interface SearchHit {
  readonly entry: SearchEntry;
  readonly heading: readonly TextPart[];
  /** The words around the first match in the text. */
  readonly excerpt: readonly TextPart[];
}

/** Characters of an excerpt, and how many of them stand before the match. */
const excerptLength = 140;
const excerptBefore = 40;

/** Words of a section. */
const usualLength = 80;

/** What a word is worth by where it stands. */
const weights = { heading: 10, keywords: 8, page: 3, text: 3 } as const;
type Field = keyof typeof weights;
const fields = Object.keys(weights) as Field[];

/** What the whole query is worth as a name: a heading, or a code, which no text comes before. */
const worthOfName = { exact: 1000, named: 500, mistyped: 200, beginning: 20, code: 1000 } as const;

/** Below this share of what the query says, an entry is about something else. */
const leastCoverage = 0.5;
/** And what is worth less than this share of the best is noise. */
const leastShare = 0.06;

/**
 * The entries that a query is about, the best first. An exact name comes before everything else;
 * after it, what has all words before what has some, and rare words count for more than frequent ones.
 */
export function searchDocs(
  entries: readonly SearchEntry[],
  query: string,
  limit = 8,
): readonly SearchHit[] {
  const { prepared, vocabulary } = indexOf(entries);
  const words = tellingWords(query).map((word) => meaningOf(word, prepared, vocabulary));
  if (words.length === 0) return [];
  const forms = new Set(words.flatMap(({ forms: accepted }) => [...accepted.keys()]));
  const scored = prepared.map((one) => {
    const [nameWorth, wordWorth] = scoresOf(one, words, query);
    return { entry: one.entry, nameWorth, wordWorth, score: nameWorth + wordWorth };
  });
  const least = Math.max(...scored.map(({ wordWorth }) => wordWorth)) * leastShare;
  return scored
    .filter(({ nameWorth, wordWorth }) => nameWorth > 0 || (wordWorth > 0 && wordWorth >= least))
    .sort((one, other) => other.score - one.score)
    .slice(0, limit)
    .map(({ entry }) => ({
      entry,
      heading: partsOf(entry.heading, forms),
      excerpt: partsOf(excerptOf(entry.text, forms), forms),
    }));
}

/** An entry with the words of its fields counted. */
interface Prepared {
  readonly entry: SearchEntry;
  readonly name: string;
  readonly headingLength: number;
  /** Of the text, in words; a short one counts as half a usual one. */
  readonly length: number;
  readonly counts: Readonly<Record<Field, ReadonlyMap<string, number>>>;
}

interface Index {
  readonly prepared: readonly Prepared[];
  readonly vocabulary: ReadonlySet<string>;
}

const indexes = new WeakMap<readonly SearchEntry[], Index>();

/** Made once for a list of entries: every key that is pressed asks for it. */
function indexOf(entries: readonly SearchEntry[]): Index {
  const known = indexes.get(entries);
  if (known) return known;
  const prepared = entries.map((entry) => ({
    entry,
    name: squeezed(entry.heading),
    length: Math.max(usualLength / 2, wordsOf(entry.text).length),
    headingLength: Math.max(1, tellingWords(entry.heading).length),
    counts: {
      heading: countsOf(entry.heading),
      keywords: countsOf(entry.keywords ?? ''),
      page: countsOf(entry.page),
      text: countsOf(entry.text),
    },
  }));
  const words = prepared.flatMap(({ counts }) =>
    fields.flatMap((name) => [...counts[name].keys()]),
  );
  const index = { prepared, vocabulary: new Set(words) };
  indexes.set(entries, index);
  return index;
}

function countsOf(text: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const word of [...wordsOf(text), ...compoundsOf(text)]) {
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return counts;
}

/** A word of the query with the words that it stands for, each with how surely it does. */
interface Meaning {
  readonly forms: ReadonlyMap<string, number>;
  /** How much it tells: more where fewer entries have it. */
  readonly weight: number;
}

function meaningOf(
  word: string,
  prepared: readonly Prepared[],
  vocabulary: ReadonlySet<string>,
): Meaning {
  const stem = stemOf(word);
  const forms = new Map<string, number>();
  for (const known of vocabulary) {
    if (known === word) forms.set(known, 1);
    else if (stemOf(known) === stem) forms.set(known, 0.9);
    else if (word.length > 1 && known.startsWith(word)) forms.set(known, 0.7);
  }
  if (forms.size === 0) {
    for (const known of vocabulary) if (isMistyped(word, known)) forms.set(known, 0.5);
  }
  const holders = prepared.filter(({ counts }) =>
    fields.some((name) => bestIn(counts[name], forms) > 0),
  );
  // what nobody has tells nothing, and must not hide what the other words say
  const share = forms.size === 0 ? 1 : holders.length / prepared.length;
  return { forms, weight: Math.log(1 + 1 / share) };
}

/** How surely one of these forms is among the words of a field. */
function bestIn(counts: ReadonlyMap<string, number>, forms: ReadonlyMap<string, number>): number {
  let best = 0;
  for (const [form, certainty] of forms) if (certainty > best && counts.has(form)) best = certainty;
  return best;
}

/** What an entry is worth for the query as a name, and for its words. */
function scoresOf(
  one: Prepared,
  words: readonly Meaning[],
  query: string,
): readonly [nameWorth: number, wordWorth: number] {
  const nameWorth = nameScore(one.name, query);
  // of several with this name, the one that comes first in the documentation
  if (nameWorth === worthOfName.exact && one.entry.isName) return [nameWorth + worthOfName.code, 0];
  let score = 0;
  let covered = 0;
  let inHeading = 0;
  for (const { forms, weight } of words) {
    let worth = 0;
    for (const name of fields) worth += weights[name] * occurrence(one, forms, name);
    if (worth > 0) covered += weight;
    if (bestIn(one.counts.heading, forms) > 0) inHeading += 1;
    score += weight * worth;
  }
  const all = words.reduce((sum, { weight }) => sum + weight, 0);
  const coverage = covered / all;
  // a heading that says nothing else
  const focus = 1 + Math.min(1, inHeading / one.headingLength) / 2;
  const wordScore = coverage < leastCoverage ? 0 : score * focus * coverage ** 3;
  return [nameWorth, wordScore];
}

/** In a text a word that stands there often counts for more, and in a long one for less (BM25); elsewhere neither matters. */
function occurrence(one: Prepared, forms: ReadonlyMap<string, number>, field: Field): number {
  const counts = one.counts[field];
  const best = bestIn(counts, forms);
  if (field !== 'text' || best === 0) return best;
  let times = 0;
  for (const form of forms.keys()) times += counts.get(form) ?? 0;
  return (best * times) / (times + one.length / usualLength);
}

function nameScore(name: string, query: string): number {
  const asked = squeezed(query);
  const telling = tellingWords(query).join('');
  if (name === asked || name === telling) return worthOfName.exact;
  if (compoundsOf(query).includes(name)) return worthOfName.named;
  if (asked.length > 2 && name.startsWith(asked)) return worthOfName.beginning;
  return compoundsOf(query).some((one) => isMistyped(one, name)) ? worthOfName.mistyped : 0;
}

/** A text, split at the words that were found. */
function partsOf(text: string, forms: ReadonlySet<string>): readonly TextPart[] {
  return text
    .split(/([\p{L}\p{N}]+)/u)
    .filter((part) => part !== '')
    .map((part) => ({ text: part, isMatch: forms.has(part.toLowerCase()) }));
}

function excerptOf(text: string, forms: ReadonlySet<string>): string {
  const found = Array.from(text.matchAll(/[\p{L}\p{N}]+/gu)).find(([word]) =>
    forms.has(word.toLowerCase()),
  );
  const start = (found?.index ?? 0) - excerptBefore;
  const begin = start <= 0 ? 0 : text.indexOf(' ', start) + 1;
  const part = text.slice(begin, begin + excerptLength);
  const isCut = begin + excerptLength < text.length;
  return `${begin > 0 ? '… ' : ''}${isCut ? part.slice(0, part.lastIndexOf(' ')) : part}${isCut ? ' …' : ''}`;
}
