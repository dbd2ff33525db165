/**
 * A macroblock's levels without their zeros, as they wait for the probabilities that they are coded with.
 *
 * A record begins with 32 bits: one for each block that has coefficients, whether the macroblock is predicted
 * block by block, and whether it has no tokens at all. The blocks follow in the order of coding, of each its
 * coefficients: the zeros before it (4 bits), whether it is the last one, its sign, and its magnitude up to 3,
 * or 0 and a byte with the magnitude less 4, or 0, a byte of 255 and the magnitude in two.
 */
import { chroma, lumaRest, lumaWhole, secondOrder } from '../vp8/coefficients';
import { blockBytes, blockCount, secondOrderBlock } from '../vp8/macroblock-blocks';
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
} from './token-counts';

/* Bits of the head, above those of the blocks. */
export const byBlockBit: u32 = 1 << 25;
export const skippedBit: u32 = 1 << 26;
export const headBytes: usize = 4;

/* The byte that a coefficient begins with. */
export const runShift: u32 = 4;
export const lastBit: u32 = 8;
export const signBit: u32 = 4;
export const magnitudeMask: u32 = 3;
/** From this magnitude on a byte follows, from the second on two more. */
export const largeMagnitude: u32 = 4;
export const hugeMagnitude: u32 = largeMagnitude + 255;

/** Bit mask of nonzero levels per block, u16. */
const significant: usize = memory.data(52, 4);

/** The most that a record takes: four bytes for each coefficient. */
export const maxRecordBytes: usize = headBytes + 4 * 16 * blockCount;

/**
 * Looks which levels are not 0.
 * @returns the head of the record
 */
export function scanLevels(levels: usize, isByBlock: bool): u32 {
  let head: u32 = isByBlock ? byBlockBit : 0;
  for (let n: usize = 0; n < blockCount; n += 1) {
    let bits = significantLevels(levels + blockBytes * n);
    // the second-order block has what the first position of luma would have
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
 * Writes the record of what has been scanned, and counts its tokens. Contexts are those of contexts.ts.
 * @param to `maxRecordBytes`
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
