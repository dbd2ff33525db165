import { describe, expect, it } from 'vitest';
import {
  inPairs,
  withChanged,
  withCreated,
  withRotated,
} from '../../../../../src/cabinet/browser/keys/key-list.ts';
import { keyRecord } from './key-records.ts';

const first = keyRecord({ id: 'key_1' });
const second = keyRecord({ id: 'key_2' });
const list = { items: [second, first] };

describe('the list of keys', () => {
  it('has a changed record in its old place', () => {
    const changed = keyRecord({ id: 'key_2', name: 'blog' });
    expect(withChanged(list, changed).items).toEqual([changed, first]);
  });

  it('has a new key first', () => {
    const created = keyRecord({ id: 'key_3' });
    expect(withCreated(list, created).items).toEqual([created, second, first]);
  });

  it('has a new key once, though the list was loaded meanwhile', () => {
    expect(withCreated(list, second).items).toEqual([second, first]);
  });

  it('keeps what only lists say of a changed record', () => {
    const { items } = withChanged({ items: [{ ...first, recent: [1, 2] }] }, first);
    expect(items).toEqual([{ ...first, recent: [1, 2] }]);
  });

  it('has the old key revoked from the moment when it was replaced', () => {
    const fresh = keyRecord({ id: 'key_3', created_at: '2026-11-21T08:00:00.000Z' });
    expect(withRotated(list, 'key_1', fresh, 0).items).toEqual([
      fresh,
      second,
      { ...first, status: 'revoked', revoked_at: '2026-11-21T08:00:00.000Z' },
    ]);
  });

  it('has the old key beside the new one while both work', () => {
    const fresh = keyRecord({ id: 'key_3', created_at: '2026-11-21T08:00:00.000Z' });
    expect(withRotated(list, 'key_1', fresh, 24).items).toEqual([
      fresh,
      second,
      { ...first, revokes_at: '2026-11-22T08:00:00.000Z' },
    ]);
  });
});

describe('pairs', () => {
  const created = (id: string, hour: number, overlapEnd: number | null = null) => {
    const at = (hours: number) => new Date(Date.UTC(2026, 10, 20, hours, 1, 2, 345)).toISOString();
    return keyRecord({
      id,
      created_at: at(hour),
      revokes_at: overlapEnd === null ? null : at(overlapEnd),
    });
  };
  const other = keyRecord({ id: 'other', created_at: '2026-11-20T03:00:00.000Z' });
  const ids = (records: Parameters<typeof inPairs>[0]) => inPairs(records).map(({ id }) => id);

  it('have the old key directly below its replacement', () => {
    expect(ids([created('new', 5), other, created('old', 1, 29)])).toEqual(['new', 'old', 'other']);
  });

  it('are chains where a replacement is replaced itself', () => {
    const chain = [created('third', 5), other, created('second', 2, 29), created('first', 1, 26)];
    expect(ids(chain)).toEqual(['third', 'second', 'first', 'other']);
  });

  it('leave an old key in its place when its replacement is not in the list', () => {
    expect(ids([other, created('old', 1, 29)])).toEqual(['other', 'old']);
  });
});
