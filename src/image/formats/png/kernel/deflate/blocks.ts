/** Blocks of deflate (RFC 1951 §3.2.3): parsed, divided, and each encoded in the form that takes the fewest bits. */

import { allocate } from '../../../../wasm/assembly/memory';
import { assignCodes, codeLengths } from '../../../../wasm/assembly/prefix-codes';
import { spend } from '../../../../wasm/assembly/work';
import { alignOutput, putBits } from './bit-output';
import { beginCodes, fixedLiterals, planCodeTables, writeCodeTables } from './codes';
import {
  addTokens,
  areFewNodes,
  choiceAt,
  countTokens,
  dropNodes,
  nodeAt,
  nodeNumber,
  nodesOf,
  parse,
} from './parser';
import {
  addCounts,
  countsBytes,
  distanceBase,
  distanceCounts,
  distanceExtra,
  distanceSymbols,
  endOfBlock,
  estimatedBlockBits,
  extraBits,
  lengthBase,
  lengthExtra,
  lengthSlot,
  literalSymbols,
  setCostsFromLengths,
  setInitialCosts,
  updateCosts,
} from './symbols';

const maxCodeBits: i32 = 15;
/** Maximum bytes of a stored block. */
const maxStored: i32 = 65535;

const counts: usize = memory.data(1280, 16);
const otherCounts: usize = memory.data(1280, 16);
const literalLengths: usize = memory.data(288, 16);
const distanceLengths: usize = memory.data(32, 16);

/** How often the costs of a block are refined; 0 if tokens have already been chosen. */
let rounds: i32 = 2;
let isFirst: bool = true;

/** Begins a stream. */
export function beginBlocks(roundNumber: i32): void {
  rounds = roundNumber;
  isFirst = true;
  step = closed;
  beginCodes();
  // Nothing is known of the data yet.
  setFixedLengths();
  setCostsFromLengths(literalLengths, distanceLengths);
}

// All nodes are written as blocks, in steps between which the kernel may pause.

/** What `writeNextBlock` does next. */
const closed: i32 = 0;
const learning: i32 = 1;
const dividing: i32 = 2;
const writing: i32 = 3;
let step: i32 = closed;
/** Whether these nodes are the last of the stream; otherwise those of the last block may be kept. */
let areLast: bool = false;
/** The next block, and its first node. */
let block: i32 = 0;
let blockStart: i32 = 0;

/** Predicted nanoseconds to write a block besides parsing it: for itself, and for each of its nodes. */
const blockCost: u32 = 30_000;
const tokenCost: u32 = 8;

/** Begins to write all nodes as blocks; unless they are the last nodes, those of the last block may be kept. */
export function openBlocks(isLast: bool): void {
  areLast = isLast;
  step = isFirst && rounds > 0 ? learning : dividing;
}

/** Whether there are blocks to write before further nodes are added. */
export function areBlocksOpen(): bool {
  return step !== closed;
}

/** Writes a block, or prepares that. */
export function writeNextBlock(): void {
  const end = nodeNumber();
  if (step === learning) {
    countBytes(0, end);
    setInitialCosts(counts);
    parse(0, end);
    countTokens(0, end, counts);
    updateCosts(counts);
    isFirst = false;
    step = dividing;
  } else if (step === dividing) {
    parse(0, end);
    divide(end);
    block = 0;
    blockStart = 0;
    step = writing;
    if (number === 0 && areLast) writeBlock(0, 0, true);
  } else {
    const isEnd = block === number - 1;
    if (block === number || (isEnd && !areLast && areFewNodes(blockStart))) {
      dropNodes(blockStart);
      step = closed;
      return;
    }
    writeBlock(blockStart, blockEnd(block), isEnd && areLast);
    blockStart = blockEnd(block);
    block += 1;
  }
}

function countBytes(first: i32, end: i32): void {
  memory.fill(counts, 0, 1280);
  for (let node = first; node < end; node += 1) {
    const at = counts + ((<usize>(load<u32>(nodeAt(node)) & 255)) << 2);
    store<u32>(at, load<u32>(at) + 1);
  }
}

function writeBlock(first: i32, end: i32, isFinal: bool): void {
  spend(blockCost + tokenCost * <u32>(end - first));
  countTokens(first, end, counts);
  if (rounds > 1) retryWithInitialCosts(first, end);
  for (let round = 0; round < rounds; round += 1) {
    updateCosts(counts);
    parse(first, end);
    countTokens(first, end, counts);
  }
  setOwnLengths();
  // Finally, the actual code lengths.
  setCostsFromLengths(literalLengths, distanceLengths);
  if (rounds > 0) {
    parse(first, end);
    countTokens(first, end, counts);
  }
  const extra = extraBits(counts);
  setFixedLengths();
  const fixed = extra + codedBits();
  setOwnLengths();
  const dynamic = extra + codedBits() + planCodeTables(literalLengths, distanceLengths);
  const stored = storedBits(first, end);
  putBits(isFinal ? 1 : 0, 1);
  if (stored < min(fixed, dynamic)) {
    writeStored(first, end);
    return;
  }
  if (fixed <= dynamic) {
    setFixedLengths();
    putBits(1, 2);
    writeTokens(first, end, literalLengths, fixedLiterals, distanceLengths);
  } else {
    putBits(2, 2);
    writeCodeTables();
    writeTokens(first, end, literalLengths, literalSymbols, distanceLengths);
  }
}

/** Parses with initial costs, since costs learned from other blocks may mislead, and keeps the better counts. */
function retryWithInitialCosts(first: i32, end: i32): void {
  const bits = estimatedBlockBits(counts) + <f32>extraBits(counts);
  memory.copy(otherCounts, counts, countsBytes);
  countBytes(first, end);
  setInitialCosts(counts);
  parse(first, end);
  countTokens(first, end, counts);
  if (bits < estimatedBlockBits(counts) + <f32>extraBits(counts)) {
    memory.copy(counts, otherCounts, countsBytes);
  }
}

/** Sets the optimal code lengths for the counts. */
function setOwnLengths(): void {
  codeLengths(counts, literalSymbols, maxCodeBits, literalLengths);
  codeLengths(distanceCounts(counts), distanceSymbols, maxCodeBits, distanceLengths);
}

/** Sets the code lengths of fixed blocks (RFC 1951 §3.2.6). */
function setFixedLengths(): void {
  memory.fill(literalLengths, 8, fixedLiterals);
  memory.fill(literalLengths + 144, 9, 112);
  memory.fill(literalLengths + 256, 7, 24);
  memory.fill(distanceLengths, 5, 32);
}

function codedBits(): u32 {
  let bits: u32 = 0;
  for (let i = 0; i < literalSymbols; i += 1) {
    bits += load<u32>(counts + ((<usize>i) << 2)) * load<u8>(literalLengths + i);
  }
  const distances = distanceCounts(counts);
  for (let i = 0; i < distanceSymbols; i += 1) {
    bits += load<u32>(distances + ((<usize>i) << 2)) * load<u8>(distanceLengths + i);
  }
  return bits;
}

/** Upper bound of the bits of a stored block; nodes that stand for more than their byte cannot be stored. */
function storedBits(first: i32, end: i32): u32 {
  const length = end - first;
  if (length > maxStored) return u32.MAX_VALUE;
  for (let node = first; node < end; node += 1) {
    if (choiceAt(node) >> 31 !== 0) return u32.MAX_VALUE;
    node += nodesOf(choiceAt(node)) - 1;
  }
  return ((<u32>length) << 3) + 32 + 7;
}

function writeStored(first: i32, end: i32): void {
  putBits(0, 2);
  alignOutput();
  const length = end - first;
  putBits(length | ((length ^ 0xffff) << 16), 32);
  for (let node = first; node < end; node += 1) putBits(load<u32>(nodeAt(node)) & 255, 8);
}

// Block boundaries: the tokens are cut into pieces of equal number, and neighbors are merged, those with the largest
// gain first, as long as a common code takes fewer bits than two.

const maxPieces: i32 = 64;
const minTokens: i32 = 400;

/** Counts of each piece, and of two merge candidates. */
let pieces: usize = 0;
const mergedCounts: usize = memory.data(1280, 16);
/** For each piece: the node after it, i32; its bits, f32; the gain of merging it with the next one, f32. */
const ends: usize = memory.data(1040, 16);
/** Number of pieces; once these have been merged, of blocks. */
let number: i32 = 0;

/** Allocates 80 KiB; false if memory runs out. */
export function allocatePieces(): bool {
  pieces = allocate(countsBytes * maxPieces);
  return pieces !== 0;
}

/** Divides the parsed tokens up to `end` into blocks, none without nodes. */
function divide(end: i32): void {
  let tokens = 0;
  for (let node = 0; node < end; node += nodesOf(choiceAt(node))) tokens += 1;
  const each = max(minTokens, (tokens + maxPieces - 1) / maxPieces);
  memory.fill(pieces, 0, countsBytes * maxPieces);
  number = 0;
  for (let node = 0; node < end; number += 1) {
    node = addTokens(node, end, each, countsOf(number));
    store<i32>(endOf(number), node);
    store<f32>(endOf(number), estimatedBlockBits(countsOf(number)), 4);
  }
  for (let piece = 0; piece + 1 < number; piece += 1) updateGain(piece);
  while (number > 1) {
    let best = 0;
    for (let piece = 1; piece + 1 < number; piece += 1) {
      if (gainOf(piece) > gainOf(best)) best = piece;
    }
    if (gainOf(best) <= 0) break;
    mergeWithNext(best);
  }
}

/** The node after a block. */
function blockEnd(block: i32): i32 {
  return load<i32>(endOf(block));
}

function endOf(piece: i32): usize {
  return ends + ((<usize>piece) << 4);
}

function countsOf(piece: i32): usize {
  return pieces + countsBytes * piece;
}

function gainOf(piece: i32): f32 {
  return load<f32>(endOf(piece), 8);
}

function updateGain(piece: i32): void {
  memory.copy(mergedCounts, countsOf(piece), countsBytes);
  addCounts(mergedCounts, countsOf(piece + 1));
  const apart = load<f32>(endOf(piece), 4) + load<f32>(endOf(piece + 1), 4);
  store<f32>(endOf(piece), apart - estimatedBlockBits(mergedCounts), 8);
}

function mergeWithNext(piece: i32): void {
  addCounts(countsOf(piece), countsOf(piece + 1));
  store<i32>(endOf(piece), load<i32>(endOf(piece + 1)));
  store<f32>(endOf(piece), estimatedBlockBits(countsOf(piece)), 4);
  number -= 1;
  const behind = number - piece - 1;
  memory.copy(countsOf(piece + 1), countsOf(piece + 2), countsBytes * behind);
  memory.copy(endOf(piece + 1), endOf(piece + 2), behind << 4);
  if (piece > 0) updateGain(piece - 1);
  if (piece + 1 < number) updateGain(piece);
}

// Writing tokens: symbols with their extra bits (RFC 1951 §3.2.5).

const literalCodes: usize = memory.data(1152, 16);
const distanceCodes: usize = memory.data(128, 16);

/**
 * Writes the tokens chosen from `first` to `end`, and the end of the block.
 * @param literalNumber number of literals and lengths that have a code: 286, or 288 for the fixed ones
 */
function writeTokens(
  first: i32,
  end: i32,
  literalLengths: usize,
  literalNumber: i32,
  distanceLengths: usize,
): void {
  assignCodes(literalLengths, literalNumber, literalCodes);
  assignCodes(distanceLengths, distanceSymbols, distanceCodes);
  for (let node = first; node < end; ) {
    const choice = choiceAt(node);
    if (choice === 0) {
      putCode(literalCodes, load<u32>(nodeAt(node)) & 255);
      node += 1;
      continue;
    }
    const length = <i32>((choice >> 16) & 511);
    const slot = lengthSlot(length);
    putCode(literalCodes, 257 + slot);
    putBits(length - lengthBase(slot), lengthExtra(slot));
    const distance = (choice >> 25) & 31;
    putCode(distanceCodes, distance);
    putBits((choice & 0xffff) - distanceBase(distance), distanceExtra(distance));
    node += nodesOf(choice);
  }
  putCode(literalCodes, endOfBlock);
}

function putCode(codes: usize, symbol: u32): void {
  const code = load<u32>(codes + ((<usize>symbol) << 2));
  putBits(code & 0xffff, code >> 16);
}
