/**
 * Tokens: blocks without their zeros. Each scan of a picture traverses all coefficients, few of which are nonzero, so
 * only those are stored.
 *
 * Layout of a block: DC, i16; number of tokens, u8; position of the last nonzero AC coefficient, u8, 0 for none;
 * tokens, u16 each. A token has the number of zeros before a coefficient in its upper 4 bits and the coefficient's
 * value in two's complement in its lower 12 bits. Longer runs begin with tokens of run 15 and value 0, which represent
 * sixteen zeros, like the symbol ZRL.
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

/** Bytes of a block before its tokens. */
export const headBytes: usize = 4;
/** Maximum size of a block in bytes. */
export const maxBlockBytes: usize = headBytes + 2 * 63;
/** The token of sixteen zeros. */
const sixteenZeros: u16 = 0xf000;

/**
 * Converts `blockCount` blocks of 64 × i16 in zigzag order to tokens at `to`. Registers a failure if an AC coefficient
 * is too large to be coded.
 * @returns the end of the tokens; nothing is written beyond it
 */
export function tokenize(blocks: usize, blockCount: i32, to: usize): usize {
  let allMagnitudes = i16x8.splat(0);
  for (const end = blocks + ((<usize>blockCount) << 7); blocks < end; blocks += 128) {
    const first = v128.load(blocks, 0);
    const second = v128.load(blocks, 16);
    const third = v128.load(blocks, 32);
    const fourth = v128.load(blocks, 48);
    const fifth = v128.load(blocks, 64);
    const sixth = v128.load(blocks, 80);
    const seventh = v128.load(blocks, 96);
    const eighth = v128.load(blocks, 112);
    let remaining =
      (nonzeroMask(first, second) |
        (nonzeroMask(third, fourth) << 16) |
        (nonzeroMask(fifth, sixth) << 32) |
        (nonzeroMask(seventh, eighth) << 48)) &
      ~1;
    allMagnitudes = v128.or(allMagnitudes, magnitudeBits(i16x8.replace_lane(first, 0, 0), second));
    allMagnitudes = v128.or(allMagnitudes, magnitudeBits(third, fourth));
    allMagnitudes = v128.or(allMagnitudes, magnitudeBits(fifth, sixth));
    allMagnitudes = v128.or(allMagnitudes, magnitudeBits(seventh, eighth));
    store<i16>(to, load<i16>(blocks));
    const head = to;
    to += headBytes;
    let last = 0;
    while (remaining !== 0) {
      const k = <i32>ctz(remaining);
      remaining &= remaining - 1;
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
  if (v128.any_true(v128.and(allMagnitudes, i16x8.splat(<i16>0xfc00)))) fail(wideCoefficient);
  return to;
}

/** Mask of the nonzero coefficients of sixteen, the first one in the least significant bit. */
function nonzeroMask(low: v128, high: v128): u64 {
  const bytes = i8x16.narrow_i16x8_s(low, high);
  return <u64>(~i8x16.bitmask(i8x16.eq(bytes, i8x16.splat(0))) & 0xffff);
}

/** Bitwise OR of the magnitudes of two vectors; the magnitude of −32768 is 32768, unsigned. */
function magnitudeBits(one: v128, other: v128): v128 {
  return v128.or(i16x8.abs(one), i16x8.abs(other));
}

/*
 * The source of the tokens of scans, which are read one row of blocks at a time: they are stored for the whole picture,
 * or computed again for each scan, from the planes of a progressive source or from the current MCU row.
 */

const stored: i32 = 0;
const fromPlanes: i32 = 1;
const fromRows: i32 = 2;

let tokenSource: i32 = stored;
/** Beginning of the memory allocated for tokens. */
let tokensStart: usize = 0;
/** Buffer for a row of blocks expanded from the planes. */
let expandedRow: usize = 0;
/** For each component: pointer to an array of pointers to the tokens of each row of blocks. */
const starts: usize = memory.data(16);
/** For each component: pointer to buffers for the tokens of the rows of blocks of an MCU row. */
const scratchRows: usize = memory.data(16);

/** Prepares for `keepRow`; false if memory runs out. */
export function beginTokens(): bool {
  beginFrom(stored);
  for (let c = 0; c < componentCount(coded); c += 1) {
    const rows = allocate((<usize>blocksDown(coded, c)) << 2);
    if (rows === 0) return false;
    store<usize>(starts + (c << 2), rows);
  }
  return true;
}

/** Prepares for scans that compute their tokens from the planes; false if memory runs out. */
export function beginPlaneTokens(): bool {
  beginFrom(fromPlanes);
  expandedRow = allocate((<usize>longestRow(coded)) << 7);
  return expandedRow !== 0 && allocateScratchRows();
}

/** Prepares for scans that compute their tokens from the coded frame's rows; false if memory runs out. */
export function beginRowTokens(): bool {
  beginFrom(fromRows);
  return allocateScratchRows();
}

function beginFrom(from: i32): void {
  tokenSource = from;
  tokensStart = taken();
  expandedRow = 0;
  beginFailure();
}

function allocateScratchRows(): bool {
  for (let c = 0; c < componentCount(coded); c += 1) {
    const rows = allocate(scratchBytes(c) * vertical(coded, c));
    if (rows === 0) return false;
    store<usize>(scratchRows + (c << 2), rows);
  }
  return true;
}

function scratchBytes(c: i32): usize {
  return maxBlockBytes * blocksAcross(coded, c);
}

/** Maximum bytes of the tokens of a row of blocks, which must be free for another row to be kept. */
export function maxRowTokenBytes(): usize {
  return maxBlockBytes * longestRow(coded);
}

/** Bytes of the tokens of the whole picture if all AC coefficients are zero, an integer. */
export function minTokenBytes(): f64 {
  return <f64>frameBlocks(coded) * <f64>headBytes;
}

/** Bytes of the tokens of the whole picture if all AC coefficients are nonzero, an integer. */
export function maxTokenBytes(): f64 {
  return <f64>frameBlocks(coded) * <f64>maxBlockBytes;
}

/**
 * Stores the tokens of row `y` of component `c`, counted from the top of the picture.
 * @param blocks `blocksAcross` blocks of 64 × i16 in zigzag order
 * @returns false if memory may not suffice; the picture then has to be streamed
 */
export function keepRow(c: i32, y: i32, blocks: usize): bool {
  // only the maximum size is known beforehand
  const at = taken();
  if (room() < scratchBytes(c) || !extendTo(at + scratchBytes(c))) return false;
  const end = tokenize(blocks, blocksAcross(coded, c), at);
  reach(end);
  store<usize>(load<usize>(starts + (c << 2)) + ((<usize>y) << 2), at);
  return allocate(end - at) !== 0;
}

/** Frees the memory of the tokens and everything that was allocated after them. */
export function dropTokens(): void {
  release(tokensStart);
}

/** Whether the tokens of all rows are stored, so that scans can access rows in any order. */
export function tokensAreStored(): bool {
  return tokenSource === stored;
}

/**
 * The tokens of row `y` of a component, counted from the top of the picture; 0 if the row has not been stored. Tokens
 * that are computed again are valid until the corresponding row of another MCU row is requested.
 */
export function rowTokens(c: i32, y: i32): usize {
  if (tokensAreStored()) {
    return load<usize>(load<usize>(starts + (c << 2)) + ((<usize>y) << 2));
  }
  const rowInMcu = y % vertical(coded, c);
  const to = load<usize>(scratchRows + (c << 2)) + scratchBytes(c) * rowInMcu;
  let blocks = expandedRow;
  if (tokenSource === fromPlanes) {
    expandRow(c, y, expandedRow);
  } else {
    blocks = blockRow(coded, c, rowInMcu);
  }
  tokenize(blocks, blocksAcross(coded, c), to);
  return to;
}
