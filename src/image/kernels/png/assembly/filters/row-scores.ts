/**
 * How well each filter does on one row, by three rules of thumb: the sum of
 * absolute differences (PNG third edition §12.7), the entropy of the bytes, and how many
 * different pairs of bytes there are, which tells what will repeat.
 */

import { allocate } from '../../../shared/assembly/memory';
import { logarithm } from '../deflate/logarithms';
import { filterBytes, filterNumber, filterSlack } from './filter-row';

export const bySum: i32 = 0;
export const byEntropy: i32 = 1;
export const byPairs: i32 = 2;
export const ruleNumber: i32 = 3;

/** A row is looked at in pieces, so that its width takes no memory. */
const pieceBytes: usize = 4096;

const histogram: usize = memory.data(1024, 16);
const least: usize = memory.data(12, 16);
const chosen: usize = memory.data(4, 16);
let piece: usize = 0;
/** In which trial each pair of bytes was last seen, u16. */
let seen: usize = 0;
let trial: u16 = 0;

/** Allocates 132 KiB; false where there is no room. */
export function allocateScores(): bool {
  piece = allocate(pieceBytes + filterSlack);
  seen = allocate(131072);
  trial = 0;
  return piece !== 0 && seen !== 0;
}

/** Finds the best filter of a row by each of the rules. */
export function scoreRow(row: usize, previous: usize, length: usize, step: usize): void {
  for (let filter = 0; filter < filterNumber; filter += 1) {
    memory.fill(histogram, 0, 1024);
    beginTrial();
    let sum: u32 = 0;
    let pairs: u32 = 0;
    let before = <u32>filter;
    for (let x: usize = 0; x < length; x += pieceBytes) {
      const part = min(pieceBytes, length - x);
      filterBytes(filter, row + x, previous + x, part, step, piece);
      sum += absoluteSum(part);
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
    keep(bySum, filter, <f32>sum);
    keep(byEntropy, filter, entropy());
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

/** The sum over the bytes of the piece, taken as signed. */
function absoluteSum(length: usize): u32 {
  memory.fill(piece + length, 0, filterSlack);
  let sums = i32x4.splat(0);
  for (let x: usize = 0; x < length; x += 16) {
    const sizes = i8x16.abs(v128.load(piece + x));
    sums = i32x4.add(sums, i32x4.extadd_pairwise_i16x8_u(i16x8.extadd_pairwise_i8x16_u(sizes)));
  }
  return (
    i32x4.extract_lane(sums, 0) +
    i32x4.extract_lane(sums, 1) +
    i32x4.extract_lane(sums, 2) +
    i32x4.extract_lane(sums, 3)
  );
}

/** Bits of the bytes counted, less what is the same for all filters. */
function entropy(): f32 {
  let bits: f32 = 0;
  for (let at: usize = 0; at < 1024; at += 4) {
    const count = load<u32>(histogram + at);
    if (count > 1) bits -= <f32>count * logarithm(count);
  }
  return bits;
}
