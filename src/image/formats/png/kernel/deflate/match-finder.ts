/**
 * Finds matches within the window with binary trees: positions with the same hash of three bytes are sorted by the
 * bytes that follow, with the latest one at the root, so that a single descent finds the nearest match of every length
 * (as in the match finders of LZMA and of libdeflate). A hash of three bytes is worth it: photos gain up to a twentieth
 * by matches of that length.
 */
import { allocate } from '../../../../wasm/assembly/memory';
import { spend } from '../../../../wasm/assembly/work';
import { maxLength, minLength } from './symbols';

export const windowSize: u32 = 32768;
const mask: u32 = windowSize - 1;
const hashBits: i32 = 16;
/** No position is 0, or so close to it that entries of the empty tables would count as matches. */
export const firstPosition: u32 = 65536;
/** Predicted nanoseconds for each position that is examined for a match. */
const stepCost: u32 = 20;

/** The latest position of each hash, u32. */
let heads: usize = 0;
/** For each position of the window, the roots of the subtrees below and above it, 2 × u32. */
let children: usize = 0;
let maxDepth: i32 = 0;
/** Address of a byte minus its position. */
let origin: usize = 0;

/** Allocates 512 KiB; false if memory runs out. */
export function allocateMatchFinder(): bool {
  heads = allocate(4 << hashBits);
  children = allocate(windowSize << 3);
  return heads !== 0 && children !== 0;
}

/** Sets how many positions are examined for a match. */
export function setSearchDepth(depth: i32): void {
  maxDepth = depth;
}

/** Sets the address of the bytes: that of `position` is `at`. */
export function setOrigin(at: usize, position: u32): void {
  origin = at - position;
}

/**
 * Finds the matches of a position, and inserts it into the tree.
 * @param available bytes from the position on, at least 4; 8 more must be readable
 * @param to address for the matches, in order of length: distance | length << 16, u32 each
 * @returns the end of the matches
 */
export function findMatches(position: u32, available: i32, to: usize): usize {
  return insert(position, available, minLength - 1, to);
}

/** Inserts a position into the tree without finding its matches; `available` as in `findMatches`. */
export function skipPosition(position: u32, available: i32): void {
  insert(position, available, maxLength, 0);
}

/** Inserts a position as the root of its tree; matches longer than `longest` are written on the way down. */
function insert(position: u32, available: i32, longest: i32, to: usize): usize {
  const current = origin + position;
  const limit = min(available, maxLength);
  const head = headOf(current);
  let node = load<u32>(head);
  store<u32>(head, position);
  let below = children + ((<usize>(position & mask)) << 3);
  let above = below + 4;
  let lengthBelow = 0;
  let lengthAbove = 0;
  let depth = maxDepth;
  for (; depth > 0 && position - node < windowSize; depth -= 1) {
    const pair = children + ((<usize>(node & mask)) << 3);
    const other = origin + node;
    const length = commonLength(current, other, min(lengthBelow, lengthAbove), limit);
    if (length > longest) {
      longest = length;
      store<u32>(to, (length << 16) | (position - node));
      to += 4;
    }
    if (length >= limit) {
      store<u32>(below, load<u32>(pair));
      store<u32>(above, load<u32>(pair, 4));
      spend(stepCost * <u32>(maxDepth - depth));
      return to;
    }
    if (load<u8>(other + length) < load<u8>(current + length)) {
      store<u32>(below, node);
      below = pair + 4;
      node = load<u32>(below);
      lengthBelow = length;
    } else {
      store<u32>(above, node);
      above = pair;
      node = load<u32>(above);
      lengthAbove = length;
    }
  }
  store<u32>(below, 0);
  store<u32>(above, 0);
  spend(stepCost * <u32>(maxDepth - depth));
  return to;
}

/** The head of the tree for three bytes. */
function headOf(at: usize): usize {
  return heads + ((<usize>(((load<u32>(at) << 8) * 0x9e3779b1) >> (32 - hashBits))) << 2);
}

/** Number of equal bytes, at most `limit`; the first `known` bytes are known to be equal. */
function commonLength(a: usize, b: usize, known: i32, limit: i32): i32 {
  let length = known;
  while (length + 8 <= limit) {
    const difference = load<u64>(a + length) ^ load<u64>(b + length);
    if (difference !== 0) return length + <i32>(ctz(difference) >> 3);
    length += 8;
  }
  if (length >= limit) return limit;
  const difference = load<u64>(a + length) ^ load<u64>(b + length);
  if (difference === 0) return limit;
  return min(limit, length + <i32>(ctz(difference) >> 3));
}
