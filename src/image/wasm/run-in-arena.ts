import { freeMemory } from '../container/workspace.ts';
import { damaged, demanding, excessive, type Refusal } from '../refusal.ts';
import type { Slices } from '../slices.ts';
import { arena, sideArena } from './arena.ts';
import { arenaCeiling } from './budgets.ts';
import { CodecError, ExcessiveWork, NoRoomForResult, Unrepresentable } from './codec.ts';
import { ledger, type Peak } from './memory-ledger.ts';

/**
 * Runs a codec on a customer's file in an arena of the predicted size. Some intact files take more than their header
 * implies (a progressive JPEG with many large coefficients), so if the codec runs out of memory, it gets all that the
 * arena may have, if that is free. A file that needs even more contains more than its header states, or has an
 * unpredictably long result.
 * @throws Unrepresentable if `work` does
 */
export function* withinArena<Result>(
  { arena: predicted, side = 0, buffers }: Peak,
  work: () => Slices<Result>,
): Slices<Result | Refusal> {
  let isResultTooLong = false;
  for (const bytes of predicted < arenaCeiling ? [predicted, arenaCeiling] : [predicted]) {
    if (!ledger.makesRoomFor({ arena: bytes, side, buffers })) {
      return { kind: 'refused', reason: 'overloaded' };
    }
    arena.reserve(bytes);
    sideArena.reserve(side);
    try {
      return yield* whileGranted(buffers, work);
    } catch (error) {
      if (!(error instanceof CodecError) || error instanceof Unrepresentable) throw error;
      if (error instanceof ExcessiveWork) return excessive;
      if (!error.exhausted) return damaged;
      isResultTooLong = error instanceof NoRoomForResult;
    }
  }
  return isResultTooLong ? demanding.result : demanding.source;
}

/** Does a step of the work in progress that may take this many bytes of buffers, during its pauses too. */
export function* whileGranted<Result>(bytes: number, step: () => Slices<Result>): Slices<Result> {
  const grant = ledger.grant(bytes);
  try {
    return yield* step();
  } finally {
    grant.release();
  }
}

/** Hands over the memory of the file when nothing needs it any more; null if it stays or is already gone. */
export type ReleaseFile = () => ArrayBuffer | null;

/**
 * Copies a complete result out of the arena after the file has been released. A result that nearly fills the file's
 * memory reuses it, because an allocator does not always return a block as large as one that was just freed, and would
 * then hold both. Any other result gets a block of its own size, because the whole block is held as long as a slow
 * client takes.
 *
 * @param parts the parts of the result, none of them in the file
 */
export function copiedOut(
  parts: readonly Uint8Array[],
  releaseFile: ReleaseFile,
): Uint8Array<ArrayBuffer> {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const bytes = new Uint8Array(placeFor(length, releaseFile()), 0, length);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** Minimum share of the file's memory that a result has to fill to reuse it. */
const nearly = 7 / 8;

function placeFor(length: number, file: ArrayBuffer | null): ArrayBuffer {
  if (file && length <= file.byteLength && length >= nearly * file.byteLength) return file;
  freeMemory(file);
  return new ArrayBuffer(length);
}
