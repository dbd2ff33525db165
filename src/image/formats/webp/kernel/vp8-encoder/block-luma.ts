/** Encodes the luma of a macroblock whose blocks are predicted separately, in ten modes. */
import { blockBytes, lumaWhole } from '../vp8/coefficients';
import { blockModeCount, edgeOf, predictedFrom } from '../vp8/prediction';
import { lumaStride, storeBlock } from '../vp8/sample-rows';
import {
  blockOf,
  chosenLevels,
  column,
  flagsAbove,
  flagsLeft,
  lumaAt,
  lumaBlockAt,
  lumaTop,
  quantizers,
  restored,
  sourceBlock,
  weights,
} from './current-macroblock';
import { forwardTransform } from './forward-transforms';
import { blockRate } from './level-costs';
import { blockModeCostsIn, byBlockRate, contextBetween, leftModes, topModes } from './modes';
import {
  blockChoice,
  blockTrellis,
  codedLength,
  lumaQuantizer,
  quantizationError,
  quantize,
  trellisQuantize,
  wayChoice,
} from './quantization';

/** The modes of the blocks. */
export const triedModes: usize = memory.data(16);

/** Coefficients of the trial mode, of the best mode and of the second-best mode. */
let tried: usize = memory.data(blockBytes, 16);
let best: usize = memory.data(blockBytes, 16);
let second: usize = memory.data(blockBytes, 16);
let bestMode: i32 = 0;
let secondMode: i32 = 0;
const triedLevels: usize = memory.data(blockBytes, 16);

/** Flags for nonzero levels, and modes, of the blocks above and to the left. */
const above: usize = memory.data(4, 4);
const left: usize = memory.data(4, 4);
const modesAbove: usize = memory.data(4, 4);
const modesLeft: usize = memory.data(4, 4);

/**
 * Predicts, encodes and reconstructs the macroblock block by block, as long as the cost is below `limit`, in 256ths of
 * a bit.
 *
 * @param modeWeight weight of the bits of modes
 * @returns whether all blocks were encoded: their modes are in `triedModes`, and their levels in `chosenLevels`
 */
export function takeBlocks(limit: f64, modeWeight: f64): bool {
  const stride = lumaStride;
  // The samples above and to the right of the lower rows of blocks are those of the macroblock above (RFC 6386 §12.3).
  const beyond = load<u32>(lumaTop + 16);
  store<u32>(lumaAt + 3 * stride, beyond, 16);
  store<u32>(lumaAt + 7 * stride, beyond, 16);
  store<u32>(lumaAt + 11 * stride, beyond, 16);
  store<u32>(above, load<u32>(flagsAbove));
  store<u32>(left, load<u32>(flagsLeft));
  store<u32>(modesAbove, load<u32>(topModes(column)));
  store<u32>(modesLeft, load<u32>(leftModes()));
  let score = modeWeight * <f64>byBlockRate;
  for (let n: usize = 0; n < 16; n += 1) {
    score += takeBlock(n, modeWeight);
    if (score >= limit) return false;
  }
  return true;
}

/** @returns the cost of the block */
function takeBlock(n: usize, modeWeight: f64): f64 {
  const top = n & 3;
  const side = n >> 2;
  const at = lumaBlockAt(n, lumaStride);
  const edge = edgeOf(at, n < 4 ? lumaTop + (top << 2) : at - lumaStride, lumaStride);
  const context: i32 = load<u8>(above + top) + load<u8>(left + side);
  const modeRates = blockModeCostsIn(
    contextBetween(load<u8>(modesAbove + top), load<u8>(modesLeft + side)),
  );
  const source = sourceBlock(n);
  rankModes(source, edge, context, modeRates, modeWeight);

  const quantizer = quantizers + lumaQuantizer;
  const trellis = weights + blockTrellis;
  const levels = blockOf(chosenLevels, n);
  let mode = bestMode;
  trellisQuantize(best, quantizer, trellis, lumaWhole, 0, context, levels);
  let rate = blockRate(levels, codedLength(levels), lumaWhole, 0, context);
  let error = quantizationError(best, levels, quantizer);
  let modeRate = modeWeight * <f64>load<u16>(modeRates + (mode << 1));
  if (secondMode >= 0) {
    trellisQuantize(second, quantizer, trellis, lumaWhole, 0, context, triedLevels);
    const otherRate = blockRate(triedLevels, codedLength(triedLevels), lumaWhole, 0, context);
    const otherError = quantizationError(second, triedLevels, quantizer);
    const otherModeRate = modeWeight * <f64>load<u16>(modeRates + (secondMode << 1));
    const weight = load<f64>(weights, blockChoice);
    if (
      <f64>otherRate + otherModeRate + weight * <f64>otherError <
      <f64>rate + modeRate + weight * <f64>error
    ) {
      mode = secondMode;
      rate = otherRate;
      error = otherError;
      modeRate = otherModeRate;
      memory.copy(levels, triedLevels, blockBytes);
    }
  }
  const has: u8 = codedLength(levels) > 0 ? 1 : 0;
  store<u8>(above + top, has);
  store<u8>(left + side, has);
  store<u8>(modesAbove + top, <u8>mode);
  store<u8>(modesLeft + side, <u8>mode);
  store<u8>(triedModes + n, <u8>mode);
  storeBlock(at, lumaStride, restored(levels, quantizer, predictedFrom(mode, edge)));
  return <f64>rate + modeRate + load<f64>(weights, wayChoice) * <f64>error;
}

/** Finds the best two modes, with levels that are rounded independently. */
function rankModes(
  source: v128,
  edge: v128,
  context: i32,
  modeRates: usize,
  modeWeight: f64,
): void {
  const quantizer = quantizers + lumaQuantizer;
  const weight = load<f64>(weights, blockChoice);
  let least = Infinity;
  let next = Infinity;
  secondMode = -1;
  for (let mode = 0; mode < blockModeCount; mode += 1) {
    forwardTransform(source, predictedFrom(mode, edge), tried);
    quantize(tried, quantizer, triedLevels);
    let score =
      modeWeight * <f64>load<u16>(modeRates + (mode << 1)) +
      weight * <f64>quantizationError(tried, triedLevels, quantizer);
    if (score >= next) continue;
    const length = codedLength(triedLevels);
    score += <f64>blockRate(triedLevels, length, lumaWhole, 0, context);
    if (score >= next) continue;
    if (score < least) {
      const last = second;
      second = best;
      secondMode = bestMode;
      next = least;
      best = tried;
      bestMode = mode;
      least = score;
      tried = last;
    } else {
      const last = second;
      second = tried;
      secondMode = mode;
      next = score;
      tried = last;
    }
  }
  if (next === Infinity) secondMode = -1;
}
