/**
 * Counts of tokens (RFC 6386 §13.2) by block type, position and context. They determine the zeros and ones at each node
 * of the token tree, and so probabilities and costs.
 */
import { allocate } from '../../../../wasm/assembly/memory';
import { bands } from '../vp8/token-probabilities';

/* Tokens: end of block, levels 0 to 4, and six categories of larger levels. */
export const endToken: u32 = 0;
export const zeroToken: u32 = 1;
const oneToken: u32 = 2;
const tokenCount: i32 = 12;
/** Not a token: the block did not end with context 0 where that was possible, which it is not after a zero. */
export const goneOn: u32 = 12;

/** The first level of the last category. */
export const lastLevel: i32 = 67;
/** Tokens of levels up to `lastLevel`. */
export const tokens: usize = memory.data<u8>([
  1, 2, 3, 4, 5, 6, 6, 7, 7, 7, 7, 8, 8, 8, 8, 8, 8, 8, 8, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9,
  9, 9, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10,
  10, 10, 10, 10, 10, 10, 10, 10, 10, 11,
]);

/* Cells of 16 u32. */
const cellBytes: usize = 64;
const positionBytes: usize = 3 * cellBytes;
const typeBytes: usize = 16 * positionBytes;
const allBytes: usize = 4 * typeBytes;
let counts: usize = 0;

/** Cell for the sum over a band. */
const sum: usize = memory.data(64, 16);
/** Numbers of zeros and ones at each node, u32. */
const branches: usize = memory.data(88, 4);

/** Allocates the counts; returns false if there is no memory. */
export function allocateTokenCounts(): bool {
  counts = allocate(allBytes);
  return counts !== 0;
}

/** Resets all counts. */
export function beginTokenCounts(): void {
  memory.fill(counts, 0, allBytes);
}

/** Pointer to the cells of a block type. */
export function cellsOf(type: i32): usize {
  return counts + typeBytes * type;
}

/** Pointer to the cell of a position and a context. */
export function cellAt(cells: usize, position: i32, context: i32): usize {
  return cells + positionBytes * position + cellBytes * context;
}

/** Counts a token, or `goneOn`. */
export function count(cell: usize, token: u32): void {
  const at = cell + <usize>(token << 2);
  store<u32>(at, load<u32>(at) + 1);
}

/** Sets `branches` from the cells of a band and a context. */
export function countBranches(type: i32, band: i32, context: i32): void {
  sumBand(type, band, context);
  let greater: u32 = 0;
  for (let token = oneToken; token < <u32>tokenCount; token += 1) greater += counted(token);
  const ones = counted(oneToken);
  const small = counted(3) + counted(4) + counted(5);
  const middle = counted(6) + counted(7);
  const high = counted(10) + counted(11);
  const large = counted(8) + counted(9) + high;
  const afterZero = context === 0;
  setBranch(0, counted(endToken), afterZero ? counted(goneOn) : counted(zeroToken) + greater);
  setBranch(1, counted(zeroToken), greater);
  setBranch(2, ones, greater - ones);
  setBranch(3, small, middle + large);
  setBranch(4, counted(3), counted(4) + counted(5));
  setBranch(5, counted(4), counted(5));
  setBranch(6, middle, large);
  setBranch(7, counted(6), counted(7));
  setBranch(8, counted(8) + counted(9), high);
  setBranch(9, counted(8), counted(9));
  setBranch(10, counted(10), counted(11));
}

/** Number of zeros at a node after `countBranches`. */
export function zerosAt(node: i32): u32 {
  return load<u32>(branches + (node << 3));
}

/** Number of ones at a node after `countBranches`. */
export function onesAt(node: i32): u32 {
  return load<u32>(branches + (node << 3), 4);
}

function sumBand(type: i32, band: i32, context: i32): void {
  memory.fill(sum, 0, cellBytes);
  const cells = cellsOf(type);
  for (let position = 0; position < 16; position += 1) {
    if (load<u8>(bands + position) !== <u8>band) continue;
    const cell = cellAt(cells, position, context);
    for (let at: usize = 0; at < cellBytes; at += 16) {
      v128.store(sum + at, i32x4.add(v128.load(sum + at), v128.load(cell + at)));
    }
  }
}

function counted(token: u32): u32 {
  return load<u32>(sum + (token << 2));
}

function setBranch(node: i32, zeros: u32, ones: u32): void {
  store<u32>(branches + (node << 3), zeros);
  store<u32>(branches + (node << 3), ones, 4);
}
