import type { KeyRecord } from '../api/wire.ts';

/** Letters of the public part of a key, the mark `imgo_` included. */
export const prefixLength = 11;

/** A record beside the text that is searched. */
export interface SearchedKey {
  readonly record: KeyRecord;
  readonly text: string;
}

/** Made once for a list, so that each letter of a query is quick. */
export function searchedKeys(records: readonly KeyRecord[]): readonly SearchedKey[] {
  return records.map((record) => {
    const { name, comment, prefix } = record;
    return { record, text: folded(`${name}\n${comment}\n${prefix}`) };
  });
}

/**
 * The records in which every word of the query occurs: in the name, the comment
 * or the prefix. Case and accents make no difference. A whole key finds its record.
 */
export function matchingKeys(keys: readonly SearchedKey[], query: string): readonly KeyRecord[] {
  const words = folded(query).split(/\s+/).filter(Boolean).map(publicPart);
  return keys
    .filter(({ text }) => words.every((word) => text.includes(word)))
    .map(({ record }) => record);
}

/** What is shown of all records: those that were found, and those that are being worked on. */
export function shownKeys(
  records: readonly KeyRecord[],
  found: readonly KeyRecord[],
  held: ReadonlySet<string>,
): readonly KeyRecord[] {
  const all = new Set(found);
  return records.filter((record) => all.has(record) || held.has(record.id));
}

/** How many were found, to be shown and read out; empty while nothing is searched for. */
export function countOfMatches(found: number, all: number, query: string): string {
  if (query.trim() === '') return '';
  if (found === 0) return 'No key matches';
  return `${found} of ${all} ${all === 1 ? 'key' : 'keys'}`;
}

function folded(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
}

function publicPart(word: string): string {
  return word.startsWith('imgo_') ? word.slice(0, prefixLength) : word;
}
