import { CodecError } from './codecs/codec.ts';
import { arena } from './codecs/runtime.ts';
import { arenaCeiling, ledger } from './memory.ts';
import type { Peak } from './memory-ledger.ts';
import { damaged, type Refusal, refuseImage } from './refusal.ts';

/**
 * Runs a codec that reads a customer's file in the arena that was predicted.
 * Some sound files take more than their header tells (a progressive JPEG with
 * many large coefficients), so one that runs out gets all that the arena may
 * have, if that is free. What needs still more says less in its header than it
 * holds.
 */
export function withinArena<Result>(
  { arena: predicted, buffers }: Peak,
  work: () => Result,
): Result | Refusal {
  for (const bytes of predicted < arenaCeiling ? [predicted, arenaCeiling] : [predicted]) {
    if (!ledger.makesRoomFor({ arena: bytes, buffers })) {
      return { kind: 'refused', reason: 'overloaded' };
    }
    arena.reserve(bytes);
    try {
      return work();
    } catch (error) {
      if (!(error instanceof CodecError)) throw error;
      if (!error.exhausted) return damaged;
    }
  }
  return refuseImage('The picture takes far more memory than its header allows for.');
}
