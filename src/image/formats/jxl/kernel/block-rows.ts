/**
 * The tokens of a row of groups, which has 32 rows of blocks of the grid. They are either kept for the whole picture,
 * or created from the planes of a progressive source or from streamed rows.
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
/** A row of blocks read from the planes. */
let dense: usize = 0;
/** Buffer for tokens that are created for a row of groups: its start, the current position, and its end. */
let scratch: usize = 0;
let next: usize = 0;
let scratchEnd: usize = 0;
/** Maximum bytes of a row of groups so far. */
let longest: usize = 0;
/** Whether this is the pass that writes tokens: memory for those counted before has been reserved. */
let isWriting: bool = false;

/** Allocates a row of blocks for the planes; returns false if there is no memory. */
export function allocateBlockRows(): bool {
  dense = allocate((<usize>longestRow(coded)) << 7);
  longest = 0;
  return dense !== 0;
}

/** Begins a pass that counts tokens. The result does not exist yet, so tokens may use all free memory. */
export function beginCountingPass(): void {
  isWriting = false;
  scratch = taken();
  scratchEnd = scratch + room();
  next = scratch;
}

/**
 * Begins the pass that writes tokens to the result, after reserving as much memory for them as they took when counted.
 * Returns false if there is no memory.
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
 * Creates the tokens of a streamed row of blocks, row `y` of component `c`.
 * @returns false if there is no memory
 */
export function takeStreamedRow(c: i32, y: i32): bool {
  return makeTokens(c, y, blockRow(coded, c, y % vertical(coded, c)));
}

/** Locates or creates the tokens of a whole row of groups; returns false if there is no memory. */
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
  // When writing, a row has the same length as when counted, so its memory is there.
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

/** The current position in the tokens of a row of the current group; advances with each block. */
export function nextTokens(c: i32, row: i32): usize {
  return load<usize>(startAt(c, row));
}

/** Advances past a block. */
export function setNextTokens(c: i32, row: i32, tokens: usize): void {
  store<usize>(startAt(c, row), tokens);
}
