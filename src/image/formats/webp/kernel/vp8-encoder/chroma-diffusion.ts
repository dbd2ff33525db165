/**
 * Diffusion of what quantization takes from the first coefficients of chroma: each block passes its error on to the
 * blocks to the right and below. Single blocks are then off by as much, but not whole areas, where it is seen. It is
 * what Floyd and Steinberg, "An adaptive algorithm for spatial grayscale" (1976), do with pixels, with two neighbors.
 */
import { allocate } from '../../../../wasm/assembly/memory';
import { firstChroma } from '../vp8/macroblock-blocks';
import { blockOf, chosenLevels } from './coded-blocks';
import { column } from './current-macroblock';
import { nearestDcLevel, stepAt } from './quantization';

/** Errors that wait for the macroblock below, or to the right: two each of U and V, as i16. */
const errorBytes: usize = 8;
let above: usize = 0;
let across: usize = 0;
const left: usize = memory.data(8, 8);

/** Shares of the errors of the blocks above and to the left that a block takes, in 256ths; the rest is dropped. */
const fromAbove: i32 = 67;
const fromLeft: i32 = 77;

/** Allocates what a row of so many macroblocks takes; false if there is no room. */
export function allocateDiffusion(macroblocks: i32): bool {
  across = macroblocks;
  above = allocate(errorBytes * across);
  return above !== 0;
}

/** Begins above the first row. */
export function beginDiffusion(): void {
  memory.fill(above, 0, errorBytes * across);
}

/** Begins a row. */
export function beginDiffusionRow(): void {
  store<u64>(left, 0);
}

/**
 * Adds to the first coefficients of the macroblock's chroma what has been passed on to them.
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

/** Corrects the first coefficient of a block, and tells the error that it will have. */
function corrected(block: usize, quantizer: usize, errorAbove: i32, errorLeft: i32): i32 {
  const passed = (fromAbove * errorAbove + fromLeft * errorLeft) >> 8;
  const coefficient = <i32>load<i16>(block) + passed;
  store<i16>(block, <i16>coefficient);
  return coefficient - nearestDcLevel(coefficient, quantizer) * stepAt(quantizer, 0);
}

/** Keeps for the macroblocks around what the levels that were chosen leave of the coefficients. */
export function keepErrors(coefficients: usize, quantizer: usize): void {
  const top = above + errorBytes * column;
  const step = stepAt(quantizer, 0);
  for (let plane: usize = 0; plane < 2; plane += 1) {
    const block = blockOf(coefficients, 4 * plane);
    const levels = blockOf(chosenLevels, firstChroma + 4 * plane);
    const last = errorOf(block, levels, 3, step);
    // the last block has two neighbors: most goes to the one that comes next
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
