/**
 * Flags for neighboring blocks with coefficients: the number of those above and to the left is the context of a block's
 * first token (RFC 6386 §13.3).
 */
import { allocate } from '../../../../wasm/assembly/memory';
import {
  chromaFlags,
  firstChroma,
  firstV,
  flagBytes,
  lumaFlags,
  secondOrderBlock,
  secondOrderFlag,
  vFlags,
} from '../vp8/coefficients';

/** Flags of vp8/coefficients.ts, 0 or 1: above each macroblock, and to the left of the next one. */
let above: usize = 0;
let across: usize = 0;
const left: usize = memory.data(flagBytes, 4);
/** Contexts of the blocks in a macroblock, one byte each. */
const contexts: usize = memory.data(28, 4);

/** Allocates memory for a row with this number of macroblocks; returns false if there is none. */
export function allocateContexts(macroblocks: i32): bool {
  across = macroblocks;
  above = allocate(flagBytes * across);
  return above !== 0;
}

/** Starts before the first row. */
export function beginContexts(): void {
  memory.fill(above, 0, flagBytes * across);
}

/** Starts a row. */
export function beginContextRow(): void {
  memory.fill(left, 0, flagBytes);
}

/** Pointer to the flags above macroblock `x`. */
export function topFlags(x: i32): usize {
  return above + flagBytes * x;
}

/** Pointer to the flags to the left of the next macroblock. */
export function leftFlags(): usize {
  return left;
}

/** Context of block `n` in the last entered macroblock: 0 to 2. */
export function contextOf(n: i32): i32 {
  return load<u8>(contexts + n);
}

/** Handles a macroblock without tokens. If it has no second-order block, the flag for that block is kept. */
export function skipContexts(x: i32, isByBlock: bool): void {
  const top = topFlags(x);
  store<u64>(top, 0);
  store<u64>(left, 0);
  if (!isByBlock) {
    store<u8>(top, 0, secondOrderFlag);
    store<u8>(left, 0, secondOrderFlag);
  }
}

/**
 * Computes the contexts of macroblock `x`, and stores its flags for those below and to the right.
 * @param mask one bit per block, set if it has coefficients
 */
export function enterContexts(x: i32, mask: u32, isByBlock: bool): void {
  const top = topFlags(x);
  if (!isByBlock) {
    const flag = (mask >> secondOrderBlock) & 1;
    store<u8>(
      contexts + secondOrderBlock,
      load<u8>(top, secondOrderFlag) + load<u8>(left, secondOrderFlag),
    );
    store<u8>(top, <u8>flag, secondOrderFlag);
    store<u8>(left, <u8>flag, secondOrderFlag);
  }
  enterPlane(contexts, mask, 4, top + lumaFlags, left + lumaFlags);
  enterPlane(contexts + firstChroma, mask >> firstChroma, 2, top + chromaFlags, left + chromaFlags);
  enterPlane(contexts + firstV, mask >> firstV, 2, top + vFlags, left + vFlags);
}

/** Enters `size` × `size` blocks, whose bits are the lowest ones of the mask. */
function enterPlane(to: usize, mask: u32, size: usize, top: usize, side: usize): void {
  let bits = mask;
  for (let y: usize = 0; y < size; y += 1) {
    let before = load<u8>(side + y);
    for (let x: usize = 0; x < size; x += 1) {
      store<u8>(to, before + load<u8>(top + x));
      before = <u8>(bits & 1);
      store<u8>(top + x, before);
      bits >>= 1;
      to += 1;
    }
    store<u8>(side + y, before);
  }
}
