import { damaged, type Refusal, refuseImage } from '../refusal.ts';
import { arena, sideArena } from './arena.ts';
import { CodecError, NoRoomForResult, Unrepresentable } from './codec.ts';
import { arenaCeiling, ledger, type Peak } from './memory-ledger.ts';

/**
 * Runs a codec that reads a customer's file in the arena that was predicted.
 * Some sound files take more than their header tells (a progressive JPEG with
 * many large coefficients), so one that runs out gets all that the arena may
 * have, if that is free. What needs still more says less in its header than it
 * holds, or becomes a result of a length that nothing in it told of.
 * @throws Unrepresentable where `work` does
 */
export function withinArena<Result>(
  { arena: predicted, side = 0, buffers }: Peak,
  work: () => Result,
): Result | Refusal {
  let isResultTooLong = false;
  for (const bytes of predicted < arenaCeiling ? [predicted, arenaCeiling] : [predicted]) {
    if (!ledger.makesRoomFor({ arena: bytes, side, buffers })) {
      return { kind: 'refused', reason: 'overloaded' };
    }
    arena.reserve(bytes);
    sideArena.reserve(side);
    try {
      return work();
    } catch (error) {
      if (!(error instanceof CodecError) || error instanceof Unrepresentable) throw error;
      if (!error.exhausted) return damaged;
      isResultTooLong = error instanceof NoRoomForResult;
    }
  }
  return refuseImage(
    isResultTooLong
      ? 'The result would be longer than there is memory for: ask for another format, or for a lower quality.'
      : 'The picture takes far more memory than its header allows for.',
  );
}

/** Gives the file's memory over, once nothing needs the file any more; null where it stays or has gone before. */
export type ReleaseFile = () => ArrayBuffer | null;

/**
 * A complete result, copied out of the arena once the file has made way. One that fills the file's own
 * memory nearly takes that: an allocator does not always have a block to give that is as large as one
 * that it has just got back, and would then hold both. Any other gets a block of its own, since all of
 * it is held for as long as a slow client takes.
 *
 * @param parts of the result, none of them in the file
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

/** Of the file's memory; the rest of it is held for nothing. */
const nearly = 7 / 8;

function placeFor(length: number, file: ArrayBuffer | null): ArrayBuffer {
  if (file && length <= file.byteLength && length >= nearly * file.byteLength) return file;
  file?.transfer(0);
  return new ArrayBuffer(length);
}
