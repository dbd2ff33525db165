import type { KeyRecord, List } from '../api/wire.ts';

type KeyList = List<KeyRecord>;

/** The list with a changed record in its old place. */
export function withChanged({ items }: KeyList, changed: KeyRecord): KeyList {
  return { items: items.map((record) => (record.id === changed.id ? changed : record)) };
}

/** The list with a new key, which stands first. */
export function withCreated({ items }: KeyList, created: KeyRecord): KeyList {
  return { items: [created, ...items.filter(({ id }) => id !== created.id)] };
}

/** The list after a reissue: the old key was revoked when the new one was made. */
export function withReissued(list: KeyList, oldId: string, fresh: KeyRecord): KeyList {
  const old = list.items.find(({ id }) => id === oldId);
  if (!old) return withCreated(list, fresh);
  const revoked: KeyRecord = { ...old, status: 'revoked', revoked_at: fresh.created_at };
  return withCreated(withChanged(list, revoked), fresh);
}

/** Letters of the public part of a key, the mark `imgo_` included. */
export const prefixLength = 11;

/** A record beside the text that is searched. */
interface SearchedKey {
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
