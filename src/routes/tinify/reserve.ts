import type { Context } from 'hono';
import { fromBase62, toBase62 } from '../../access/base62.ts';
import { formatFacts, type ImageType } from '../../image/formats/facts.ts';
import { type Hold, ledger } from '../../image/wasm/memory-ledger.ts';
import type { ReservationPurpose } from '../../meter/ledger.ts';
import { sealingBytes } from '../../store/sealed-file.ts';
import { overloaded } from '../http/rate-limit.ts';
import { waitForBookings } from '../optimize/bookkeeping.ts';
import { type ReservedFile, reserveFile } from '../optimize/reservation.ts';
import type { TinifyEnv } from './context.ts';
import { refuseTinifyKey } from './credentials.ts';
import { usageOf } from './usage.ts';

/** The reservation that stands until the output with this in its id is fetched. */
export function awaitingFetch(random: string): string {
  return `out_${random}`;
}

/** How often memory is asked for, and how long its owner waits in between, in milliseconds. */
const maxMemoryTries = 250;
const memoryInterval = 20;

/**
 * Waits for the memory that sealing or opening a file takes.
 * @throws ApiError `overloaded` when there is none for five seconds
 */
export async function sealingMemory(fileBytes: number): Promise<Hold> {
  for (let tries = 0; tries < maxMemoryTries; tries += 1) {
    const hold = ledger.hold(sealingBytes(fileBytes));
    if (hold) return hold;
    await scheduler.wait(memoryInterval);
  }
  throw overloaded();
}

const types = formatFacts.map(({ type }) => type);

/** A type as the mark of an output: its place among all types, as a digit of base62. */
export function markOf(type: ImageType): string {
  return toBase62(BigInt(types.indexOf(type)), 1);
}

/** The type that a mark stands for; null: none that is known any more. */
export function typeOf(mark: string): ImageType | null {
  return types[fromBase62(mark)] ?? null;
}

/**
 * Reserves a file for the key of a request; from then on its answers tell what the key has used.
 * @throws ApiError `invalid_api_key`, `quota_exceeded`, `key_limit_exceeded`, `too_many_requests`, `overloaded`
 */
export async function reserveForKey(
  c: Context<TinifyEnv>,
  id: string,
  purpose: ReservationPurpose,
): Promise<ReservedFile> {
  const { key } = c.var;
  // clients look at the count after each of their files
  await waitForBookings(key.mailboxId);
  const reserved = await reserveFile(c, {
    ...{ id, mailboxId: key.mailboxId, caller: { keyHash: key.hash }, purpose },
    refuse: (isExpired) => refuseTinifyKey(isExpired ? null : key),
  });
  c.set('usage', usageOf(reserved));
  return reserved;
}
