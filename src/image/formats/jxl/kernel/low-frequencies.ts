/**
 * The DC of all blocks, which is kept for the whole picture because it precedes everything else, and coded in groups of
 * 256 × 256 (ISO/IEC 18181-1 §I.2.3, §H).
 */
import { allocateLarge } from '../../../wasm/assembly/memory';
import { blocksAcross, blocksDown, blocksOf, coded, frameBlocks } from '../../jpeg/kernel/frame';
import { headBytes } from '../../jpeg/kernel/tokens';
import { tokenBuffer, valueBits } from './entropy-code';
import {
  componentsCoded,
  gridAcross,
  gridDown,
  isThere,
  lowGroupSide,
  shiftAcross,
  shiftDown,
} from './grid';
import { beginPrediction, predict, predictedError, takeValue } from './weighted-predictor';

/** Per component: the DC of its blocks, as i16 in rows of `blocksAcross`. */
const planes: usize = memory.data(12);

/** Allocates the planes for the coded frame; returns false if there is no memory. */
export function allocateLowFrequencies(): bool {
  for (let c = 0; c < componentsCoded; c += 1) {
    if (!isThere(c)) continue;
    const at = allocateLarge((<u64>blocksOf(coded, c)) << 1);
    if (at === 0) return false;
    store<usize>(planes + (c << 2), at);
  }
  return true;
}

/** Number of values in all components. */
export function lowFrequencyCount(): f64 {
  return <f64>frameBlocks(coded);
}

/** Reads the DC of row `y` of a component's blocks from its tokens. */
export function takeLowFrequencies(c: i32, y: i32, tokens: usize): void {
  const across = blocksAcross(coded, c);
  const row = load<usize>(planes + (c << 2)) + ((<usize>(y * across)) << 1);
  for (let x = 0; x < across; x += 1) {
    store<i16>(row + ((<usize>x) << 1), load<i16>(tokens));
    tokens += headBytes + ((<usize>load<u8>(tokens, 2)) << 1);
  }
}

/** The DC of a block; beyond the component, that of the nearest block. */
export function lowFrequency(c: i32, x: i32, y: i32): i32 {
  if (!isThere(c)) return 0;
  const across = blocksAcross(coded, c);
  const column = min(x, across - 1);
  const row = min(y, blocksDown(coded, c) - 1);
  return load<i16>(load<usize>(planes + (c << 2)) + ((<usize>(row * across + column)) << 1));
}

/* Decision tree for contexts by the maximum error of neighboring predictions: cuts, and the leaves between them. */

const maxCuts: i32 = 40;
const cuts: usize = memory.data(4 * 40);
const leaves: usize = memory.data(41);
let cutCount: i32 = 0;

/** Pointer where the host writes the cuts in ascending order, i32 each. */
export function lowFrequencyCuts(): usize {
  return cuts;
}

/** Pointer where the host writes the leaf below each cut and the one above the last, u8 each. */
export function lowFrequencyLeaves(): usize {
  return leaves;
}

/** Sets the number of cuts, at most 40. */
export function setLowFrequencyCuts(count: i32): void {
  cutCount = min(count, maxCuts);
}

/**
 * Puts the tokens of a low-frequency group into the token buffer, luma first.
 * @returns the number of tokens
 */
export function gatherLowFrequencies(groupX: i32, groupY: i32): i32 {
  const buffer = tokenBuffer();
  let next = buffer;
  const left = groupX * lowGroupSide;
  const top = groupY * lowGroupSide;
  const width = min(lowGroupSide, gridAcross() - left);
  const height = min(lowGroupSide, gridDown() - top);
  for (let c = 0; c < componentsCoded; c += 1) {
    const across = shiftAcross(c);
    const down = shiftDown(c);
    const columns = width >> across;
    const rows = height >> down;
    beginPrediction(columns);
    for (let y = 0; y < rows; y += 1) {
      for (let x = 0; x < columns; x += 1) {
        const value = lowFrequency(c, (left >> across) + x, (top >> down) + y);
        const difference = value - predict(x, y);
        const context = leafOf(predictedError());
        takeValue(x, y, value);
        const packed = <u32>((difference << 1) ^ (difference >> 31));
        store<u32>(next, ((<u32>context) << valueBits) | packed);
        next += 4;
      }
    }
  }
  return <i32>((next - buffer) >> 2);
}

function leafOf(error: i32): i32 {
  let rank: usize = 0;
  while (rank < <usize>cutCount && error > load<i32>(cuts + (rank << 2))) rank += 1;
  return load<u8>(leaves + rank);
}
