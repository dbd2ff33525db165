/**
 * The five filters of PNG, applied to rows (PNG third edition §9.2), 16 bytes at a time, and the rules
 * by which one of them is chosen for a row.
 */
import { allocate } from '../../../../wasm/assembly/memory';
import { logarithm } from '../deflate/symbols';

export const none: i32 = 0;
export const sub: i32 = 1;
export const up: i32 = 2;
export const average: i32 = 3;
export const paeth: i32 = 4;
export const filterNumber: i32 = 5;

/** Bytes beyond those asked for that may be read and written. */
export const filterSlack: usize = 16;

/**
 * Filters bytes of a row. Before a row lie `step` zeros, or more.
 * @param row the first byte to filter
 * @param previous the byte above it
 * @param step bytes of a whole pixel
 */
export function filterBytes(
  filter: i32,
  row: usize,
  previous: usize,
  length: usize,
  step: usize,
  to: usize,
): void {
  if (filter === none) {
    memory.copy(to, row, length);
  } else if (filter === sub) {
    for (let x: usize = 0; x < length; x += 16) {
      v128.store(to + x, i8x16.sub(v128.load(row + x), v128.load(row + x - step)));
    }
  } else if (filter === up) {
    for (let x: usize = 0; x < length; x += 16) {
      v128.store(to + x, i8x16.sub(v128.load(row + x), v128.load(previous + x)));
    }
  } else if (filter === average) {
    for (let x: usize = 0; x < length; x += 16) {
      const left = v128.load(row + x - step);
      const above = v128.load(previous + x);
      // rounded down, where the instruction rounds up
      const odd = v128.and(v128.xor(left, above), i8x16.splat(1));
      const mean = i8x16.sub(i8x16.avgr_u(left, above), odd);
      v128.store(to + x, i8x16.sub(v128.load(row + x), mean));
    }
  } else {
    for (let x: usize = 0; x < length; x += 16) {
      const left = v128.load(row + x - step);
      const above = v128.load(previous + x);
      const corner = v128.load(previous + x - step);
      v128.store(to + x, i8x16.sub(v128.load(row + x), nearest(left, above, corner)));
    }
  }
}

/** Paeth's predictor: what of the three is nearest to left + above − corner. */
function nearest(left: v128, above: v128, corner: v128): v128 {
  const fromLeft = apart(above, corner);
  const fromAbove = apart(left, corner);
  const sameSide = i8x16.eq(i8x16.ge_u(above, corner), i8x16.ge_u(left, corner));
  const fromCorner = v128.bitselect(
    i8x16.add_sat_u(fromLeft, fromAbove),
    apart(fromLeft, fromAbove),
    sameSide,
  );
  const isLeft = v128.and(i8x16.le_u(fromLeft, fromAbove), i8x16.le_u(fromLeft, fromCorner));
  const isAbove = i8x16.le_u(fromAbove, fromCorner);
  return v128.bitselect(left, v128.bitselect(above, corner, isAbove), isLeft);
}

function apart(a: v128, b: v128): v128 {
  return v128.or(i8x16.sub_sat_u(a, b), i8x16.sub_sat_u(b, a));
}

// How well each filter does on one row, by two rules of thumb: the entropy of the bytes,
// and how many different pairs of bytes there are, which tells what will repeat
// (both as in oxipng). The sum of absolute differences (PNG third edition §12.7) has
// been measured to add nothing to them.

const byEntropy: i32 = 0;
const byPairs: i32 = 1;
/** One more than the last rule: what is kept for each rule has this many places. */
export const ruleNumber: i32 = byPairs + 1;

/** A row is looked at in pieces, so that its width takes no memory. */
const pieceBytes: usize = 4096;
/** Up to here it is faster to go through a row's bytes again than through all that a byte can be. */
const fewBytes: usize = 256;

const histogram: usize = memory.data(1024, 16);
const least: usize = memory.data(4 * ruleNumber, 16);
const chosen: usize = memory.data(ruleNumber, 16);
let piece: usize = 0;
/** In which trial each pair of bytes was last seen, u16. */
let seen: usize = 0;
let trial: u16 = 0;

/** Allocates 132 KiB; false if there is no room. */
export function allocateScores(): bool {
  piece = allocate(pieceBytes + filterSlack);
  seen = allocate(131072);
  trial = 0;
  return piece !== 0 && seen !== 0;
}

/** Finds the best filter of a row by each of the rules. */
export function scoreRow(row: usize, previous: usize, length: usize, step: usize): void {
  for (let filter = 0; filter < filterNumber; filter += 1) {
    beginTrial();
    let pairs: u32 = 0;
    let before = <u32>filter;
    for (let x: usize = 0; x < length; x += pieceBytes) {
      const part = min(pieceBytes, length - x);
      filterBytes(filter, row + x, previous + x, part, step, piece);
      for (let i: usize = 0; i < part; i += 1) {
        const byte = <u32>load<u8>(piece + i);
        const count = histogram + ((<usize>byte) << 2);
        store<u32>(count, load<u32>(count) + 1);
        const pair = seen + ((<usize>((before << 8) | byte)) << 1);
        pairs += load<u16>(pair) === trial ? 0 : 1;
        store<u16>(pair, trial);
        before = byte;
      }
    }
    keep(byEntropy, filter, length <= fewBytes ? entropyOfPiece(length) : entropy());
    keep(byPairs, filter, <f32>pairs);
  }
}

/** The best filter by a rule. */
export function bestFilter(rule: i32): i32 {
  return load<u8>(chosen + rule);
}

function keep(rule: i32, filter: i32, score: f32): void {
  const at = least + ((<usize>rule) << 2);
  if (filter > 0 && score >= load<f32>(at)) return;
  store<f32>(at, score);
  store<u8>(chosen + rule, <u8>filter);
}

function beginTrial(): void {
  trial += 1;
  if (trial !== 0) return;
  memory.fill(seen, 0, 131072);
  trial = 1;
}

/**
 * Bits of the bytes counted, less what is the same for all filters. Empties the histogram: a rule that reads
 * it has to come before this one.
 */
function entropy(): f32 {
  let bits: f32 = 0;
  for (let at: usize = 0; at < 1024; at += 4) bits -= bitsOf(histogram + at);
  memory.fill(histogram, 0, 1024);
  return bits;
}

/** What `entropy` tells, for a row that is one piece of few bytes: of a narrow picture there are very many. */
function entropyOfPiece(length: usize): f32 {
  let bits: f32 = 0;
  for (let i: usize = 0; i < length; i += 1) {
    const count = histogram + ((<usize>load<u8>(piece + i)) << 2);
    bits -= bitsOf(count);
    store<u32>(count, 0);
  }
  return bits;
}

function bitsOf(counted: usize): f32 {
  const count = load<u32>(counted);
  return count > 1 ? <f32>count * logarithm(count) : 0;
}
