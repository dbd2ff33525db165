/**
 * Estimates how many bits deflate would need for some bytes: each token is chosen without lookahead, a match if it
 * costs less than its literals; the resulting symbols are counted, and cost their entropy.
 */
import { allocate } from '../../../../wasm/assembly/memory';
import { isDue, spend } from '../../../../wasm/assembly/work';
import { windowSize } from './match-finder';
import {
  countsBytes,
  distanceCounts,
  distanceExtra,
  distanceSlot,
  estimatedBlockBits,
  extraBits,
  lengthSlot,
  literalCosts,
  maxLength,
  setLiteralCosts,
} from './symbols';

const hashBits: i32 = 14;
/** Bytes that are hashed for long matches. */
const longBytes: i32 = 6;
/** A match of this length is always worth it. */
const surelyWorth: i32 = 6;
/** How many of the last positions of a match are inserted into the hash tables. */
const remembered: usize = 24;
/** Estimated bits of a match's two symbols. */
const symbolBits: i32 = 8;

const counts: usize = memory.data(1280, 16);
/** The latest position of each hash of three bytes, and of six bytes, u32 each. */
let shortHeads: usize = 0;
let longHeads: usize = 0;
/** For each position of the window, the previous one with the same hash of six bytes, u32. */
let older: usize = 0;
let depth: i32 = 1;
let best: i32 = 0;

/** Allocates 256 KiB; false if memory runs out. */
export function allocateEstimate(): bool {
  shortHeads = allocate(4 << hashBits);
  longHeads = allocate(4 << hashBits);
  older = allocate(windowSize << 2);
  return shortHeads !== 0 && longHeads !== 0 && older !== 0;
}

/** Sets how many positions are examined for a long match. */
export function setEstimateDepth(positions: i32): void {
  depth = positions;
}

/** The next byte, and the end of the bytes. */
let at: usize = 0;
let end: usize = 0;

/** Predicted nanoseconds for each byte to begin with, and for each token. */
const byteCost: u32 = 1;
const tokenCost: u32 = 15;

/** Begins to estimate the bits of these bytes, after which 8 more must be readable. */
export function beginEstimate(from: usize, length: usize): void {
  memory.fill(shortHeads, 0, 4 << hashBits);
  memory.fill(longHeads, 0, 4 << hashBits);
  memory.fill(counts, 0, countsBytes);
  at = from;
  end = from + length;
  for (let byte = at; byte < end; byte += 1) count(counts, load<u8>(byte));
  spend(byteCost * <u32>length);
  setLiteralCosts(counts);
  memory.fill(counts, 0, countsBytes);
}

/** Goes on until a pause is due; returns whether the estimate is complete. */
export function continueEstimate(): bool {
  const distances = distanceCounts(counts);
  while (at < end && !isDue()) {
    spend(tokenCost);
    const other = candidate(at, min(<i32>(end - at), maxLength));
    const slot = other === 0 ? 0 : distanceSlot(<u32>(at - other));
    if (other === 0 || !isWorth(at, slot)) {
      count(counts, load<u8>(at));
      at += 1;
      continue;
    }
    count(counts, 257 + lengthSlot(best));
    count(distances, slot);
    const behind = at + best;
    for (at = max(at + 1, behind - remembered); at < behind; at += 1) remember(at);
  }
  return at === end;
}

/** The estimated bits, once the estimate is complete. */
export function estimatedBits(): f32 {
  return estimatedBlockBits(counts) + <f32>extraBits(counts);
}

/**
 * Finds a match, and stores its length in `best`; 0 if there is none. The position is inserted into the hash tables.
 */
function candidate(at: usize, limit: i32): usize {
  best = 0;
  let found: usize = 0;
  let other = <usize>load<u32>(longHead(at));
  for (let left = depth; left > 0 && at - other < windowSize; left -= 1) {
    if (load<u8>(other + best) === load<u8>(at + best)) {
      const length = matched(at, other, limit);
      if (length >= longBytes && length > best) {
        best = length;
        found = other;
        if (length === limit) break;
      }
    }
    other = <usize>load<u32>(olderOf(other));
  }
  if (best === 0) {
    other = <usize>load<u32>(shortHead(at));
    if (at - other < windowSize) {
      const length = matched(at, other, limit);
      if (length >= 3) {
        best = length;
        found = other;
      }
    }
  }
  remember(at);
  return found;
}

function remember(at: usize): void {
  const head = longHead(at);
  store<u32>(olderOf(at), load<u32>(head));
  store<u32>(head, <u32>at);
  store<u32>(shortHead(at), <u32>at);
}

function shortHead(at: usize): usize {
  return shortHeads + ((<usize>(((load<u32>(at) << 8) * 0x9e3779b1) >> (32 - hashBits))) << 2);
}

function longHead(at: usize): usize {
  const bytes = load<u64>(at) << (64 - 8 * longBytes);
  return longHeads + ((<usize>((bytes * 0x9e3779b97f4a7) >> (64 - hashBits))) << 2);
}

function olderOf(at: usize): usize {
  return older + ((at & (windowSize - 1)) << 2);
}

/** Whether the match takes fewer bits than its literals. */
function isWorth(at: usize, slot: i32): bool {
  if (best >= surelyWorth) return true;
  let gain: i32 = -64 * (symbolBits + distanceExtra(slot));
  for (let i = 0; i < best; i += 1) {
    gain += load<i32>(literalCosts + ((<usize>load<u8>(at + i)) << 2));
  }
  return gain > 0;
}

function matched(at: usize, other: usize, limit: i32): i32 {
  for (let length = 0; length < limit; length += 8) {
    const difference = load<u64>(at + length) ^ load<u64>(other + length);
    if (difference !== 0) return min(limit, length + <i32>(ctz(difference) >> 3));
  }
  return limit;
}

function count(table: usize, symbol: i32): void {
  const at = table + ((<usize>symbol) << 2);
  store<u32>(at, load<u32>(at) + 1);
}
