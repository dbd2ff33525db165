/**
 * Error diffusion for the DC coefficients of chroma: each block passes its quantization error on to the blocks to the
 * right and below. The error of single blocks stays the same, but averages out over areas, where it would be visible.
 * Similar to Floyd and Steinberg, "An adaptive algorithm for spatial grayscale" (1976), with two neighbors.
 */
import { allocate } from '../../../../wasm/assembly/memory';
import { firstChroma } from '../vp8/coefficients';
import { blockOf, chosenLevels } from './coded-blocks';
import { column } from './current-macroblock';
import { nearestDcLevel, stepAt } from './quantization';

/** Errors for the macroblock below or to the right: two each for U and V, i16. */
const errorBytes: usize = 8;
let above: usize = 0;
let across: usize = 0;
const left: usize = memory.data(8, 8);

/** Shares of the errors from the blocks above and to the left, in 256ths; the rest is dropped. */
const fromAbove: i32 = 67;
const fromLeft: i32 = 77;

/** Allocates memory for a row with this number of macroblocks; returns false if there is none. */
export function allocateDiffusion(macroblocks: i32): bool {
  across = macroblocks;
  above = allocate(errorBytes * across);
  return above !== 0;
}

/** Starts before the first row. */
export function beginDiffusion(): void {
  memory.fill(above, 0, errorBytes * across);
}

/** Starts a row. */
export function beginDiffusionRow(): void {
  store<u64>(left, 0);
}

/**
 * Adds the diffused errors to the DC coefficients of the macroblock's chroma.
 * @param coefficients eight blocks: four of U, four of V
 */
export function diffuseErrors(coefficients: usize, quantizer: usize): void {
  const top = above + errorBytes * column;
  for (let plane: usize = 0; plane < 2; plane += 1) {
    const block = blockOf(coefficients, 4 * plane);
    const at = 4 * plane;
    const first = corrected(block, quantizer, load<i16>(top + at), load<i16>(left + at));
    const second = corrected(blockOf(block, 1), quantizer, load<i16>(top + at, 2), first);
    const third = corrected(blockOf(block, 2), quantizer, first, load<i16>(left + at, 2));
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
export function keepErrors(coefficients: usize, quantizer: usize): void {
  const top = above + errorBytes * column;
  const step = stepAt(quantizer, 0);
  for (let plane: usize = 0; plane < 2; plane += 1) {
    const block = blockOf(coefficients, 4 * plane);
    const levels = blockOf(chosenLevels, firstChroma + 4 * plane);
    const last = errorOf(block, levels, 3, step);
    // The last block has two neighbors; most goes to the next one.
    const side = (3 * last) >> 2;
    const at = 4 * plane;
    store<i16>(left + at, <i16>errorOf(block, levels, 1, step));
    store<i16>(left + at, <i16>side, 2);
    store<i16>(top + at, <i16>errorOf(block, levels, 2, step));
    store<i16>(top + at, <i16>(last - side), 2);
  }
}

function errorOf(blocks: usize, levels: usize, n: usize, step: i32): i32 {
  return <i32>load<i16>(blockOf(blocks, n)) - <i32>load<i16>(blockOf(levels, n)) * step;
}
