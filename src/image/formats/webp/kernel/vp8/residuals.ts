/**
 * The coefficients of a macroblock, read from a token partition (RFC 6386 §13), and flags for blocks with coefficients,
 * which are the context for the blocks below and to the right.
 */
import { allocate } from '../../../../wasm/assembly/memory';
import { chroma, lumaRest, lumaWhole, readBlock, secondOrder } from './coefficients';
import {
  blockBytes,
  chromaFlags,
  firstChroma,
  flagBytes,
  lumaFlags,
  secondOrderBlock,
  secondOrderFlag,
} from './macroblock-blocks';
import { chromaSteps, lumaSteps, secondOrderSteps } from './quantizers';
import { inverseWalshHadamard } from './transforms';

/** Luma and chroma blocks, and the second-order block, from which the DC coefficients of luma are computed. */
const coefficients: usize = memory.data(secondOrderBlock * blockBytes, 16);
const secondOrderCoefficients: usize = memory.data(blockBytes, 16);

/* Contents of a block. */
export const nothing: i32 = 0;
export const onlyFirst: i32 = 1;
/** Only the first three coefficients in zigzag order: DC and the first of the first row and column. */
export const few: i32 = 2;
export const many: i32 = 3;
/** Contents of each block, one byte each. */
const contents: usize = memory.data(secondOrderBlock, 8);

/** Flags of macroblock-blocks.ts for the blocks above and to the left: whether they had tokens. */
let above: usize = 0;
let across: usize = 0;
const left: usize = memory.data(flagBytes, 4);

/** Allocates memory for a row with this number of macroblocks; returns false if there is none. */
export function allocateResiduals(macroblocks: i32): bool {
  across = macroblocks;
  above = allocate(flagBytes * across);
  return above !== 0;
}

/** Starts before the first row. */
export function beginResiduals(): void {
  memory.fill(above, 0, flagBytes * across);
}

/** Starts a row. */
export function beginResidualRow(): void {
  memory.fill(left, 0, flagBytes);
}

/** The coefficients of block `n`, 0 to 23. */
export function blockAt(n: usize): usize {
  return coefficients + blockBytes * n;
}

/** The contents of block `n`. */
export function contentOf(n: usize): i32 {
  return load<u8>(contents + n);
}

/** The contents of four blocks, starting from block `n`, one byte each. */
export function contentsOf(n: usize): u32 {
  return load<u32>(contents + n);
}

/** Handles a macroblock without tokens. If it has no second-order block, the flag for that block is kept. */
export function skipResidual(x: i32, isByBlock: bool): void {
  const top = above + flagBytes * x;
  store<u64>(top, 0);
  store<u64>(left, 0);
  if (!isByBlock) {
    store<u8>(top, 0, secondOrderFlag);
    store<u8>(left, 0, secondOrderFlag);
  }
}

/**
 * Reads macroblock `x` of the row.
 * @param steps quantization steps of its segment
 * @returns whether it has any coefficient
 */
export function readResidual(x: i32, isByBlock: bool, steps: usize): bool {
  const top = above + flagBytes * x;
  for (let at: usize = 0; at < blockBytes * secondOrderBlock; at += 64) {
    v128.store(coefficients + at, i32x4.splat(0));
    v128.store(coefficients + at, i32x4.splat(0), 16);
    v128.store(coefficients + at, i32x4.splat(0), 32);
    v128.store(coefficients + at, i32x4.splat(0), 48);
  }
  if (!isByBlock) readSecondOrder(top, steps + secondOrderSteps);
  const type = isByBlock ? lumaWhole : lumaRest;
  const first = isByBlock ? 0 : 1;
  readPlane(0, 4, type, first, top + lumaFlags, left + lumaFlags, steps + lumaSteps);
  for (let n = firstChroma, at = chromaFlags; n < secondOrderBlock; n += 4, at += 2) {
    readPlane(n, 2, chroma, 0, top + at, left + at, steps + chromaSteps);
  }
  return (load<u64>(contents) | load<u64>(contents, 8) | load<u64>(contents, 16)) !== 0;
}

/** Reads the second-order block with the DC coefficients of all luma blocks (§13.3). */
function readSecondOrder(top: usize, steps: usize): void {
  v128.store(secondOrderCoefficients, i32x4.splat(0));
  v128.store(secondOrderCoefficients, i32x4.splat(0), 16);
  const flag: i32 = load<u8>(top, secondOrderFlag) + load<u8>(left, secondOrderFlag);
  const end = readBlock(secondOrder, flag, 0, steps, secondOrderCoefficients);
  const has: u8 = end > 0 ? 1 : 0;
  store<u8>(top, has, secondOrderFlag);
  store<u8>(left, has, secondOrderFlag);
  if (end > 0) inverseWalshHadamard(secondOrderCoefficients, coefficients);
}

/** Reads `size` × `size` blocks, starting from block `n`. */
function readPlane(
  n: usize,
  size: usize,
  type: i32,
  first: i32,
  top: usize,
  side: usize,
  steps: usize,
): void {
  for (let y: usize = 0; y < size; y += 1) {
    let before: i32 = load<u8>(side + y);
    for (let x: usize = 0; x < size; x += 1, n += 1) {
      const block = coefficients + blockBytes * n;
      const end = readBlock(type, before + load<u8>(top + x), first, steps, block);
      before = end > first ? 1 : 0;
      store<u8>(top + x, <u8>before);
      store<u8>(contents + n, <u8>contentUpTo(end, block));
    }
    store<u8>(side + y, <u8>before);
  }
}

/** The contents of a block whose tokens end at this position. */
function contentUpTo(end: i32, block: usize): i32 {
  if (end > 3) return many;
  if (end > 1) return few;
  return load<i16>(block) !== 0 ? onlyFirst : nothing;
}
