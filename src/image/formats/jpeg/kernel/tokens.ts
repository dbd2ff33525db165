/**
 * Blocks without their zeros. Each scan of a picture goes over all coefficients,
 * of which few are not zero: tokens are what is stored of them.
 *
 * A block: DC as i16; how many tokens follow, as u8; the position of the last
 * coefficient that is not zero, as u8, 0 where there is none; the tokens, u16
 * each. A token: the zeros before a coefficient in the upper 4 bits and its
 * value, as two's complement, in the lower 12. Longer runs begin with tokens of
 * 15 and the value 0, which stand for sixteen zeros as the symbol ZRL does.
 */

import { allocate, extendTo, reach, release, room, taken } from '../../../wasm/assembly/memory';
import { beginFailure, fail, wideCoefficient } from './bit-writer';
import {
  blockRow,
  blocksAcross,
  blocksDown,
  coded,
  componentCount,
  frameBlocks,
  longestRow,
  vertical,
} from './frame';
import { expandRow } from './planes';

/** What a block begins with. */
export const headBytes: usize = 4;
/** The most that a block can take. */
export const maxBlockBytes: usize = headBytes + 2 * 63;
/** The token of sixteen zeros. */
const sixteenZeros: u16 = 0xf000;

/**
 * Turns `number` blocks of 64 × i16 in zigzag order into tokens at `to`.
 * Notes a failure where an AC coefficient is too large to be coded.
 * @returns the end of the tokens; nothing behind it has been written
 */
export function tokenize(blocks: usize, number: i32, to: usize): usize {
  let widest = i16x8.splat(0);
  for (const end = blocks + ((<usize>number) << 7); blocks < end; blocks += 128) {
    const first = v128.load(blocks, 0);
    const second = v128.load(blocks, 16);
    const third = v128.load(blocks, 32);
    const fourth = v128.load(blocks, 48);
    const fifth = v128.load(blocks, 64);
    const sixth = v128.load(blocks, 80);
    const seventh = v128.load(blocks, 96);
    const eighth = v128.load(blocks, 112);
    let left =
      (nonzero(first, second) |
        (nonzero(third, fourth) << 16) |
        (nonzero(fifth, sixth) << 32) |
        (nonzero(seventh, eighth) << 48)) &
      ~1;
    widest = v128.or(widest, wider(i16x8.replace_lane(first, 0, 0), second));
    widest = v128.or(widest, wider(third, fourth));
    widest = v128.or(widest, wider(fifth, sixth));
    widest = v128.or(widest, wider(seventh, eighth));
    store<i16>(to, load<i16>(blocks));
    const head = to;
    to += headBytes;
    let last = 0;
    while (left !== 0) {
      const k = <i32>ctz(left);
      left &= left - 1;
      let run = k - last - 1;
      for (; run > 15; run -= 16) {
        store<u16>(to, sixteenZeros);
        to += 2;
      }
      store<u16>(to, <u16>((run << 12) | (load<i16>(blocks + ((<usize>k) << 1)) & 0xfff)));
      to += 2;
      last = k;
    }
    store<u8>(head, <u8>((to - head - headBytes) >> 1), 2);
    store<u8>(head, <u8>last, 3);
  }
  if (v128.any_true(v128.and(widest, i16x8.splat(<i16>0xfc00)))) fail(wideCoefficient);
  return to;
}

/** Which of sixteen coefficients are not zero, the first in the lowest bit. */
function nonzero(low: v128, high: v128): u64 {
  const bytes = i8x16.narrow_i16x8_s(low, high);
  return <u64>(~i8x16.bitmask(i8x16.eq(bytes, i8x16.splat(0))) & 0xffff);
}

/** All bits of the magnitudes; that of −32768 is its own, unsigned. */
function wider(one: v128, other: v128): v128 {
  return v128.or(i16x8.abs(one), i16x8.abs(other));
}

/*
 * Where the scans get their tokens from, a row of blocks at a time: kept for the
 * whole picture, or made again in each scan, out of the planes of a progressive
 * source or of the one row of MCUs that is at hand.
 */

const kept: i32 = 0;
const fromPlanes: i32 = 1;
const fromRows: i32 = 2;

let origin: i32 = kept;
/** Where the memory of the tokens begins. */
let beginning: usize = 0;
/** A row of blocks as the planes give it. */
let dense: usize = 0;
/** For each component: a pointer for each row of the picture to its tokens. */
const starts: usize = memory.data(16);
/** For each component: as many rows of tokens as it has in a row of MCUs. */
const scratches: usize = memory.data(16);

/** Prepares for `keepRow`; false if there is no room. */
export function beginTokens(): bool {
  begin(kept);
  for (let c = 0; c < componentCount(coded); c += 1) {
    const rows = allocate((<usize>blocksDown(coded, c)) << 2);
    if (rows === 0) return false;
    store<usize>(starts + (c << 2), rows);
  }
  return true;
}

/** Prepares for scans that make their tokens out of the planes; false if there is no room. */
export function beginPlaneTokens(): bool {
  begin(fromPlanes);
  dense = allocate((<usize>longestRow(coded)) << 7);
  return dense !== 0 && allocateScratches();
}

/** Prepares for scans that make their tokens out of the coded rows; false if there is no room. */
export function beginRowTokens(): bool {
  begin(fromRows);
  return allocateScratches();
}

function begin(from: i32): void {
  origin = from;
  beginning = taken();
  dense = 0;
  beginFailure();
}

function allocateScratches(): bool {
  for (let c = 0; c < componentCount(coded); c += 1) {
    const rows = allocate(scratchBytes(c) * vertical(coded, c));
    if (rows === 0) return false;
    store<usize>(scratches + (c << 2), rows);
  }
  return true;
}

function scratchBytes(c: i32): usize {
  return maxBlockBytes * blocksAcross(coded, c);
}

/** The most that a row of blocks takes, without which there is no room to keep another one. */
export function maxRowTokenBytes(): usize {
  return maxBlockBytes * longestRow(coded);
}

/** What keeping the whole picture takes if all of its coefficients are zero, a whole number. */
export function minTokenBytes(): f64 {
  return <f64>frameBlocks(coded) * <f64>headBytes;
}

/** What keeping the whole picture takes if none of its coefficients is zero, a whole number. */
export function maxTokenBytes(): f64 {
  return <f64>frameBlocks(coded) * <f64>maxBlockBytes;
}

/**
 * Keeps row `y` of component `c`, counted over the whole picture, of
 * `blocksAcross` blocks of 64 × i16 in zigzag order.
 * @returns false if there may be no room for it; the picture has to be streamed then
 */
export function keepRow(c: i32, y: i32, blocks: usize): bool {
  // the most it can take is known before, what it takes only afterwards
  const at = taken();
  if (room() < scratchBytes(c) || !extendTo(at + scratchBytes(c))) return false;
  const end = tokenize(blocks, blocksAcross(coded, c), at);
  reach(end);
  store<usize>(load<usize>(starts + (c << 2)) + ((<usize>y) << 2), at);
  return allocate(end - at) !== 0;
}

/** Gives back what the tokens have taken, and all that was allocated since. */
export function dropTokens(): void {
  release(beginning);
}

/** Whether all rows have been kept, so that scans can leave rows out and come back to them. */
export function tokensAreStored(): bool {
  return origin === kept;
}

/**
 * The tokens of row `y` of a component, counted over the whole picture; 0 where
 * it has not been kept. Those that are made again last until the same row of
 * the next row of MCUs is asked for.
 */
export function rowTokens(c: i32, y: i32): usize {
  if (tokensAreStored()) {
    return load<usize>(load<usize>(starts + (c << 2)) + ((<usize>y) << 2));
  }
  const rowInMcu = y % vertical(coded, c);
  const to = load<usize>(scratches + (c << 2)) + scratchBytes(c) * rowInMcu;
  let blocks = dense;
  if (origin === fromPlanes) {
    expandRow(c, y, dense);
  } else {
    blocks = blockRow(coded, c, rowInMcu);
  }
  tokenize(blocks, blocksAcross(coded, c), to);
  return to;
}
