import type { Refusal } from '../refusal.ts';
import { ledger } from '../wasm/memory-ledger.ts';
import type { Result } from './result.ts';

/** How results are compared. */
export interface Comparison {
  /** That a result may have, in bytes; null: any number. */
  readonly maxBytes: number | null;
  /** How many times as long the result may be and still be better. */
  readonly advantage: number;
}

/** Whether a result is better than another: shorter or, where bytes are limited, nearer to the picture. */
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

/** The refusal of a picture that cannot be as short as it shall be; the shortest of all results is told. */
export function tooLong(before: Refusal | undefined, bytes: number): Refusal {
  const others = before?.reason === 'max-bytes' ? before.smallestBytes : bytes;
  return { kind: 'refused', reason: 'max-bytes', smallestBytes: Math.min(others, bytes) };
}

/** Does `work` while a result is held, and in the account. */
export function beside<Outcome>(
  held: Pick<Result, 'bytes'> | undefined,
  work: () => Outcome,
): Outcome {
  const hold = ledger.keep(held?.bytes.buffer.byteLength ?? 0);
  try {
    return work();
  } finally {
    hold.release();
  }
}
