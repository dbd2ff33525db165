/** Encodes the chroma of a macroblock, with one of four modes for both planes. */
import { allocate } from '../../../../wasm/assembly/memory';
import { blockBytes, chroma, chromaFlags, firstChroma } from '../vp8/coefficients';
import { modeCount, predictChroma } from '../vp8/prediction';
import { chromaStride, loadBlock, storeBlock } from '../vp8/sample-rows';
import {
  blockOf,
  chosenLevels,
  chromaBlockAt,
  chromaUAt,
  chromaUTop,
  chromaVAt,
  chromaVTop,
  column,
  flagsAbove,
  flagsLeft,
  hasAbove,
  hasLeft,
  quantizers,
  restored,
  sourceBlock,
  weights,
} from './current-macroblock';
import { forwardTransform } from './forward-transforms';
import { blockRate } from './level-costs';
import { chromaModeRate } from './modes';
import {
  chromaChoice,
  chromaQuantizer,
  codedLength,
  nearestDcLevel,
  quantizationError,
  quantize,
  stepAt,
} from './quantization';

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

// Error diffusion for the DC coefficients of chroma: each block passes its quantization error on to the blocks to the
// right and below. The error of single blocks stays the same, but averages out over areas, where it would be visible.
// Similar to Floyd and Steinberg, "An adaptive algorithm for spatial grayscale" (1976), with two neighbors.

/** Errors for the macroblock below or to the right: two each for U and V, i16. */
const errorBytes: usize = 8;
let errorsAbove: usize = 0;
let across: usize = 0;
const errorsLeft: usize = memory.data(8, 8);

/** Shares of the errors from the blocks errorsAbove and to the errorsLeft, in 256ths; the rest is dropped. */
const fromAbove: i32 = 67;
const fromLeft: i32 = 77;

/** Allocates memory for a row with this number of macroblocks; returns false if there is none. */
export function allocateDiffusion(macroblocks: i32): bool {
  across = macroblocks;
  errorsAbove = allocate(errorBytes * across);
  return errorsAbove !== 0;
}

/** Starts before the first row. */
export function beginDiffusion(): void {
  memory.fill(errorsAbove, 0, errorBytes * across);
}

/** Starts a row. */
export function beginDiffusionRow(): void {
  store<u64>(errorsLeft, 0);
}

/**
 * Adds the diffused errors to the DC coefficients of the macroblock's chroma.
 * @param coefficients eight blocks: four of U, four of V
 */
function diffuseErrors(coefficients: usize, quantizer: usize): void {
  const top = errorsAbove + errorBytes * column;
  for (let plane: usize = 0; plane < 2; plane += 1) {
    const block = blockOf(coefficients, 4 * plane);
    const at = 4 * plane;
    const first = corrected(block, quantizer, load<i16>(top + at), load<i16>(errorsLeft + at));
    const second = corrected(blockOf(block, 1), quantizer, load<i16>(top + at, 2), first);
    const third = corrected(blockOf(block, 2), quantizer, first, load<i16>(errorsLeft + at, 2));
    corrected(blockOf(block, 3), quantizer, second, third);
  }
}

/** Corrects the DC coefficient of a block; returns the error that it will have. */
function corrected(block: usize, quantizer: usize, errorAbove: i32, errorLeft: i32): i32 {
  const passed = (fromAbove * errorAbove + fromLeft * errorLeft) >> 8;
  const coefficient = <i32>load<i16>(block) + passed;
  store<i16>(block, <i16>coefficient);
  return coefficient - nearestDcLevel(coefficient, quantizer) * stepAt(quantizer, 0);
}

/** Stores the errors of the chosen levels for the neighboring macroblocks. */
function keepErrors(coefficients: usize, quantizer: usize): void {
  const top = errorsAbove + errorBytes * column;
  const step = stepAt(quantizer, 0);
  for (let plane: usize = 0; plane < 2; plane += 1) {
    const block = blockOf(coefficients, 4 * plane);
    const levels = blockOf(chosenLevels, firstChroma + 4 * plane);
    const last = errorOf(block, levels, 3, step);
    // The last block has two neighbors; most goes to the next one.
    const side = (3 * last) >> 2;
    const at = 4 * plane;
    store<i16>(errorsLeft + at, <i16>errorOf(block, levels, 1, step));
    store<i16>(errorsLeft + at, <i16>side, 2);
    store<i16>(top + at, <i16>errorOf(block, levels, 2, step));
    store<i16>(top + at, <i16>(last - side), 2);
  }
}

function errorOf(blocks: usize, levels: usize, n: usize, step: i32): i32 {
  return <i32>load<i16>(blockOf(blocks, n)) - <i32>load<i16>(blockOf(levels, n)) * step;
}
