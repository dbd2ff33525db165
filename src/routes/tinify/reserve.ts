import type { Context } from 'hono';
import type { ReservationPurpose } from '../../meter/messages.ts';
import { waitForBookings } from '../optimize/bookkeeping.ts';
import { type ReservedFile, reserveFile } from '../optimize/reservation.ts';
import type { TinifyEnv } from './context.ts';
import { refuseTinifyKey } from './credentials.ts';
import { usageOf } from './usage.ts';

/** The id of the reservation that exists until the output with this random part in its id is fetched. */
export function awaitingFetch(random: string): string {
  return `out_${random}`;
}

/**
 * Reserves a file for the key of a request; from then on its responses state the usage of the key.
 * @throws ApiError `invalid_api_key`, `quota_exceeded`, `key_limit_exceeded`, `too_many_requests`, `overloaded`
 */
export async function reserveForKey(
  c: Context<TinifyEnv>,
  id: string,
  purpose: ReservationPurpose,
): Promise<ReservedFile> {
  const { key } = c.var;
  // Clients check the count after each of their files.
  await waitForBookings(key.mailboxId);
  const reserved = await reserveFile(c, {
    ...{ id, mailboxId: key.mailboxId, caller: { keyHash: key.hash }, purpose },
    refuse: (isExpired) => refuseTinifyKey(isExpired ? null : key),
  });
  c.set('usage', usageOf(reserved));
  return reserved;
}
