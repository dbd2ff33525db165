/**
 * Applies the five filters of PNG to rows (PNG third edition §9.2), 16 bytes at a time, and the rules that choose one
 * of them for a row.
 */

import { logarithm } from '../../../../wasm/assembly/logarithms';
import { allocate } from '../../../../wasm/assembly/memory';

export const none: i32 = 0;
const sub: i32 = 1;
const up: i32 = 2;
export const average: i32 = 3;
// 4: Paeth
export const filterNumber: i32 = 5;

/** Bytes beyond the requested ones that may be read and written. */
export const filterSlack: usize = 16;

/**
 * Filters bytes of a row. A row is preceded by at least `step` zeros.
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
      // Rounded down, while the instruction rounds up.
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

/** Paeth's predictor: the one of the three that is nearest to left + above − corner. */
function nearest(left: v128, above: v128, corner: v128): v128 {
  const fromLeft = absoluteDifference(above, corner);
  const fromAbove = absoluteDifference(left, corner);
  const sameSide = i8x16.eq(i8x16.ge_u(above, corner), i8x16.ge_u(left, corner));
  const fromCorner = v128.bitselect(
    i8x16.add_sat_u(fromLeft, fromAbove),
    absoluteDifference(fromLeft, fromAbove),
    sameSide,
  );
  const isLeft = v128.and(i8x16.le_u(fromLeft, fromAbove), i8x16.le_u(fromLeft, fromCorner));
  const isAbove = i8x16.le_u(fromAbove, fromCorner);
  return v128.bitselect(left, v128.bitselect(above, corner, isAbove), isLeft);
}

function absoluteDifference(a: v128, b: v128): v128 {
  return v128.or(i8x16.sub_sat_u(a, b), i8x16.sub_sat_u(b, a));
}

// Rates the filters for a row by two heuristics: the entropy of the bytes, and the number of distinct pairs of bytes,
// which predicts repetitions (both as in oxipng). Measurements showed that the sum of absolute differences (PNG third
// edition §12.7) adds nothing to them.

const byEntropy: i32 = 0;
const byPairs: i32 = 1;
/** Number of rules, and length of the arrays with an element per rule. */
export const ruleNumber: i32 = byPairs + 1;

/** A row is examined in pieces, so that memory does not depend on its width. */
const pieceBytes: usize = 4096;
/** Up to this length, iterating over a row's bytes again is faster than over all byte values. */
const fewBytes: usize = 256;

const histogram: usize = memory.data(1024, 16);
const least: usize = memory.data(4 * ruleNumber, 16);
const chosen: usize = memory.data(ruleNumber, 16);
let piece: usize = 0;
/** The last trial in which each pair of bytes occurred, u16. */
let lastTrials: usize = 0;
let trial: u16 = 0;

/** Allocates 132 KiB; false if memory runs out. */
export function allocateScores(): bool {
  piece = allocate(pieceBytes + filterSlack);
  lastTrials = allocate(131072);
  trial = 0;
  return piece !== 0 && lastTrials !== 0;
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
        const pair = lastTrials + ((<usize>((before << 8) | byte)) << 1);
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
  memory.fill(lastTrials, 0, 131072);
  trial = 1;
}

/**
 * Bits of the counted bytes, without the part that is the same for all filters. Clears the histogram: a rule that reads
 * it has to come first.
 */
function entropy(): f32 {
  let bits: f32 = 0;
  for (let at: usize = 0; at < 1024; at += 4) bits -= bitsOf(histogram + at);
  memory.fill(histogram, 0, 1024);
  return bits;
}

/** Result of `entropy` for a row that is one piece of few bytes: a narrow picture has very many of them. */
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
