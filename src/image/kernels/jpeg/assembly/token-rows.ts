/**
 * Where the scans get their tokens from, a row of blocks at a time: kept for the
 * whole picture, or made again in each scan, out of the planes of a progressive
 * source or of the one row of MCUs that is at hand.
 */

import { allocate, release, room, taken } from '../../shared/assembly/memory';
import { beginFailure } from './coding-failure';
import { blocksAcross, blocksDown, coded, componentCount, vertical } from './frame';
import { expandRow } from './planes';
import { blockRow } from './rows';
import { mostBlockBytes, tokenize } from './tokens';

const kept: i32 = 0;
const fromPlanes: i32 = 1;
const fromRows: i32 = 2;

let origin: i32 = kept;
/** Where the memory of the tokens begins. */
let beginning: usize = 0;
/** A row of blocks as the planes give it. */
let dense: usize = 0;
/** For each component: a pointer for each row of the picture to its tokens. */
const starts: usize = memory.data(16);
/** For each component: as many rows of tokens as it has in a row of MCUs. */
const scratches: usize = memory.data(16);

/** Prepares for `keepRow`; false where there is no room. */
export function beginTokens(): bool {
  begin(kept);
  for (let c = 0; c < componentCount(coded); c += 1) {
    const rows = allocate((<usize>blocksDown(coded, c)) << 2);
    if (rows === 0) return false;
    store<usize>(starts + (c << 2), rows);
  }
  return true;
}

/** Prepares for scans that make their tokens out of the planes; false where there is no room. */
export function beginPlaneTokens(): bool {
  begin(fromPlanes);
  let most = 0;
  for (let c = 0; c < componentCount(coded); c += 1) most = max(most, blocksAcross(coded, c));
  dense = allocate((<usize>most) << 7);
  return dense !== 0 && allocateScratches();
}

/** Prepares for scans that make their tokens out of the coded rows; false where there is no room. */
export function beginRowTokens(): bool {
  begin(fromRows);
  return allocateScratches();
}

function begin(from: i32): void {
  origin = from;
  beginning = taken();
  dense = 0;
  beginFailure();
}

function allocateScratches(): bool {
  for (let c = 0; c < componentCount(coded); c += 1) {
    const rows = allocate(scratchBytes(c) * vertical(coded, c));
    if (rows === 0) return false;
    store<usize>(scratches + (c << 2), rows);
  }
  return true;
}

function scratchBytes(c: i32): usize {
  return mostBlockBytes * blocksAcross(coded, c);
}

/**
 * Keeps row `y` of component `c`, counted over the whole picture, of
 * `blocksAcross` blocks of 64 × i16 in zigzag order.
 * @returns false where there may be no room for it; the picture has to be streamed then
 */
export function keepRow(c: i32, y: i32, blocks: usize): bool {
  // the most it can take is known before, what it takes only afterwards
  if (room() < scratchBytes(c)) return false;
  const at = taken();
  const end = tokenize(blocks, blocksAcross(coded, c), at);
  store<usize>(load<usize>(starts + (c << 2)) + ((<usize>y) << 2), at);
  return allocate(end - at) !== 0;
}

/** Gives back what the tokens have taken, and all that was allocated since. */
export function dropTokens(): void {
  release(beginning);
}

/** Whether all rows have been kept, so that scans can leave rows out and come back to them. */
export function tokensAreStored(): bool {
  return origin === kept;
}

/**
 * The tokens of row `y` of a component, counted over the whole picture; 0 where
 * it has not been kept. Those that are made again last until the same row of
 * the next row of MCUs is asked for.
 */
export function rowTokens(c: i32, y: i32): usize {
  if (tokensAreStored()) {
    return load<usize>(load<usize>(starts + (c << 2)) + ((<usize>y) << 2));
  }
  const rowInMcu = y % vertical(coded, c);
  const to = load<usize>(scratches + (c << 2)) + scratchBytes(c) * rowInMcu;
  let blocks = dense;
  if (origin === fromPlanes) {
    expandRow(c, y, dense);
  } else {
    blocks = blockRow(coded, c, rowInMcu);
  }
  tokenize(blocks, blocksAcross(coded, c), to);
  return to;
}
