import type { Refusal } from '../refusal.ts';
import type { Slices } from '../slices.ts';
import { ledger } from '../wasm/memory-ledger.ts';
import type { Result } from './result.ts';

/** Criteria for comparing results. */
export interface Comparison {
  /** Maximum size of a result in bytes; null for no limit. */
  readonly maxBytes: number | null;
  /** The factor by which the result may be longer and still be preferred. */
  readonly advantage: number;
}

/** Whether a result is better than another: shorter or, if its size is limited, closer to the picture. */
export function isBetterResult(
  result: Result,
  other: Result | undefined,
  { maxBytes, advantage }: Comparison,
): boolean {
  if (!other) return true;
  return maxBytes === null ? isShorter(result, other, advantage) : isFiner(result, other);
}

function isShorter({ bytes }: Result, other: Result, advantage: number): boolean {
  return bytes.length < other.bytes.length * advantage;
}

function isFiner(result: Result, other: Result): boolean {
  const [own, best] = [result.score ?? 100, other.score ?? 100];
  return own === best ? isShorter(result, other, 1) : own > best;
}

/** The refusal if no result is as short as requested; it states the size of the shortest one. */
export function tooLong(before: Refusal | undefined, bytes: number): Refusal {
  const others = before?.reason === 'max-bytes' ? before.smallestBytes : bytes;
  return { kind: 'refused', reason: 'max-bytes', smallestBytes: Math.min(others, bytes) };
}

/** Runs `work` while a result is held and accounted for. */
export function* whileHeld<Outcome>(
  held: Pick<Result, 'bytes'> | undefined,
  work: () => Slices<Outcome>,
): Slices<Outcome> {
  const hold = ledger.keep(held?.bytes.buffer.byteLength ?? 0);
  try {
    return yield* work();
  } finally {
    hold.release();
  }
}
