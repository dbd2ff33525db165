/**
 * Records with the nonzero levels of macroblocks, which are kept until the probabilities are known.
 *
 * A record begins with 32 bits: a flag for each block with coefficients, a flag for separate prediction of blocks, and
 * a flag for no tokens at all. The coefficients of each block follow in coding order: number of zeros before it (4
 * bits), last flag, sign, and magnitude up to 3; or 0 and a byte with the magnitude − 4; or 0, the byte 255, and the
 * magnitude in two bytes.
 */
import {
  blockBytes,
  blockCount,
  chroma,
  lumaRest,
  lumaWhole,
  secondOrder,
  secondOrderBlock,
} from '../vp8/coefficients';
import { contextOf } from './contexts';
import {
  cellAt,
  cellsOf,
  count,
  endToken,
  goneOn,
  lastLevel,
  tokens,
  zeroToken,
} from './token-probabilities';

/* Bits of the head, above those of the blocks. */
export const byBlockBit: u32 = 1 << 25;
export const skippedBit: u32 = 1 << 26;
export const headBytes: usize = 4;

/* Layout of the first byte of a coefficient. */
export const runShift: u32 = 4;
export const lastBit: u32 = 8;
export const signBit: u32 = 4;
export const magnitudeMask: u32 = 3;
/** Magnitudes from which on one byte follows, and two more bytes. */
export const largeMagnitude: u32 = 4;
export const hugeMagnitude: u32 = largeMagnitude + 255;

/** Bit mask of nonzero levels per block, u16. */
const significant: usize = memory.data(52, 4);

/** Maximum bytes of a record: four for each coefficient. */
export const maxRecordBytes: usize = headBytes + 4 * 16 * blockCount;

/**
 * Finds the nonzero levels.
 * @returns the head of the record
 */
export function scanLevels(levels: usize, isByBlock: bool): u32 {
  let head: u32 = isByBlock ? byBlockBit : 0;
  for (let n: usize = 0; n < blockCount; n += 1) {
    let bits = significantLevels(levels + blockBytes * n);
    // The DC coefficients of luma are in the second-order block.
    if (n < 16 && !isByBlock) bits &= ~1;
    if (n === secondOrderBlock && isByBlock) bits = 0;
    store<u16>(significant + (n << 1), <u16>bits);
    head |= (bits !== 0 ? 1 : 0) << n;
  }
  return head;
}

function significantLevels(levels: usize): u32 {
  const bytes = i8x16.narrow_i16x8_s(v128.load(levels), v128.load(levels, 16));
  return ~i8x16.bitmask(i8x16.eq(bytes, i8x16.splat(0))) & 0xffff;
}

/**
 * Writes the record of the scanned levels, and counts its tokens. Contexts are those of contexts.ts.
 * @param to destination with room for `maxRecordBytes`
 * @returns the end of the record
 */
export function recordLevels(levels: usize, head: u32, to: usize): usize {
  store<u32>(to, head);
  let next = to + headBytes;
  const isByBlock = (head & byBlockBit) !== 0;
  if (!isByBlock) next = recordBlock(levels, secondOrderBlock, secondOrder, 0, next);
  const type = isByBlock ? lumaWhole : lumaRest;
  const first = isByBlock ? 0 : 1;
  for (let n = 0; n < 16; n += 1) next = recordBlock(levels, n, type, first, next);
  for (let n = 16; n < 24; n += 1) next = recordBlock(levels, n, chroma, 0, next);
  return next;
}

function recordBlock(all: usize, block: i32, type: i32, first: i32, to: usize): usize {
  const cells = cellsOf(type);
  const context = contextOf(block);
  let left: u32 = load<u16>(significant + (block << 1));
  let n = first;
  let cell = cellAt(cells, n, context);
  if (left === 0) {
    count(cell, endToken);
    return to;
  }
  if (context === 0) count(cell, goneOn);
  const levels = all + blockBytes * block;
  do {
    const position = <i32>ctz(left);
    left &= left - 1;
    const run = position - n;
    while (n < position) {
      count(cell, zeroToken);
      n += 1;
      cell = cellAt(cells, n, 0);
    }
    const level: i32 = load<i16>(levels + (position << 1));
    const magnitude = abs(level);
    count(cell, load<u8>(tokens + min(magnitude, lastLevel)));
    const sign = level < 0 ? signBit : 0;
    to = recordLevel((run << runShift) | (left === 0 ? lastBit : 0) | sign, magnitude, to);
    n += 1;
    cell = cellAt(cells, n, magnitude > 1 ? 2 : 1);
  } while (left !== 0);
  if (n < 16) count(cell, endToken);
  return to;
}

function recordLevel(head: u32, magnitude: u32, to: usize): usize {
  if (magnitude < largeMagnitude) {
    store<u8>(to, <u8>(head | magnitude));
    return to + 1;
  }
  store<u8>(to, <u8>head);
  if (magnitude < hugeMagnitude) {
    store<u8>(to, <u8>(magnitude - largeMagnitude), 1);
    return to + 2;
  }
  store<u8>(to, 255, 1);
  store<u16>(to, <u16>magnitude, 2);
  return to + 4;
}
