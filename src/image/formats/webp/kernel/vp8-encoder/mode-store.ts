/**
 * Keeps the modes of all macroblocks until their partition is written: one byte each with segment, chroma mode, luma
 * mode and skip flag; eight more bytes with the modes of blocks that are predicted separately.
 */
import { nextPiece, pieceBytes, takePiece } from '../pieces';
import { blockModes, chromaMode, isByBlock, isSkipped, segmentOf } from '../vp8/modes';
import { returnChain } from './coded-strings';

/* Layout of the byte: segment in bits 0 and 1, chroma mode in 2 and 3, luma mode in 4 and 5. */
const chromaShift: u32 = 2;
const wholeShift: u32 = 4;
const byBlockBit: u32 = 1 << 6;
const skippedBit: u32 = 1 << 7;

/** Maximum bytes of a macroblock. If a piece has less left, the next one is used. */
const maxBytes: usize = 9;

let first: usize = 0;
/** The current piece. */
let current: usize = 0;
/** The next byte, and the end of the piece. */
let next: usize = 0;
let end: usize = 0;

/** Resets without freeing pieces; for counting several times in one instance. */
export function forgetModes(): void {
  first = 0;
  current = 0;
  next = 0;
  end = 0;
}

/** Frees all pieces. */
export function dropModes(): void {
  returnChain(first);
  forgetModes();
}

/** Appends the record of a macroblock (see vp8/modes.ts); returns false if there is no memory. */
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

/** Starts reading with the first macroblock. */
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
