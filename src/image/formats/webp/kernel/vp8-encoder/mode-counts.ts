/**
 * Counts macroblocks by segment and those without coefficients, and sums the costs of all modes in the first partition.
 */
import { blockModes, chromaMode, isByBlock, segmentOf } from '../vp8/modes';
import { segmentCount } from '../vp8/segments';
import { branchCost, probabilityOf } from './bit-costs';
import { modeContext } from './mode-contexts';
import { blockModeCost, byBlockRate, chromaModeRate, wholeModeRate } from './modes';

/** Number of macroblocks in each segment, u32. */
const segments: usize = memory.data(segmentCount * 4, 4);
let skipped: u32 = 0;
let macroblocks: u32 = 0;
/** Cost of all modes in 256ths of a bit. */
let modesCost: u64 = 0;

/** Resets all counts. */
export function beginModeCounts(): void {
  memory.fill(segments, 0, segmentCount * 4);
  skipped = 0;
  macroblocks = 0;
  modesCost = 0;
}

/** Counts macroblock `x` of the row. */
export function countModes(x: i32, record: usize, isSkipped: bool): void {
  const segment = segments + ((<usize>load<u8>(record, segmentOf)) << 2);
  store<u32>(segment, load<u32>(segment) + 1);
  macroblocks += 1;
  if (isSkipped) skipped += 1;
  modesCost += chromaModeRate(load<u8>(record, chromaMode)) + lumaCost(x, record);
}

function lumaCost(x: i32, record: usize): i32 {
  const modes = record + blockModes;
  if (load<u8>(record, isByBlock) === 0) return wholeModeRate(load<u8>(modes));
  let cost = byBlockRate;
  for (let n: usize = 0; n < 16; n += 1) {
    cost += blockModeCost(modeContext(modes, n, x), load<u8>(modes + n));
  }
  return cost;
}

/** Number of macroblocks in segment `i`. */
export function inSegment(i: i32): u32 {
  return load<u32>(segments + (i << 2));
}

/** Whether any macroblock has no coefficients. */
export function hasSkips(): bool {
  return skipped > 0;
}

/** Probability that a macroblock has coefficients. */
export function skipProbability(): u32 {
  return probabilityOf(macroblocks - skipped, skipped);
}

/** Probability of a node, 0 to 2, of the segment tree (RFC 6386 §10), whose zeros lead to lower segments. */
export function segmentProbability(node: i32): u32 {
  return probabilityOf(segmentZeros(node), segmentOnes(node));
}

function segmentZeros(node: i32): u32 {
  if (node === 0) return inSegment(0) + inSegment(1);
  return inSegment(node === 1 ? 0 : 2);
}

function segmentOnes(node: i32): u32 {
  if (node === 0) return inSegment(2) + inSegment(3);
  return inSegment(node === 1 ? 1 : 3);
}

/** Approximate bits of the first partition for the macroblocks so far, without its header. */
export function modeBits(): i32 {
  let cost = modesCost + branchCost(macroblocks - skipped, skipped, skipProbability());
  for (let node = 0; node < 3; node += 1) {
    cost += branchCost(segmentZeros(node), segmentOnes(node), segmentProbability(node));
  }
  return <i32>(cost >> 8);
}
