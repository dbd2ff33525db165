/** Encodes the chroma of a macroblock, with one of four modes for both planes. */
import { blockBytes, chroma, chromaFlags, firstChroma } from '../vp8/coefficients';
import { modeCount, predictChroma } from '../vp8/prediction';
import { chromaStride, loadBlock, storeBlock } from '../vp8/sample-rows';
import { diffuseErrors, keepErrors } from './chroma-diffusion';
import { blockOf, chosenLevels, restored } from './coded-blocks';
import {
  chromaBlockAt,
  chromaUAt,
  chromaUTop,
  chromaVAt,
  chromaVTop,
  flagsAbove,
  flagsLeft,
  hasAbove,
  hasLeft,
  quantizers,
  sourceBlock,
  weights,
} from './current-macroblock';
import { chromaChoice } from './error-weights';
import { forwardTransform } from './forward-transforms';
import { chromaModeRate } from './modes';
import { chromaQuantizer, codedLength, quantizationError, quantize } from './quantization';
import { blockRate } from './rates';

const blockCount: usize = 8;

/** Coefficients, followed by their levels, of the current trial mode and of the best mode. */
let tried: usize = memory.data(2 * blockCount * blockBytes, 16);
let best: usize = memory.data(2 * blockCount * blockBytes, 16);
/** Flags for nonzero levels: two each for U and V above, and to the left. */
const above: usize = memory.data(4, 4);
const left: usize = memory.data(4, 4);

/** The mode that `takeChroma` has chosen. */
export let chosenChromaMode: i32 = 0;

let rate: i32 = 0;
let error: i32 = 0;

/** Finds the best mode; encodes and reconstructs the macroblock's chroma. */
export function takeChroma(): void {
  let least = Infinity;
  const weight = load<f64>(weights, chromaChoice);
  for (let mode = 0; mode < modeCount; mode += 1) {
    transform(mode);
    quantizeAll();
    const score = <f64>(rate + chromaModeRate(mode)) + weight * <f64>error;
    if (score >= least) continue;
    least = score;
    chosenChromaMode = mode;
    const former = best;
    best = tried;
    tried = former;
  }
  memory.copy(blockOf(chosenLevels, firstChroma), levelsOf(best), blockBytes * blockCount);
  keepErrors(best, quantizers + chromaQuantizer);
  restoreAll();
}

function predict(mode: i32): void {
  predictChroma(mode, chromaUAt, chromaUTop, chromaStride, hasLeft, hasAbove);
  predictChroma(mode, chromaVAt, chromaVTop, chromaStride, hasLeft, hasAbove);
}

/** Pointer to block `n`: four of U, four of V. */
function placeOf(n: usize): usize {
  return n < 4 ? chromaBlockAt(chromaUAt, n) : chromaBlockAt(chromaVAt, n - 4);
}

function transform(mode: i32): void {
  predict(mode);
  for (let n: usize = 0; n < blockCount; n += 1) {
    const predicted = loadBlock(placeOf(n), chromaStride);
    forwardTransform(sourceBlock(firstChroma + n), predicted, blockOf(tried, n));
  }
  diffuseErrors(tried, quantizers + chromaQuantizer);
}

function levelsOf(coefficients: usize): usize {
  return blockOf(coefficients, blockCount);
}

/** Quantizes the trial mode, and sums its rate and error. */
function quantizeAll(): void {
  const quantizer = quantizers + chromaQuantizer;
  store<u32>(above, load<u32>(flagsAbove, chromaFlags));
  store<u32>(left, load<u32>(flagsLeft, chromaFlags));
  rate = 0;
  error = 0;
  for (let n: usize = 0; n < blockCount; n += 1) {
    const from = blockOf(tried, n);
    const to = blockOf(levelsOf(tried), n);
    const plane = (n >> 2) << 1;
    const top = above + plane + (n & 1);
    const side = left + plane + ((n >> 1) & 1);
    const context: i32 = load<u8>(top) + load<u8>(side);
    quantize(from, quantizer, to);
    const length = codedLength(to);
    rate += blockRate(to, length, chroma, 0, context);
    error += quantizationError(from, to, quantizer);
    const has: u8 = length > 0 ? 1 : 0;
    store<u8>(top, has);
    store<u8>(side, has);
  }
}

function restoreAll(): void {
  predict(chosenChromaMode);
  const quantizer = quantizers + chromaQuantizer;
  for (let n: usize = 0; n < blockCount; n += 1) {
    const at = placeOf(n);
    const chosen = blockOf(chosenLevels, firstChroma + n);
    storeBlock(at, chromaStride, restored(chosen, quantizer, loadBlock(at, chromaStride)));
  }
}
