/**
 * The tokens of one row of groups, 32 rows of blocks of the grid: those that are kept for the whole picture, or made out of
 * the planes of a progressive source or of rows that stream by.
 */
import { allocate, extendTo, reach, room, taken } from '../../../wasm/assembly/memory';
import {
  blockRow,
  blocksAcross,
  blocksDown,
  coded,
  longestRow,
  vertical,
} from '../../jpeg/kernel/frame';
import { expandRow } from '../../jpeg/kernel/planes';
import { maxBlockBytes, rowTokens, tokenize, tokensAreStored } from '../../jpeg/kernel/tokens';
import { componentsCoded, groupSide, isThere, shiftDown } from './grid';
import { takeLowFrequencies } from './low-frequencies';

/** Per component: start of the tokens of its rows. */
const starts: usize = memory.data(3 * 32 * 4);
/** A row of blocks as the planes give it. */
let dense: usize = 0;
/** Where tokens of the row of groups go that are made for it, where the next of them go, and what they may have. */
let scratch: usize = 0;
let next: usize = 0;
let scratchEnd: usize = 0;
/** Bytes of the longest row of groups so far. */
let longest: usize = 0;
/** Tokens take what they took when they were counted, which is there. */
let isWriting: bool = false;

/** Allocates a row of blocks for the planes; false if there is no room. */
export function allocateBlockRows(): bool {
  dense = allocate((<usize>longestRow(coded)) << 7);
  longest = 0;
  return dense !== 0;
}

/** Begins a pass that counts tokens, before the result begins: those that are made for it take what memory there is. */
export function beginCountingPass(): void {
  isWriting = false;
  scratch = taken();
  scratchEnd = scratch + room();
  next = scratch;
}

/**
 * Begins the pass that writes tokens, beside the result: they take what they took when they were counted. False if
 * there is no room.
 */
export function beginWritingPass(): bool {
  isWriting = true;
  scratch = allocate(longest + 16);
  scratchEnd = scratch + longest;
  next = scratch;
  return scratch !== 0;
}

/** Begins a row of groups. */
export function beginGroupRow(): void {
  longest = max(longest, next - scratch);
  next = scratch;
}

/**
 * Makes tokens of a row of blocks that streams by, which is row `y` of component `c`.
 * @returns false if there is no room
 */
export function takeStreamedRow(c: i32, y: i32): bool {
  return makeTokens(c, y, blockRow(coded, c, y % vertical(coded, c)));
}

/** Finds or makes the tokens of a whole row of groups; false if there is no room. */
export function loadGroupRow(groupY: i32): bool {
  beginGroupRow();
  for (let c = 0; c < componentsCoded; c += 1) {
    if (!isThere(c)) continue;
    const first = (groupY * groupSide) >> shiftDown(c);
    const end = min(first + (groupSide >> shiftDown(c)), blocksDown(coded, c));
    for (let y = first; y < end; y += 1) {
      if (tokensAreStored()) {
        setStart(c, y, rowTokens(c, y));
        continue;
      }
      expandRow(c, y, dense);
      if (!makeTokens(c, y, dense)) return false;
    }
  }
  longest = max(longest, next - scratch);
  return true;
}

function makeTokens(c: i32, y: i32, blocks: usize): bool {
  const across = blocksAcross(coded, c);
  const most = maxBlockBytes * across;
  // a row is never longer than the last time, when there was room for the most that it may take
  if (!isWriting && (scratchEnd - next < most || !extendTo(next + most))) return false;
  const end = tokenize(blocks, across, next);
  reach(end);
  setStart(c, y, next);
  next = end;
  longest = max(longest, next - scratch);
  return true;
}

function setStart(c: i32, y: i32, tokens: usize): void {
  const row = y & ((groupSide >> shiftDown(c)) - 1);
  store<usize>(startAt(c, row), tokens);
  takeLowFrequencies(c, y, tokens);
}

function startAt(c: i32, row: i32): usize {
  return starts + ((<usize>(c * groupSide + row)) << 2);
}

/** The tokens of a row of the group at hand; they move on as blocks are taken. */
export function nextTokens(c: i32, row: i32): usize {
  return load<usize>(startAt(c, row));
}

/** Moves on behind a block. */
export function setNextTokens(c: i32, row: i32, tokens: usize): void {
  store<usize>(startAt(c, row), tokens);
}
