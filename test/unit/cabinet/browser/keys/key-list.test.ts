import { describe, expect, it } from 'vitest';
import {
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
