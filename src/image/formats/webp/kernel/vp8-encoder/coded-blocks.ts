/** The coefficients of a macroblock's blocks, and the levels that they are quantized to. */
import { blockBytes, blockCount } from '../vp8/macroblock-blocks';
import { reconstructedRows } from '../vp8/transforms';
import { dequantizedHigh, dequantizedLow, lowerRows, upperRows } from './quantization';

/** The levels of the macroblock, as they will be coded. */
export const chosenLevels: usize = memory.data(blockCount * blockBytes, 16);

/** Block `n` of levels or coefficients. */
export function blockOf(blocks: usize, n: usize): usize {
  return blocks + blockBytes * n;
}

/** The block that levels restore. */
export function restored(levels: usize, quantizer: usize, predicted: v128): v128 {
  const low = dequantizedLow(levels, quantizer);
  const high = dequantizedHigh(levels, quantizer);
  return reconstructedRows(upperRows(low, high), lowerRows(low, high), predicted);
}

/** As `restored`, of a block whose first coefficient comes from the second order. */
export function restoredWith(first: i32, levels: usize, quantizer: usize, predicted: v128): v128 {
  const low = i16x8.replace_lane(dequantizedLow(levels, quantizer), 0, <i16>first);
  const high = dequantizedHigh(levels, quantizer);
  return reconstructedRows(upperRows(low, high), lowerRows(low, high), predicted);
}
