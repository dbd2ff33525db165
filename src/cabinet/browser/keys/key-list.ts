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
