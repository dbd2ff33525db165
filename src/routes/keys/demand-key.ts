import { ApiError } from '../../errors.ts';
import { dayOf } from '../../policy/calendar.ts';
import { findApiKey, type KeyScope, type StoredApiKey } from '../../store/api-key-records.ts';
import { upToDate } from '../optimize/bookkeeping.ts';

export function keyScope(userId: string): KeyScope {
  return { userId, day: dayOf(Date.now()) };
}

/**
 * The key as the user's list shows it.
 * @throws ApiError `key_not_found`, also for keys of other users
 */
export async function demandKey(db: D1Database, userId: string, id: string): Promise<StoredApiKey> {
  await upToDate(userId);
  const stored = await findApiKey(db, keyScope(userId), id);
  if (stored) return stored;
  throw new ApiError('key_not_found', 'You have no key of this id; GET /v1/keys lists yours.');
}
