/** Compresses bytes that arrive in pieces into a zlib stream (RFC 1950). */
import { prepareLogarithms } from '../../../../wasm/assembly/logarithms';
import { allocate } from '../../../../wasm/assembly/memory';
import { isDue, spend } from '../../../../wasm/assembly/work';
import { adler32 } from '../adler32';
import {
  alignOutput,
  beginOutput,
  endOutput,
  outputIsFull,
  outputLength,
  putBits,
} from './bit-output';
import { allocatePieces, areBlocksOpen, beginBlocks, openBlocks, writeNextBlock } from './blocks';
import {
  allocateMatchFinder,
  findMatches,
  firstPosition,
  setOrigin,
  setSearchDepth,
  skipPosition,
  windowSize,
} from './match-finder';
import {
  addNode,
  addTakenMatch,
  allocateNodes,
  allocateParser,
  isShorter,
  nextMatches,
  nodesAreFull,
} from './parser';
import { maxLength, minLength } from './symbols';

/** Bytes held: the window and the lookahead. */
const held: usize = 131072;
/**
 * Bytes that must be known after a node: a match, and another one at its end, since trees are ordered by whole matches.
 */
const ahead: i32 = 2 * maxLength;
/** Bytes that matching may read beyond the end. */
const slack: usize = 16;

/** Predicted nanoseconds for each position, besides the search for its matches. */
const positionCost: u32 = 40;

/** Bytes that have been passed on, but are not held yet. */
let source: usize = 0;
let left: usize = 0;
let bytes: usize = 0;
/** End of the bytes held. */
let bytesEnd: usize = 0;
/** The first byte without a node. */
let next: usize = 0;
let position: u32 = 0;
/** Bytes that must be known after a node; none at the end of the stream. */
let known: i32 = ahead;
/** Whether the stream ends with the bytes passed on, and whether its last nodes have been written. */
let isEnding: bool = false;
let hasEnded: bool = false;
/** Adler-32 of all bytes so far. */
let checksum: u32 = 1;
/** How many positions at either end of a taken match are inserted into the trees. */
let edge: i32 = 0;
/** Whether each match that is shorter than its literals is taken immediately. */
let isGreedy: bool = false;

/** Allocates everything but the output, 2.7 MiB; false if memory runs out. */
export function allocateCompressor(): bool {
  bytes = allocate(held + slack);
  return (
    bytes !== 0 && allocateMatchFinder() && allocateNodes() && allocateParser() && allocatePieces()
  );
}

/** Begins a stream of at most `maxBytes` bytes; nothing may be allocated until it has been taken. */
export function beginStream(effort: i32, maxBytes: u32): bool {
  prepareLogarithms();
  checksum = 1;
  isGreedy = effort <= greedyEffort;
  beginBlocks(learningRounds(effort));
  setSearchDepth(searchDepth(effort));
  edge = searchedEdge(effort);
  left = 0;
  known = ahead;
  isEnding = false;
  hasEnded = false;
  bytesEnd = bytes;
  next = bytes;
  position = firstPosition;
  setOrigin(bytes, position);
  if (!beginOutput(maxBytes)) return false;
  // Deflate with a window of 32 KiB, best compression, and the check bits (RFC 1950 §2.2).
  putBits(0xda78, 16);
  return true;
}

/** Takes more bytes, which `continueStream` compresses; they must stay where they are until then. */
export function compress(from: usize, length: usize): void {
  checksum = adler32(checksum, from, length);
  source = from;
  left = length;
}

/** Ends the stream, which `continueStream` completes. */
export function endStream(): void {
  isEnding = true;
  known = 0;
}

/**
 * Compresses the bytes that were taken until a pause is due.
 * @returns whether all of them have been compressed, or the stream has exceeded its limit
 */
export function continueStream(): bool {
  while (!isDue()) {
    if (outputIsFull()) return true;
    if (areBlocksOpen()) writeNextBlock();
    else if (next + known < bytesEnd) makeNodes();
    else if (left > 0) takePiece();
    else if (!isEnding) return true;
    else if (!hasEnded) {
      openBlocks(true);
      hasEnded = true;
    } else {
      alignOutput();
      putBits(bswap<u32>(checksum), 32);
      alignOutput();
      endOutput();
      isEnding = false;
      return true;
    }
  }
  return false;
}

/** The length of the stream in bytes. */
export function streamLength(): i32 {
  return outputLength();
}

/** Moves bytes that were taken to those that are held. */
function takePiece(): void {
  if (bytesEnd === bytes + held) slide();
  const piece = min(left, bytes + held - bytesEnd);
  memory.copy(bytesEnd, source, piece);
  bytesEnd += piece;
  source += piece;
  left -= piece;
}

/** Makes room at the end by dropping bytes beyond the window. */
function slide(): void {
  const start = max(bytes, next - windowSize);
  const gone = start - bytes;
  memory.copy(bytes, start, bytesEnd - start);
  bytesEnd -= gone;
  next -= gone;
  setOrigin(next, position);
}

/** Creates nodes for bytes that are followed by at least `known` more, until blocks have to be written. */
function makeNodes(): void {
  while (next + known < bytesEnd && !isDue()) {
    if (nodesAreFull()) {
      openBlocks(false);
      return;
    }
    spend(positionCost);
    const available = <i32>(bytesEnd - next);
    const literal = <u32>load<u8>(next);
    const to = nextMatches();
    const end = available < 4 ? to : findMatches(position, available, to);
    next += 1;
    position += 1;
    const longest = end > to ? load<u32>(end - 4) : 0;
    const length = <i32>(longest >> 16);
    const isTaken = isGreedy
      ? length >= minLength && isShorter(longest, next - 1)
      : length === maxLength;
    if (!isTaken) {
      addNode(literal, isGreedy ? to : end);
      continue;
    }
    addTakenMatch(literal, longest);
    for (let left = length - 1; left > 0; left -= 1) {
      const rest = <i32>(bytesEnd - next);
      const isInside = left > edge && left <= length - edge;
      if (rest >= 4 && !isInside) skipPosition(position, rest);
      next += 1;
      position += 1;
    }
  }
}

// The effort spent on a stream: 1 for large pictures, 2 for medium-sized and 3 for small ones, measured with graphics
// and photos; 0 if CPU time is short.

const greedyEffort: i32 = 0;

/** How many positions are examined for a match. */
function searchDepth(effort: i32): i32 {
  if (effort <= greedyEffort) return 16;
  return effort === 1 ? 100 : effort === 2 ? 300 : 1000;
}

/** How many positions at either end of a taken match can be matched later. */
function searchedEdge(effort: i32): i32 {
  if (effort <= greedyEffort) return 8;
  return effort === 1 ? 32 : effort === 2 ? 64 : maxLength;
}

/** How often the costs of a block are refined. */
function learningRounds(effort: i32): i32 {
  return max(0, min(3, effort));
}
