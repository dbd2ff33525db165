import {
  compoundsOf,
  isMistyped,
  significantWords,
  squeezed,
  stemOf,
  wordsOf,
} from './docs-words.ts';

/** A searchable item: a section of a page, an operation of the API, or a named item such as an option or an error. */
export interface SearchEntry {
  readonly path: string;
  /** Title of the page. */
  readonly page: string;
  readonly heading: string;
  /** Plain text of the section. */
  readonly text: string;
  /** Search words that the text does not contain. */
  readonly keywords?: string;
  /** Whether the heading is a name in code: an option, an error, a header or a member. */
  readonly isName?: boolean;
  /** Whether it is about programs of others, so that its heading alone does not say what it is about. */
  readonly isAside?: boolean;
}

/** A piece of text, and whether it matches the query. */
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

/** Length of an excerpt in characters, and how many of them precede the match. */
const excerptLength = 140;
const excerptBefore = 40;

/** Typical number of words in a section. */
const typicalLength = 80;

/** Weight of a matching word by the field that contains it. */
const weights = { heading: 10, keywords: 8, page: 3, text: 3 } as const;
type Field = keyof typeof weights;
const fields = Object.keys(weights) as Field[];

/**
 * Score of the query as a whole if it is a name: a heading (`exact` to `beginning`), with `code` added for a name in
 * code, which outranks any text, and `page` for the title of a page, which outranks any part.
 */
const nameScores = {
  exact: 1000,
  named: 500,
  mistyped: 200,
  beginning: 20,
  code: 1000,
  page: 2000,
} as const;

/** What is left of the score of an entry about programs of others, if the query does not name its page. */
const asideShare = 0.3;

/** An entry that covers less than this share of the query's weight is about something else. */
const minCoverage = 0.5;
/** A result below this share of the best score is noise. */
const minShare = 0.06;

/**
 * Returns the entries that match a query, best first. Exact names come first, then entries with all words of the query,
 * then entries with some of them. Rare words count for more than frequent ones.
 */
export function searchDocs(
  entries: readonly SearchEntry[],
  query: string,
  limit = 8,
): readonly SearchHit[] {
  const { prepared, vocabulary } = indexOf(entries);
  const words = significantWords(query).map((word) => queryTerm(word, prepared, vocabulary));
  if (words.length === 0) return [];
  const forms = new Set(words.flatMap(({ forms: accepted }) => [...accepted.keys()]));
  const scored = prepared.map((one) => {
    const [nameWorth, wordWorth] = scoresOf(one, words, query);
    return { entry: one.entry, nameWorth, wordWorth, score: nameWorth + wordWorth };
  });
  const minWordWorth = Math.max(...scored.map(({ wordWorth }) => wordWorth)) * minShare;
  return scored
    .filter(
      ({ nameWorth, wordWorth }) => nameWorth > 0 || (wordWorth > 0 && wordWorth >= minWordWorth),
    )
    .sort((one, other) => other.score - one.score)
    .slice(0, limit)
    .map(({ entry }) => ({
      entry,
      heading: partsOf(entry.heading, forms),
      excerpt: partsOf(excerptOf(entry.text, forms), forms),
    }));
}

/** An entry with the word counts of its fields. */
interface Prepared {
  readonly entry: SearchEntry;
  /** The full heading, squeezed. */
  readonly name: string;
  /** Whether it is a page as a whole. */
  readonly isPage: boolean;
  readonly headingLength: number;
  /** Number of words in the text, and at least half the typical length. */
  readonly length: number;
  readonly counts: Readonly<Record<Field, ReadonlyMap<string, number>>>;
}

interface Index {
  readonly prepared: readonly Prepared[];
  readonly vocabulary: ReadonlySet<string>;
}

const indexes = new WeakMap<readonly SearchEntry[], Index>();

/** Builds the index of a list of entries once, because every keystroke runs a search. */
function indexOf(entries: readonly SearchEntry[]): Index {
  const known = indexes.get(entries);
  if (known) return known;
  const prepared = entries.map((entry) => ({
    entry,
    name: squeezed(fullHeading(entry)),
    isPage: entry.heading === entry.page,
    length: Math.max(typicalLength / 2, wordsOf(entry.text).length),
    headingLength: Math.max(1, significantWords(fullHeading(entry)).length),
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

/** The heading; of a part of a page about programs of others, with the title of the page, which it presupposes. */
function fullHeading({ page, heading, isAside }: SearchEntry): string {
  return isAside && heading !== page ? `${page} ${heading}` : heading;
}

function countsOf(text: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const word of [...wordsOf(text), ...compoundsOf(text)]) {
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return counts;
}

/** A word of the query, expanded to the vocabulary words that it matches, each with a certainty from 0 to 1. */
interface QueryTerm {
  readonly forms: ReadonlyMap<string, number>;
  /** Inverse document frequency: higher if fewer entries contain the word. */
  readonly weight: number;
}

function queryTerm(
  word: string,
  prepared: readonly Prepared[],
  vocabulary: ReadonlySet<string>,
): QueryTerm {
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
  // A word that no entry contains carries no information, and must not outweigh the other words.
  const share = forms.size === 0 ? 1 : holders.length / prepared.length;
  return { forms, weight: Math.log(1 + 1 / share) };
}

/** The highest certainty among the forms that a field contains. */
function bestIn(counts: ReadonlyMap<string, number>, forms: ReadonlyMap<string, number>): number {
  let best = 0;
  for (const [form, certainty] of forms) if (certainty > best && counts.has(form)) best = certainty;
  return best;
}

/** Scores an entry by the query as a name, and by the words of the query. */
function scoresOf(
  one: Prepared,
  words: readonly QueryTerm[],
  query: string,
): readonly [nameWorth: number, wordWorth: number] {
  const nameWorth = nameScore(one.name, query);
  // Of several entries with this name, the first one in the documentation wins.
  if (nameWorth === nameScores.exact) {
    if (one.isPage) return [nameWorth + nameScores.page, 0];
    if (one.entry.isName) return [nameWorth + nameScores.code, 0];
  }
  let score = 0;
  let covered = 0;
  let inHeading = 0;
  let isAside = one.entry.isAside === true;
  for (const { forms, weight } of words) {
    let worth = 0;
    for (const name of fields) worth += weights[name] * occurrence(one, forms, name);
    if (worth > 0) covered += weight;
    if (bestIn(one.counts.heading, forms) > 0) inHeading += 1;
    if (bestIn(one.counts.page, forms) > 0) isAside = false;
    score += weight * worth;
  }
  const all = words.reduce((sum, { weight }) => sum + weight, 0);
  const coverage = covered / all;
  // Favors headings that consist of nothing but words of the query.
  const focus = 1 + Math.min(1, inHeading / one.headingLength) / 2;
  const wordScore = coverage < minCoverage ? 0 : score * focus * coverage ** 3;
  return [nameWorth, isAside ? wordScore * asideShare : wordScore];
}

/**
 * How strongly a field matches. In the text, frequent occurrences count for more, and occurrences in a long text for
 * less (BM25); in other fields, neither count nor length matters.
 */
function occurrence(one: Prepared, forms: ReadonlyMap<string, number>, field: Field): number {
  const counts = one.counts[field];
  const best = bestIn(counts, forms);
  if (field !== 'text' || best === 0) return best;
  let times = 0;
  for (const form of forms.keys()) times += counts.get(form) ?? 0;
  return (best * times) / (times + one.length / typicalLength);
}

function nameScore(name: string, query: string): number {
  const asked = squeezed(query);
  const significant = significantWords(query).join('');
  if (name === asked || name === significant) return nameScores.exact;
  if (compoundsOf(query).includes(name)) return nameScores.named;
  if (asked.length > 2 && name.startsWith(asked)) return nameScores.beginning;
  return compoundsOf(query).some((one) => isMistyped(one, name)) ? nameScores.mistyped : 0;
}

/** Splits a text at the matching words. */
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
