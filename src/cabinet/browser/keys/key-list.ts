import type { KeyRecord, List } from '../api/wire.ts';

type KeyList = List<KeyRecord>;

/** The list with one record updated in place. Its `recent` is kept, because only lists contain it. */
export function withChanged({ items }: KeyList, changed: KeyRecord): KeyList {
  return {
    items: items.map((record) => (record.id === changed.id ? { ...record, ...changed } : record)),
  };
}

/** The list with a new key at the front. */
export function withCreated({ items }: KeyList, created: KeyRecord): KeyList {
  return { items: [created, ...items.filter(({ id }) => id !== created.id)] };
}

/** The list after a rotation: the old key is revoked, at once or at the end of the overlap. */
export function withRotated(
  list: KeyList,
  oldId: string,
  fresh: KeyRecord,
  overlapHours: number,
): KeyList {
  const old = list.items.find(({ id }) => id === oldId);
  if (!old) return withCreated(list, fresh);
  return withCreated(withChanged(list, replacedKey(old, fresh, overlapHours)), fresh);
}

/** The record of a replaced key. */
export function replacedKey(old: KeyRecord, fresh: KeyRecord, overlapHours: number): KeyRecord {
  if (overlapHours === 0) return { ...old, status: 'revoked', revoked_at: fresh.created_at };
  const end = Date.parse(fresh.created_at) + overlapHours * 3_600_000;
  return { ...old, revokes_at: new Date(end).toISOString() };
}

/** The keys in their order, except that each key being replaced is directly below its replacement. */
export function inPairs(records: readonly KeyRecord[]): readonly KeyRecord[] {
  const replacements = new Map(
    records
      .filter(({ revokes_at }) => revokes_at !== null)
      .map((old) => [old, records.find((record) => isReplacement(record, old))]),
  );
  const below = (record: KeyRecord): readonly KeyRecord[] => [
    record,
    ...records.filter((old) => replacements.get(old) === record).flatMap(below),
  ];
  return records.filter((record) => replacements.get(record) === undefined).flatMap(below);
}

/**
 * Whether one key was created to replace another. Records do not say so, but an overlap is a whole number of hours, and
 * begins in the millisecond in which the replacement is created.
 */
function isReplacement({ created_at }: KeyRecord, old: KeyRecord): boolean {
  const overlap = Date.parse(old.revokes_at ?? '') - Date.parse(created_at);
  return created_at > old.created_at && overlap > 0 && overlap % 3_600_000 === 0;
}

/** Length of the public part of a key, including `fewer_`. */
export const prefixLength = 11;

/** A record with its searchable text. */
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
 * The records whose name, comment or prefix contain every word of the query. Case and accents are ignored. A complete
 * key finds its record.
 */
export function matchingKeys(keys: readonly SearchedKey[], query: string): readonly KeyRecord[] {
  const words = normalized(query).split(/\s+/).filter(Boolean).map(publicPart);
  return keys
    .filter(({ text }) => words.every((word) => text.includes(word)))
    .map(({ record }) => record);
}

/** How many keys match, as text for display and screen readers; empty without a query. */
export function countOfMatches(found: number, all: number, query: string): string {
  if (query.trim() === '') return '';
  if (found === 0) return 'No keys match';
  return `${found} of ${all} ${all === 1 ? 'key' : 'keys'}`;
}

function normalized(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
}

function publicPart(word: string): string {
  return word.startsWith('fewer_') ? word.slice(0, prefixLength) : word;
}
