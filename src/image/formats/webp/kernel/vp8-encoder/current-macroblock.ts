/** The current macroblock: position, source samples, neighbors, and levels. */
import { blockBytes, blockCount } from '../vp8/coefficients';
import {
  chromaStride,
  chromaU,
  chromaUAbove,
  chromaV,
  chromaVAbove,
  loadBlock,
  luma,
  lumaAbove,
} from '../vp8/sample-rows';
import { reconstructedRows } from '../vp8/transforms';
import {
  dequantizedHigh,
  dequantizedLow,
  lowerRows,
  quantizersOf,
  upperRows,
  weightsOf,
} from './quantization';
import { leftFlags, topFlags } from './token-partition';

/** Column, and whether there are neighboring macroblocks. */
export let column: i32 = 0;
export let hasLeft: bool = false;
export let hasAbove: bool = false;

/** Quantizers of its segment. */
export let quantizers: usize = 0;
export let weights: usize = 0;

/** Pointers to its predicted and reconstructed samples, and to the samples above. */
export let lumaAt: usize = 0;
export let lumaTop: usize = 0;
export let chromaUAt: usize = 0;
export let chromaUTop: usize = 0;
export let chromaVAt: usize = 0;
export let chromaVTop: usize = 0;

/** Flags of vp8/coefficients.ts for nonzero levels above and to the left. */
export let flagsAbove: usize = 0;
export let flagsLeft: usize = 0;

/** Source samples: 16 luma blocks, four each of U and V. */
const sources: usize = memory.data(24 * 16, 16);

/** Source samples of block `n`, 0 to 23. */
export function sourceBlock(n: usize): v128 {
  return v128.load(sources + (n << 4));
}

/** Goes to the macroblock in column `x` of a row. */
export function enterMacroblock(x: i32, isFirstRow: bool): void {
  column = x;
  hasLeft = x > 0;
  hasAbove = !isFirstRow;
  const offset = (<usize>x) << 4;
  lumaAt = luma + offset;
  lumaTop = lumaAbove + offset;
  chromaUAt = chromaU + (offset >> 1);
  chromaUTop = chromaUAbove + (offset >> 1);
  chromaVAt = chromaV + (offset >> 1);
  chromaVTop = chromaVAbove + (offset >> 1);
  flagsAbove = topFlags(x);
  flagsLeft = leftFlags();
}

/** Sets its segment. */
export function enterSegment(segment: i32): void {
  quantizers = quantizersOf(segment);
  weights = weightsOf(segment);
}

/** Copies its source samples from planes. */
export function takeSource(y: usize, u: usize, v: usize, strideY: usize, strideUv: usize): void {
  let to = sources;
  for (let n: usize = 0; n < 16; n += 1, to += 16) {
    v128.store(to, loadBlock(y + (n >> 2) * (strideY << 2) + ((n & 3) << 2), strideY));
  }
  to = takeFour(u, strideUv, to);
  takeFour(v, strideUv, to);
}

function takeFour(at: usize, stride: usize, to: usize): usize {
  const below = at + (stride << 2);
  v128.store(to, loadBlock(at, stride));
  v128.store(to, loadBlock(at + 4, stride), 16);
  v128.store(to, loadBlock(below, stride), 32);
  v128.store(to, loadBlock(below + 4, stride), 48);
  return to + 64;
}

/** Pointer to luma block `n`. */
export function lumaBlockAt(n: usize, stride: usize): usize {
  return lumaAt + (n >> 2) * (stride << 2) + ((n & 3) << 2);
}

/** Pointer to block `n` of the four in a chroma plane. */
export function chromaBlockAt(plane: usize, n: usize): usize {
  return plane + (n >> 1) * (chromaStride << 2) + ((n & 1) << 2);
}

// The levels of a macroblock's blocks, and the reconstruction of blocks from them.

/** The levels of the macroblock to encode. */
export const chosenLevels: usize = memory.data(blockCount * blockBytes, 16);

/** Pointer to block `n` of levels or coefficients. */
export function blockOf(blocks: usize, n: usize): usize {
  return blocks + blockBytes * n;
}

/** Reconstructs a block from its levels. */
export function restored(levels: usize, quantizer: usize, predicted: v128): v128 {
  const low = dequantizedLow(levels, quantizer);
  const high = dequantizedHigh(levels, quantizer);
  return reconstructedRows(upperRows(low, high), lowerRows(low, high), predicted);
}

/** Like `restored`, for a block whose DC coefficient comes from the second-order block. */
export function restoredWith(first: i32, levels: usize, quantizer: usize, predicted: v128): v128 {
  const low = i16x8.replace_lane(dequantizedLow(levels, quantizer), 0, <i16>first);
  const high = dequantizedHigh(levels, quantizer);
  return reconstructedRows(upperRows(low, high), lowerRows(low, high), predicted);
}
