/** The modes of neighboring blocks, which are the context of a block's mode (RFC 6386 §11.3). */
import { allocate } from '../../../../wasm/assembly/memory';
import { blockDc, blockModeCount } from '../vp8/prediction';

/** Modes of the four blocks above each macroblock, and of those to the left of the next one. */
let above: usize = 0;
let across: usize = 0;
const left: usize = memory.data(4, 4);

/** Allocates memory for a row with this number of macroblocks; returns false if there is none. */
export function allocateModeContexts(macroblocks: i32): bool {
  across = macroblocks;
  above = allocate(across << 2);
  return above !== 0;
}

/** Starts before the first row. */
export function beginModeContexts(): void {
  memory.fill(above, <u8>blockDc, across << 2);
}

/** Starts a row. */
export function beginModeRow(): void {
  store<u32>(left, 0x01010101 * blockDc);
}

/** Pointer to the modes of the four blocks above macroblock `x`, one byte each. */
export function topModes(x: i32): usize {
  return above + ((<usize>x) << 2);
}

/** Pointer to the modes of the four blocks to the left of the next macroblock, one byte each. */
export function leftModes(): usize {
  return left;
}

/** The context for the modes above and to the left, an index of `blockModeProbabilities`. */
export function contextBetween(top: usize, side: usize): usize {
  return blockModeCount * top + side;
}

/**
 * The context of block `n` of macroblock `x`.
 * @param modes the 16 modes of the macroblock, of which those before `n` are set
 */
export function modeContext(modes: usize, n: usize, x: i32): usize {
  const top: usize = n < 4 ? load<u8>(topModes(x) + n) : load<u8>(modes + n - 4);
  const side: usize = (n & 3) === 0 ? load<u8>(left + (n >> 2)) : load<u8>(modes + n - 1);
  return contextBetween(top, side);
}

/** Stores the modes of macroblock `x` for those below and to the right. */
export function enterModes(modes: usize, x: i32): void {
  store<u32>(topModes(x), load<u32>(modes, 12));
  for (let y: usize = 0; y < 4; y += 1) store<u8>(left + y, load<u8>(modes + (y << 2), 3));
}
