/** The levels of a macroblock's blocks, and the reconstruction of blocks from them. */
import { blockBytes, blockCount } from '../vp8/coefficients';
import { reconstructedRows } from '../vp8/transforms';
import { dequantizedHigh, dequantizedLow, lowerRows, upperRows } from './quantization';

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
