/**
 * Prediction modes: their codes (RFC 6386 §11), what they cost, how often they occur, and keeping them until the first
 * partition is written, whose length they must not exceed.
 */
import { allocate } from '../../../../wasm/assembly/memory';
import { nextPiece, pieceBytes, takePiece } from '../pieces';
import {
  blockModeNodes,
  blockModeProbabilities,
  blockModes,
  chromaMode,
  isByBlock,
  isSkipped,
  segmentOf,
} from '../vp8/modes';
import { blockDc, blockModeCount } from '../vp8/prediction';
import { segmentCount } from '../vp8/segments';
import { bitCost, branchCost, probabilityOf, returnChain } from './bool-encoder';

// The codes of prediction modes (RFC 6386 §11.2, §11.3), numbered as in vp8/prediction.ts.

/** Probability that the blocks of a macroblock are predicted separately. */
export const byBlockProbability: u32 = 145;

/* Modes of whole macroblocks: up to four entries of the bool encoder's list, terminated by 0. */
export const entryBytes: usize = 8;

/** Whole-macroblock luma modes, including the bit that selects them. */
export const wholeEntries: usize = memory.data<u16>([
  0x191, 0x09c, 0x0a3, 0, 0x191, 0x19c, 0x180, 0, 0x191, 0x09c, 0x1a3, 0, 0x191, 0x19c, 0x080, 0,
]);
/** Chroma modes. */
export const chromaEntries: usize = memory.data<u16>([
  0x08e, 0, 0, 0, 0x18e, 0x172, 0x1b7, 0, 0x18e, 0x072, 0, 0, 0x18e, 0x172, 0x0b7, 0,
]);

/* Modes of blocks: up to seven steps (twice the node plus the bit), followed by an end mark. */
export const pathBytes: usize = 8;
export const pathEnd: u32 = 255;
export const blockPaths: usize = memory.data<u8>([
  0, 255, 0, 0, 0, 0, 0, 0, 1, 2, 255, 0, 0, 0, 0, 0, 1, 3, 4, 255, 0, 0, 0, 0, 1, 3, 5, 6, 8, 255,
  0, 0, 1, 3, 5, 6, 9, 10, 255, 0, 1, 3, 5, 6, 9, 11, 255, 0, 1, 3, 5, 7, 12, 255, 0, 0, 1, 3, 5, 7,
  13, 14, 255, 0, 1, 3, 5, 7, 13, 15, 16, 255, 1, 3, 5, 7, 13, 15, 17, 255,
]);

// The modes of neighboring blocks, which are the context of a block's mode (RFC 6386 §11.3).

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

// Costs of prediction modes in 256ths of a bit, from the fixed probabilities (RFC 6386 §11).

/** Bytes of a context. */
const contextBytes: usize = blockModeCount * 2;
const contextCount: usize = blockModeCount * blockModeCount;

/** Costs of block modes by context and mode, u16. */
let blockModeCosts: usize = 0;
/** Cost of selecting prediction by block, in addition to the costs of the blocks' modes. */
export let byBlockRate: i32 = 0;

/** Allocates the table; returns false if there is no memory. */
export function allocateModeCosts(): bool {
  blockModeCosts = allocate(contextBytes * contextCount);
  return blockModeCosts !== 0;
}

/** Computes the costs. */
export function prepareModeCosts(): void {
  byBlockRate = bitCost(0, byBlockProbability);
  for (let context: usize = 0; context < contextCount; context += 1) {
    const nodes = blockModeProbabilities + blockModeNodes * context;
    for (let mode = 0; mode < blockModeCount; mode += 1) {
      store<u16>(blockModeCostsIn(context) + (mode << 1), <u16>pathCost(mode, nodes));
    }
  }
}

function pathCost(mode: i32, nodes: usize): u32 {
  let cost: u32 = 0;
  for (let at = blockPaths + pathBytes * mode; load<u8>(at) !== <u8>pathEnd; at += 1) {
    const step: u32 = load<u8>(at);
    cost += bitCost(step & 1, load<u8>(nodes + (step >> 1)));
  }
  return cost;
}

/** Pointer to the costs of all block modes in a context (`modeContext`), u16 each. */
export function blockModeCostsIn(context: usize): usize {
  return blockModeCosts + contextBytes * context;
}

/** Cost of a block mode in a context (`modeContext`). */
function blockModeCost(context: usize, mode: u32): u32 {
  return load<u16>(blockModeCostsIn(context) + (mode << 1));
}

/** Cost of a luma mode, including that of selecting prediction as a whole. */
export function wholeModeRate(mode: i32): i32 {
  return entriesCost(wholeEntries + entryBytes * mode);
}

/** Cost of a chroma mode. */
export function chromaModeRate(mode: i32): i32 {
  return entriesCost(chromaEntries + entryBytes * mode);
}

function entriesCost(entries: usize): i32 {
  let cost: u32 = 0;
  for (let at = entries; load<u16>(at) !== 0; at += 2) {
    const entry: u32 = load<u16>(at);
    cost += bitCost(entry >> 8, entry & 0xff);
  }
  return cost;
}

// Counts macroblocks by segment and those without coefficients, and sums the costs of all modes in the first partition.

/** Number of macroblocks in each segment, u32. */
const segments: usize = memory.data(segmentCount * 4, 4);
let skipped: u32 = 0;
let macroblocks: u32 = 0;
/** Cost of all modes in 256ths of a bit. */
let modesCost: u64 = 0;

/** Resets all counts. */
export function beginModeCounts(): void {
  memory.fill(segments, 0, segmentCount * 4);
  skipped = 0;
  macroblocks = 0;
  modesCost = 0;
}

/** Counts macroblock `x` of the row. */
export function countModes(x: i32, record: usize, isSkipped: bool): void {
  const segment = segments + ((<usize>load<u8>(record, segmentOf)) << 2);
  store<u32>(segment, load<u32>(segment) + 1);
  macroblocks += 1;
  if (isSkipped) skipped += 1;
  modesCost += chromaModeRate(load<u8>(record, chromaMode)) + lumaCost(x, record);
}

function lumaCost(x: i32, record: usize): i32 {
  const modes = record + blockModes;
  if (load<u8>(record, isByBlock) === 0) return wholeModeRate(load<u8>(modes));
  let cost = byBlockRate;
  for (let n: usize = 0; n < 16; n += 1) {
    cost += blockModeCost(modeContext(modes, n, x), load<u8>(modes + n));
  }
  return cost;
}

/** Number of macroblocks in segment `i`. */
export function inSegment(i: i32): u32 {
  return load<u32>(segments + (i << 2));
}

/** Whether any macroblock has no coefficients. */
export function hasSkips(): bool {
  return skipped > 0;
}

/** Probability that a macroblock has coefficients. */
export function skipProbability(): u32 {
  return probabilityOf(macroblocks - skipped, skipped);
}

/** Probability of a node, 0 to 2, of the segment tree (RFC 6386 §10), whose zeros lead to lower segments. */
export function segmentProbability(node: i32): u32 {
  return probabilityOf(segmentZeros(node), segmentOnes(node));
}

function segmentZeros(node: i32): u32 {
  if (node === 0) return inSegment(0) + inSegment(1);
  return inSegment(node === 1 ? 0 : 2);
}

function segmentOnes(node: i32): u32 {
  if (node === 0) return inSegment(2) + inSegment(3);
  return inSegment(node === 1 ? 1 : 3);
}

/** Approximate bits of the first partition for the macroblocks so far, without its header. @internal */
export function modeBits(): i32 {
  let cost = modesCost + branchCost(macroblocks - skipped, skipped, skipProbability());
  for (let node = 0; node < 3; node += 1) {
    cost += branchCost(segmentZeros(node), segmentOnes(node), segmentProbability(node));
  }
  return <i32>(cost >> 8);
}

// Keeps the modes of all macroblocks until their partition is written: one byte each with segment, chroma mode, luma
// mode and skip flag; eight more bytes with the modes of blocks that are predicted separately.

/* Layout of the byte: segment in bits 0 and 1, chroma mode in 2 and 3, luma mode in 4 and 5. */
const chromaShift: u32 = 2;
const wholeShift: u32 = 4;
const byBlockBit: u32 = 1 << 6;
const skippedBit: u32 = 1 << 7;

/** Maximum bytes of a macroblock. If a piece has less left, the next one is used. */
const maxBytes: usize = 9;

let first: usize = 0;
/** The current piece. */
let current: usize = 0;
/** The next byte, and the end of the piece. */
let next: usize = 0;
let end: usize = 0;

/** Resets without freeing pieces; for counting several times in one instance. */
export function forgetModes(): void {
  first = 0;
  current = 0;
  next = 0;
  end = 0;
}

/** Frees all pieces. */
export function dropModes(): void {
  returnChain(first);
  forgetModes();
}

/** Appends the record of a macroblock (see vp8/modes.ts); returns false if there is no memory. */
export function keepModes(record: usize, skipped: bool): bool {
  if (next + maxBytes > end && !addPiece()) return false;
  const byBlock = load<u8>(record, isByBlock) !== 0;
  const head =
    <u32>load<u8>(record, segmentOf) |
    ((<u32>load<u8>(record, chromaMode)) << chromaShift) |
    (byBlock ? byBlockBit : (<u32>load<u8>(record, blockModes)) << wholeShift) |
    (skipped ? skippedBit : 0);
  store<u8>(next, <u8>head);
  next += 1;
  if (!byBlock) return true;
  const upper = load<u64>(record, blockModes);
  const lower = load<u64>(record, blockModes + 8);
  store<u64>(next, upper | (lower << 4));
  next += 8;
  return true;
}

function addPiece(): bool {
  const piece = takePiece(current);
  if (piece === 0) return false;
  if (current === 0) first = piece;
  enter(piece);
  return true;
}

function enter(piece: usize): void {
  current = piece;
  next = piece;
  end = piece + pieceBytes;
}

/** Starts reading with the first macroblock. */
export function openModes(): void {
  enter(first);
}

/** Reads the record of the next macroblock. */
export function readKeptModes(record: usize): void {
  if (next + maxBytes > end) enter(nextPiece(current));
  const head: u32 = load<u8>(next);
  next += 1;
  const byBlock = (head & byBlockBit) !== 0;
  store<u8>(record, <u8>(head & 3), segmentOf);
  store<u8>(record, <u8>((head >> chromaShift) & 3), chromaMode);
  store<u8>(record, byBlock ? 1 : 0, isByBlock);
  store<u8>(record, (head & skippedBit) !== 0 ? 1 : 0, isSkipped);
  if (byBlock) {
    const nibbles = v128.load64_splat(next);
    next += 8;
    const upper = v128.and(nibbles, i8x16.splat(15));
    const lower = i8x16.shr_u(nibbles, 4);
    v128.store(record, i64x2.shuffle(upper, lower, 0, 2), blockModes);
  } else {
    v128.store(record, i8x16.splat(<i8>((head >> wholeShift) & 3)), blockModes);
  }
}

// Limits the bits of modes: the first partition must be shorter than 512 KiB (RFC 6386 §9.1: its size has 19 bits),
// which is not enough for large pictures. If the rest of the picture threatens to exceed it, the weight of mode bits
// increases from row to row; if hardly anything is left, macroblocks are predicted as a whole.

/** Weight of the bits of modes. */
export let modeWeight: f64 = 1;

/** Factor by which the weight changes from one row to the next. */
const weightStep: f64 = 1.1;
/** Share of the limit to aim at. */
const aim: f64 = 0.95;
/** Bits reserved for a macroblock that is predicted as a whole: 3.4 to 7.4 for modes, up to two for the segment. */
const wholeBits: i32 = 8;
/** Maximum bits of a macroblock whose blocks are predicted separately: 14.8 for each block, and some for the rest. */
const blocksBits: i32 = 248;
/** Bits reserved for the header; a new token probability takes at most 16, so two thirds of all 1056 may be new. */
const headerBits: i32 = 1056 * 10 + 256;

/** Limit in bits. */
let limit: i32 = 0;
let rowsLeft: i32 = 0;
/** Number of macroblocks after the current one. */
let macroblocksLeft: i32 = 0;
/** Bits of all rows so far, and recent bits per row. */
let used: i32 = 0;
let recent: i32 = 0;

/** @param bytes maximum bytes of the partition */
export function beginModeBudget(columns: i32, rows: i32, bytes: i32): void {
  limit = max(0, 8 * bytes - headerBits);
  rowsLeft = rows;
  macroblocksLeft = columns * rows;
  modeWeight = 1;
  used = 0;
  recent = 0;
}

/** Enters the next macroblock; returns whether its blocks may be predicted separately. */
export function enterBudget(): bool {
  macroblocksLeft -= 1;
  return modeBits() + blocksBits + wholeBits * macroblocksLeft <= limit;
}

/** Adapts the weight after a row. */
export function endBudgetRow(): void {
  const now = modeBits();
  const row = now - used;
  recent = recent === 0 ? row : (3 * recent + row) >> 2;
  used = now;
  rowsLeft -= 1;
  const projected = <f64>used + <f64>recent * <f64>rowsLeft;
  if (projected > aim * <f64>limit) modeWeight *= weightStep;
  else modeWeight = max(1, modeWeight / weightStep);
}
