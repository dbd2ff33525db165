/**
 * Tokens (RFC 6386 §13.2): their counts, extra bits, and the probabilities that are chosen by the counts.
 */
import { allocate } from '../../../../wasm/assembly/memory';
import { extraBits } from '../vp8/coefficients';
import {
  bandCount,
  bands,
  contextCount,
  defaultProbabilities,
  nodeCount,
  typeCount,
  updateProbabilities,
} from '../vp8/token-probabilities';
import { bitCost, branchCost, probabilityOf, putBit, putNumber } from './bool-encoder';

// Counts of tokens (RFC 6386 §13.2) by block type, position and context. They determine the zeros and ones at each node
// of the token tree, and so probabilities and costs.

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

// The extra bits of category tokens, which give the offset of a magnitude of at least 5 within its category (RFC 6386
// §13.2).

/** Maximum magnitude; the last category could represent up to 67 + 2047. */
export const maxLevel: i32 = 2047;

/* Probabilities of the extra bit of category 1, and of the two of category 2. */
export const firstExtra: u32 = 159;
export const secondExtraHigh: u32 = 165;
export const secondExtraLow: u32 = 145;

/** Bytes of a list in `extraBits`. */
const listBytes: usize = 12;

/** Index 0 to 3 of categories 3 to 6 for magnitudes from 11 on: they begin at 3 + 8, 3 + 16, 3 + 32 and 3 + 64. */
export function largeCategory(magnitude: u32): u32 {
  return min<u32>(3, 28 - clz<u32>(magnitude - 3));
}

/** Value of the extra bits for such a magnitude. */
export function largeExtra(magnitude: u32, category: u32): u32 {
  return magnitude - 3 - (8 << category);
}

/** Number of extra bits. */
export function extraCount(category: u32): i32 {
  return category === 3 ? 11 : <i32>category + 3;
}

/** Pointer to the probabilities of the extra bits, one byte each. */
export function extraProbabilities(category: u32): usize {
  return extraBits + listBytes * category;
}

// The token probabilities of the frame: a default is replaced by the probability from the counts if that saves more
// than it costs in the header (RFC 6386 §13.4).

/** Chosen probabilities, by type, band, context and node. */
const chosenBytes: usize = 4 * 8 * 3 * 11;
let chosen: usize = 0;

/** Probabilities by type and position: three contexts of 16 bytes each. */
const spreadContextBytes: usize = 16;
const spreadPositionBytes: usize = 48;
const spreadTypeBytes: usize = 16 * spreadPositionBytes;
let spreadOut: usize = 0;

/** Cost of a new probability in 256ths of a bit. */
const newCost: u32 = 8 << 8;

/** Allocates the tables; returns false if there is no memory. */
export function allocateProbabilities(): bool {
  chosen = allocate(chosenBytes);
  spreadOut = allocate(4 * spreadTypeBytes);
  return chosen !== 0 && spreadOut !== 0;
}

/** Pointer to the probabilities of all nodes at a position and with a context, one byte each; none for position 16. */
export function probabilitiesAt(type: i32, position: i32, context: i32): usize {
  return (
    spreadOut +
    spreadTypeBytes * type +
    spreadPositionBytes * position +
    spreadContextBytes * context
  );
}

/** Chooses all probabilities by the counts. */
export function chooseProbabilities(): void {
  let i: usize = 0;
  for (let type = 0; type < typeCount; type += 1) {
    for (let band = 0; band < bandCount; band += 1) {
      for (let context = 0; context < contextCount; context += 1) {
        countBranches(type, band, context);
        for (let node = 0; node < nodeCount; node += 1, i += 1) {
          store<u8>(chosen + i, <u8>choice(node, i));
        }
        spread(type, band, context, chosen + i - nodeCount);
      }
    }
  }
}

/** Chooses the probability of a node; `i` is the index of its default. */
function choice(node: i32, i: usize): u32 {
  const zeros = zerosAt(node);
  const ones = onesAt(node);
  const old: u32 = load<u8>(defaultProbabilities + i);
  const update: u32 = load<u8>(updateProbabilities + i);
  const best = probabilityOf(zeros, ones);
  const kept = branchCost(zeros, ones, old) + bitCost(0, update);
  const replaced = branchCost(zeros, ones, best) + bitCost(1, update) + newCost;
  return replaced < kept ? best : old;
}

/** Stores the probabilities of a context for all positions of their band. */
function spread(type: i32, band: i32, context: i32, nodes: usize): void {
  for (let position = 0; position < 16; position += 1) {
    if (load<u8>(bands + position) !== <u8>band) continue;
    memory.copy(probabilitiesAt(type, position, context), nodes, nodeCount);
  }
}

/** Lists the bits of the frame header for the probabilities. */
export function putProbabilities(): void {
  for (let i: usize = 0; i < chosenBytes; i += 1) {
    const probability: u32 = load<u8>(chosen + i);
    const isNew = probability !== <u32>load<u8>(defaultProbabilities + i);
    putBit(isNew ? 1 : 0, load<u8>(updateProbabilities + i));
    if (isNew) putNumber(probability, 8);
  }
}
