/** Encodes the luma of a macroblock that is predicted as a whole, in four modes. */
import {
  blockBytes,
  lumaRest,
  secondOrder,
  secondOrderBlock,
  secondOrderFlag,
} from '../vp8/coefficients';
import { modeCount, predictLuma } from '../vp8/prediction';
import { loadBlock, lumaStride, storeBlock } from '../vp8/sample-rows';
import { inverseWalshHadamard } from '../vp8/transforms';
import {
  blockOf,
  chosenLevels,
  flagsAbove,
  flagsLeft,
  hasAbove,
  hasLeft,
  lumaAt,
  lumaBlockAt,
  lumaTop,
  quantizers,
  restoredWith,
  sourceBlock,
  weights,
} from './current-macroblock';
import { forwardTransform, forwardWalshHadamard } from './forward-transforms';
import { blockRate } from './level-costs';
import { wholeModeRate } from './modes';
import {
  codedLength,
  dequantizedHigh,
  dequantizedLow,
  lowerRows,
  lumaQuantizer,
  quantizationError,
  quantize,
  secondOrderQuantizer,
  secondOrderTrellis,
  trellisQuantize,
  upperRows,
  wayChoice,
  wholeChoice,
  wholeTrellis,
} from './quantization';

/** Coefficients of the trial mode and of the best mode, with the second-order block as block 16. */
let tried: usize = memory.data(17 * blockBytes, 16);
let best: usize = memory.data(17 * blockBytes, 16);
const secondOrderOf: usize = 16;
const levels: usize = memory.data(17 * blockBytes, 16);
/** The reconstructed second-order block in rows, and the DC coefficients of the blocks, 32 bytes apart. */
const secondRows: usize = memory.data(blockBytes, 16);
const firsts: usize = memory.data(16 * blockBytes, 16);
/** Flags for nonzero levels of the blocks above and to the left. */
const above: usize = memory.data(4, 4);
const left: usize = memory.data(4, 4);

export let wholeMode: i32 = 0;
/** Cost (rate and weighted error) of predicting the macroblock as a whole, in 256ths of a bit. */
export let wholeScore: f64 = 0;

let rate: i32 = 0;
let error: f64 = 0;

/** Finds the best mode, and its levels. */
export function chooseWhole(): void {
  let least = Infinity;
  const weight = load<f64>(weights, wholeChoice);
  for (let mode = 0; mode < modeCount; mode += 1) {
    transformWhole(mode);
    quantizeWhole(tried, false);
    const score = <f64>(rate + wholeModeRate(mode)) + weight * error;
    if (score < least) {
      least = score;
      wholeMode = mode;
      const former = best;
      best = tried;
      tried = former;
    }
  }
  quantizeWhole(best, true);
  wholeScore = <f64>(rate + wholeModeRate(wholeMode)) + load<f64>(weights, wayChoice) * error;
}

function transformWhole(mode: i32): void {
  predictLuma(mode, lumaAt, lumaTop, lumaStride, hasLeft, hasAbove);
  for (let n: usize = 0; n < 16; n += 1) {
    const predicted = loadBlock(lumaBlockAt(n, lumaStride), lumaStride);
    forwardTransform(sourceBlock(n), predicted, blockOf(tried, n));
  }
  forwardWalshHadamard(tried, blockOf(tried, secondOrderOf));
  for (let n: usize = 0; n < 16; n += 1) store<i16>(blockOf(tried, n), 0);
}

/** Quantizes all blocks, and sums rate and error. */
function quantizeWhole(coefficients: usize, isFinal: bool): void {
  const quantizer = quantizers + lumaQuantizer;
  quantizeSecondOrder(blockOf(coefficients, secondOrderOf), isFinal);
  store<u32>(above, load<u32>(flagsAbove));
  store<u32>(left, load<u32>(flagsLeft));
  for (let n: usize = 0; n < 16; n += 1) {
    const from = blockOf(coefficients, n);
    const to = blockOf(levels, n);
    const top = above + (n & 3);
    const side = left + (n >> 2);
    const context: i32 = load<u8>(top) + load<u8>(side);
    if (isFinal) trellisQuantize(from, quantizer, weights + wholeTrellis, lumaRest, 1, context, to);
    else quantize(from, quantizer, to);
    const length = codedLength(to);
    rate += blockRate(to, length, lumaRest, 1, context);
    error += quantizationError(from, to, quantizer);
    const has: u8 = length > 1 ? 1 : 0;
    store<u8>(top, has);
    store<u8>(side, has);
  }
}

function quantizeSecondOrder(coefficients: usize, isFinal: bool): void {
  const quantizer = quantizers + secondOrderQuantizer;
  const to = blockOf(levels, secondOrderOf);
  const context: i32 = load<u8>(flagsAbove, secondOrderFlag) + load<u8>(flagsLeft, secondOrderFlag);
  if (isFinal) {
    const trellis = weights + secondOrderTrellis;
    trellisQuantize(coefficients, quantizer, trellis, secondOrder, 0, context, to);
  } else {
    quantize(coefficients, quantizer, to);
  }
  rate = blockRate(to, codedLength(to), secondOrder, 0, context);
  // The second-order transform doubles the scale once more.
  error = <f64>quantizationError(coefficients, to, quantizer) / 4;
}

/** Applies the best mode: stores its levels, and reconstructs the samples. */
export function takeWhole(): void {
  memory.copy(chosenLevels, levels, 16 * blockBytes);
  const second = blockOf(chosenLevels, secondOrderBlock);
  memory.copy(second, blockOf(levels, secondOrderOf), blockBytes);
  restoreSecondOrder(second);
  predictLuma(wholeMode, lumaAt, lumaTop, lumaStride, hasLeft, hasAbove);
  for (let n: usize = 0; n < 16; n += 1) {
    const at = lumaBlockAt(n, lumaStride);
    const block = restoredWith(
      load<i16>(firsts + blockBytes * n),
      blockOf(levels, n),
      quantizers + lumaQuantizer,
      loadBlock(at, lumaStride),
    );
    storeBlock(at, lumaStride, block);
  }
}

function restoreSecondOrder(second: usize): void {
  const quantizer = quantizers + secondOrderQuantizer;
  const low = dequantizedLow(second, quantizer);
  const high = dequantizedHigh(second, quantizer);
  v128.store(secondRows, upperRows(low, high));
  v128.store(secondRows, lowerRows(low, high), 16);
  inverseWalshHadamard(secondRows, firsts);
}
