/** Blocks of deflate (RFC 1951 §3.2.3): parsed, divided, each coded in the form that takes fewest bits. */

import { alignOutput, putBits } from './bit-output';
import { blockEnd, divide } from './block-ends';
import { codeLengths } from './code-lengths';
import { planCodeTables, writeCodeTables } from './code-tables';
import { guessCosts, learnCosts, takeCosts } from './costs';
import { areFewNodes, dropNodes, nodeAt, nodeNumber } from './nodes';
import { choiceAt, countTokens, nodesOf, parse } from './parser';
import { distanceSymbols, literalSymbols } from './symbols';
import { countsBytes, distanceCounts, extraBits, guessedBits } from './token-counts';
import { writeTokens } from './token-output';

const mostCodeBits: i32 = 15;
/** The fixed code has two more than can be used. */
const fixedLiterals: i32 = 288;
/** The most bytes of a stored block. */
const mostStored: i32 = 65535;

const counts: usize = memory.data(1280, 16);
const otherCounts: usize = memory.data(1280, 16);
const literalLengths: usize = memory.data(288, 16);
const distanceLengths: usize = memory.data(32, 16);

/** How often the costs of a block are learnt anew. */
let rounds: i32 = 2;
let isFirst: bool = true;

/** Begins a stream. */
export function beginBlocks(roundNumber: i32): void {
  rounds = roundNumber;
  isFirst = true;
}

/** Writes blocks out of all nodes; unless they are the last, those of the last block may stay. */
export function writeBlocks(isLast: bool): void {
  const end = nodeNumber();
  if (isFirst) {
    countBytes(0, end);
    guessCosts(counts);
    parse(0, end);
    countTokens(0, end, counts);
    learnCosts(counts);
    isFirst = false;
  }
  parse(0, end);
  const number = divide(end);
  let first = 0;
  for (let block = 0; block < number; block += 1) {
    const isEnd = block === number - 1;
    if (isEnd && !isLast && areFewNodes(first)) break;
    writeBlock(first, blockEnd(block), isEnd && isLast);
    first = blockEnd(block);
  }
  if (number === 0 && isLast) writeBlock(0, 0, true);
  dropNodes(first);
}

function countBytes(first: i32, end: i32): void {
  memory.fill(counts, 0, 1280);
  for (let node = first; node < end; node += 1) {
    const at = counts + ((<usize>(load<u32>(nodeAt(node)) & 255)) << 2);
    store<u32>(at, load<u32>(at) + 1);
  }
}

function writeBlock(first: i32, end: i32, isFinal: bool): void {
  countTokens(first, end, counts);
  if (rounds > 1) guessAnew(first, end);
  for (let round = 0; round < rounds; round += 1) {
    learnCosts(counts);
    parse(first, end);
    countTokens(first, end, counts);
  }
  setOwnLengths();
  // and at last the lengths that codes really have
  takeCosts(literalLengths, distanceLengths);
  parse(first, end);
  countTokens(first, end, counts);
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

/** Parses with guessed costs, since what was learnt from other blocks may lead astray, and counts the better. */
function guessAnew(first: i32, end: i32): void {
  const bits = guessedBits(counts) + <f32>extraBits(counts);
  memory.copy(otherCounts, counts, countsBytes);
  countBytes(first, end);
  guessCosts(counts);
  parse(first, end);
  countTokens(first, end, counts);
  if (bits < guessedBits(counts) + <f32>extraBits(counts)) {
    memory.copy(counts, otherCounts, countsBytes);
  }
}

/** The codes that suit what was counted. */
function setOwnLengths(): void {
  codeLengths(counts, literalSymbols, mostCodeBits, literalLengths);
  codeLengths(distanceCounts(counts), distanceSymbols, mostCodeBits, distanceLengths);
}

/** The codes of fixed blocks (RFC 1951 §3.2.6). */
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

/** Bits of a stored block, at most; none is made of nodes that stand for more than their byte. */
function storedBits(first: i32, end: i32): u32 {
  const length = end - first;
  if (length > mostStored) return u32.MAX_VALUE;
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
