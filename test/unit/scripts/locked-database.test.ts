import { describe, expect, it } from 'vitest';
import { retryWhileLocked } from '../../../scripts/local/database.ts';

/** Work that fails with each of these errors in turn, and then succeeds. */
function failingWith(...errors: readonly Error[]): () => Promise<string> {
  const left = [...errors];
  return async () => {
    const error = left.shift();
    if (error) throw error;
    return 'done';
  };
}

describe('work beside a service that has the database locked', () => {
  const locked = new Error('D1_ERROR: database is locked: SQLITE_BUSY');
  const lockedWhileOpening = new Error(
    'D1_ERROR: internal error; reference = 5cdv947drmgreb2l6j7uumgk',
  );

  it('is tried again', { tags: 'slow' }, async () => {
    const migration = new Error('The migration 0001_users.sql failed', { cause: locked });
    const work = failingWith(locked, lockedWhileOpening, migration);
    expect(await retryWhileLocked(work)).toBe('done');
  });

  it('is not tried again after any other error', async () => {
    const wrong = new Error('D1_ERROR: no such table: users');
    const work = failingWith(wrong);
    await expect(retryWhileLocked(work)).rejects.toBe(wrong);
    expect(await work()).toBe('done');
  });
});
