/**
 * How the macroblocks of a picture are predicted, kept until their partition is written: a byte for each with
 * its segment, mode of chroma, mode of luma, and whether it is skipped; where its blocks are predicted one by
 * one, eight bytes more with their modes.
 */
import { nextPiece, pieceBytes, takePiece } from '../pieces';
import { blockModes, chromaMode, isByBlock, isSkipped, segmentOf } from '../vp8/modes';
import { returnChain } from './coded-strings';

/* The byte: segment in bits 0 and 1, mode of chroma in 2 and 3, of luma in 4 and 5. */
const chromaShift: u32 = 2;
const wholeShift: u32 = 4;
const byBlockBit: u32 = 1 << 6;
const skippedBit: u32 = 1 << 7;

/** The most that a macroblock takes. Where a piece has less left, the next one is begun. */
const maxBytes: usize = 9;

let first: usize = 0;
/** The piece that is being written or read. */
let current: usize = 0;
/** The next byte, and the end of the piece. */
let next: usize = 0;
let end: usize = 0;

/** Forgets all modes: what is counted in one instance begins anew each time. */
export function forgetModes(): void {
  first = 0;
  current = 0;
  next = 0;
  end = 0;
}

/** Gives all pieces back. */
export function dropModes(): void {
  returnChain(first);
  forgetModes();
}

/**
 * Keeps the record of a macroblock, as vp8/modes.ts has them, behind all others; false if there is no room.
 */
export function keepModes(record: usize, skipped: bool): bool {
  if (next + maxBytes > end && !addPiece()) return false;
  const byBlock = load<u8>(record, isByBlock) !== 0;
  const head =
    <u32>load<u8>(record, segmentOf) |
    ((<u32>load<u8>(record, chromaMode)) << chromaShift) |
    (byBlock ? byBlockBit : (<u32>load<u8>(record, blockModes)) << wholeShift) |
    (skipped ? skippedBit : 0);
  store<u8>(next, <u8>head);
  next += 1;
  if (!byBlock) return true;
  const upper = load<u64>(record, blockModes);
  const lower = load<u64>(record, blockModes + 8);
  store<u64>(next, upper | (lower << 4));
  next += 8;
  return true;
}

function addPiece(): bool {
  const piece = takePiece(current);
  if (piece === 0) return false;
  if (current === 0) first = piece;
  enter(piece);
  return true;
}

function enter(piece: usize): void {
  current = piece;
  next = piece;
  end = piece + pieceBytes;
}

/** Begins to read, with the first macroblock. */
export function openModes(): void {
  enter(first);
}

/** Reads the record of the next macroblock. */
export function readKeptModes(record: usize): void {
  if (next + maxBytes > end) enter(nextPiece(current));
  const head: u32 = load<u8>(next);
  next += 1;
  const byBlock = (head & byBlockBit) !== 0;
  store<u8>(record, <u8>(head & 3), segmentOf);
  store<u8>(record, <u8>((head >> chromaShift) & 3), chromaMode);
  store<u8>(record, byBlock ? 1 : 0, isByBlock);
  store<u8>(record, (head & skippedBit) !== 0 ? 1 : 0, isSkipped);
  if (byBlock) {
    const nibbles = v128.load64_splat(next);
    next += 8;
    const upper = v128.and(nibbles, i8x16.splat(15));
    const lower = i8x16.shr_u(nibbles, 4);
    v128.store(record, i64x2.shuffle(upper, lower, 0, 2), blockModes);
  } else {
    v128.store(record, i8x16.splat(<i8>((head >> wholeShift) & 3)), blockModes);
  }
}
