import type { KeyRecord, List } from '../api/wire.ts';

type KeyList = List<KeyRecord>;

/** The list with a changed record, in the same position. */
export function withChanged({ items }: KeyList, changed: KeyRecord): KeyList {
  return { items: items.map((record) => (record.id === changed.id ? changed : record)) };
}

/** The list with a new key at the front. */
export function withCreated({ items }: KeyList, created: KeyRecord): KeyList {
  return { items: [created, ...items.filter(({ id }) => id !== created.id)] };
}

/** The list after a reissue, which revokes the old key and creates a new one. */
export function withReissued(list: KeyList, oldId: string, fresh: KeyRecord): KeyList {
  const old = list.items.find(({ id }) => id === oldId);
  if (!old) return withCreated(list, fresh);
  const revoked: KeyRecord = { ...old, status: 'revoked', revoked_at: fresh.created_at };
  return withCreated(withChanged(list, revoked), fresh);
}

/** Length of the public part of a key, including `imgo_`. */
export const prefixLength = 11;

/** A record with the text that a search looks through. */
interface SearchedKey {
  readonly record: KeyRecord;
  readonly text: string;
}

/** Prepares a list for searching, once per list rather than per query. */
export function searchedKeys(records: readonly KeyRecord[]): readonly SearchedKey[] {
  return records.map((record) => {
    const { name, comment, prefix } = record;
    return { record, text: normalized(`${name}\n${comment}\n${prefix}`) };
  });
}

/**
 * The records in which every word of the query occurs: in the name, the comment
 * or the prefix. Case and accents make no difference. A whole key finds its record.
 */
export function matchingKeys(keys: readonly SearchedKey[], query: string): readonly KeyRecord[] {
  const words = normalized(query).split(/\s+/).filter(Boolean).map(publicPart);
  return keys
    .filter(({ text }) => words.every((word) => text.includes(word)))
    .map(({ record }) => record);
}

/** The records to show: those found, and those pinned. */
export function shownKeys(
  records: readonly KeyRecord[],
  found: readonly KeyRecord[],
  pinned: ReadonlySet<string>,
): readonly KeyRecord[] {
  const all = new Set(found);
  return records.filter((record) => all.has(record) || pinned.has(record.id));
}

/** How many keys match, for display and screen readers. Empty without a query. */
export function countOfMatches(found: number, all: number, query: string): string {
  if (query.trim() === '') return '';
  if (found === 0) return 'No keys match';
  return `${found} of ${all} ${all === 1 ? 'key' : 'keys'}`;
}

function normalized(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
}

function publicPart(word: string): string {
  return word.startsWith('imgo_') ? word.slice(0, prefixLength) : word;
}
