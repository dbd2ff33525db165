/**
 * Places where a token may begin, with their matches: the graph that the parser
 * finds its path in. A match that is long enough is taken as it is: it is one node,
 * and the positions that it covers have none. So flat areas of any size are few nodes.
 */

import { allocate } from '../../../shared/assembly/memory';
import { distanceSlot } from './symbols';

const mostNodes: i32 = 81920;
const mostMatches: i32 = 262144;
/** Matches that one position may add: one for each length, at worst. */
const mostAtOnce: i32 = 260;

/** For each node its literal | the number of its first match << 8, u32, and one more. */
let nodes: usize = 0;
/** Distance | length << 16 | distance symbol << 25 | 1 << 31 for a match that is taken. */
let matches: usize = 0;
let count: i32 = 0;
let matchCount: i32 = 0;

/** Allocates 1.3 MiB; false where there is no room. */
export function allocateNodes(): bool {
  nodes = allocate((mostNodes + 1) << 2);
  matches = allocate(mostMatches << 2);
  count = 0;
  matchCount = 0;
  return nodes !== 0 && matches !== 0;
}

export function nodeCapacity(): i32 {
  return mostNodes;
}

export function nodeNumber(): i32 {
  return count;
}

/** Whether no more nodes fit. */
export function nodesAreFull(): bool {
  return count >= mostNodes || matchCount > mostMatches - mostAtOnce;
}

/** Whether the nodes from `first` on leave enough room for others. */
export function areFewNodes(first: i32): bool {
  const firstMatch = <i32>(load<u32>(nodeAt(first)) >> 8);
  return count - first < mostNodes >> 1 && matchCount - firstMatch < mostMatches >> 1;
}

/** Where the matches of the next node go. */
export function nextMatches(): usize {
  return matches + ((<usize>matchCount) << 2);
}

/** Adds a node with the matches up to `end`. */
export function addNode(literal: u32, end: usize): void {
  for (let at = nextMatches(); at < end; at += 4) {
    const match = load<u32>(at);
    store<u32>(at, match | ((<u32>distanceSlot(match & 0xffff)) << 25));
  }
  matchCount = <i32>((end - matches) >> 2);
  finishNode(literal);
}

/** Adds a node that is a match. */
export function addTakenMatch(literal: u32, match: u32): void {
  const slot = <u32>distanceSlot(match & 0xffff);
  store<u32>(nextMatches(), match | (slot << 25) | 0x80000000);
  matchCount += 1;
  finishNode(literal);
}

function finishNode(literal: u32): void {
  const at = nodes + ((<usize>count) << 2);
  store<u32>(at, load<u32>(at) | literal);
  store<u32>(at, matchCount << 8, 4);
  count += 1;
}

/** Where a node lies; the one behind it tells where its matches end. */
export function nodeAt(node: i32): usize {
  return nodes + ((<usize>node) << 2);
}

/** Where the matches begin, at the number that a node states. */
export function matchesAt(): usize {
  return matches;
}

/** Gives up the nodes before this one. */
export function dropNodes(before: i32): void {
  const first = load<u32>(nodeAt(before)) >> 8;
  count -= before;
  matchCount -= first;
  memory.copy(matches, matches + ((<usize>first) << 2), (<usize>matchCount) << 2);
  memory.copy(nodes, nodeAt(before), (<usize>(count + 1)) << 2);
  for (let node = 0; node <= count; node += 1) {
    const at = nodeAt(node);
    store<u32>(at, load<u32>(at) - (first << 8));
  }
}
