/**
 * The graph in which the parser finds its path: positions where a token may begin, with their matches. A match that is
 * long enough is taken as it is: it is a single node, and the positions inside it have none. So flat areas of any size
 * consist of few nodes.
 */
import { allocate } from '../../../../wasm/assembly/memory';
import { spend } from '../../../../wasm/assembly/work';
import {
  countsBytes,
  distanceCosts,
  distanceCounts,
  distanceSlot,
  endOfBlock,
  lengthCosts,
  lengthSlot,
  literalCosts,
} from './symbols';

const maxNodes: i32 = 81920;
const maxMatches: i32 = 262144;
/** Maximum number of matches that one position may add: one per length. */
const maxAtOnce: i32 = 260;

/** For each node, its literal | the number of its first match << 8, u32; plus one more node. */
let nodes: usize = 0;
/** Distance | length << 16 | distance symbol << 25 | 1 << 31 for a match that is taken. */
let matches: usize = 0;
let nodeCount: i32 = 0;
let matchCount: i32 = 0;

/** Allocates 1.3 MiB; false if memory runs out. */
export function allocateNodes(): bool {
  nodes = allocate((maxNodes + 1) << 2);
  matches = allocate(maxMatches << 2);
  nodeCount = 0;
  matchCount = 0;
  return nodes !== 0 && matches !== 0;
}

function nodeCapacity(): i32 {
  return maxNodes;
}

export function nodeNumber(): i32 {
  return nodeCount;
}

/** Whether no more nodes fit. */
export function nodesAreFull(): bool {
  return nodeCount >= maxNodes || matchCount > maxMatches - maxAtOnce;
}

/** Whether the nodes from `first` on leave enough room for others. */
export function areFewNodes(first: i32): bool {
  const firstMatch = <i32>(load<u32>(nodeAt(first)) >> 8);
  return nodeCount - first < maxNodes >> 1 && matchCount - firstMatch < maxMatches >> 1;
}

/** Address for the matches of the next node. */
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

/** Adds a node that consists of a match. */
export function addTakenMatch(literal: u32, match: u32): void {
  const slot = <u32>distanceSlot(match & 0xffff);
  store<u32>(nextMatches(), match | (slot << 25) | 0x80000000);
  matchCount += 1;
  finishNode(literal);
}

/** Whether a match takes fewer bits than the literals from `at` on, at the costs of the previous block. */
export function isShorter(match: u32, at: usize): bool {
  const length = match >> 16;
  let bits =
    load<u32>(lengthCosts + ((<usize>length) << 2)) +
    load<u32>(distanceCosts + ((<usize>distanceSlot(match & 0xffff)) << 2));
  for (let i: u32 = 0; i < length; i += 1) {
    const literal = load<u32>(literalCosts + ((<usize>load<u8>(at + i)) << 2));
    if (literal > bits) return true;
    bits -= literal;
  }
  return false;
}

function finishNode(literal: u32): void {
  const at = nodes + ((<usize>nodeCount) << 2);
  store<u32>(at, load<u32>(at) | literal);
  store<u32>(at, matchCount << 8, 4);
  nodeCount += 1;
}

/** Address of a node; the next node tells where its matches end. */
export function nodeAt(node: i32): usize {
  return nodes + ((<usize>node) << 2);
}

/** Address of the matches, which are indexed by the number in a node. */
function matchesAt(): usize {
  return matches;
}

/** Drops the nodes before this one. */
export function dropNodes(before: i32): void {
  const first = load<u32>(nodeAt(before)) >> 8;
  nodeCount -= before;
  matchCount -= first;
  memory.copy(matches, matches + ((<usize>first) << 2), (<usize>matchCount) << 2);
  memory.copy(nodes, nodeAt(before), (<usize>(nodeCount + 1)) << 2);
  for (let node = 0; node <= nodeCount; node += 1) {
    const at = nodeAt(node);
    store<u32>(at, load<u32>(at) - (first << 8));
  }
}

// Finds the cheapest path through the nodes, from the last one backwards: the costs of everything that follows are
// known, so each node only has to choose its own token.

/** Cost from each node to the end of its block, u32. */
let costs: usize = 0;
/** The match chosen at each node, in the format of `matches` but with the length that is used; 0 for the literal. */
let choices: usize = 0;

/** Allocates 8 bytes per node; false if memory runs out. */
export function allocateParser(): bool {
  costs = allocate((<usize>(nodeCapacity() + 1)) << 2);
  choices = allocate((<usize>nodeCapacity()) << 2);
  return costs !== 0 && choices !== 0;
}

/** Predicted nanoseconds to choose a token, for each node and for each of its matches. */
const nodeCost: u32 = 5;
const matchCost: u32 = 5;

/** Chooses the tokens of the nodes from `first` to `end`, which no token crosses. */
export function parse(first: i32, end: i32): void {
  const matches = matchesAt();
  let barrier = end;
  const matchNumber = (load<u32>(nodeAt(end)) >> 8) - (load<u32>(nodeAt(first)) >> 8);
  spend(nodeCost * <u32>(end - first) + matchCost * matchNumber);
  store<u32>(costs + ((<usize>end) << 2), 0);
  let matchEnd = matches + ((<usize>(load<u32>(nodeAt(end)) >> 8)) << 2);
  for (let node = end - 1; node >= first; node -= 1) {
    const info = load<u32>(nodeAt(node));
    const matchStart = matches + ((<usize>(info >> 8)) << 2);
    const at = costs + ((<usize>node) << 2);
    let best = load<u32>(at, 4) + load<u32>(literalCosts + ((<usize>(info & 255)) << 2));
    let choice: u32 = 0;
    if (matchEnd > matchStart) {
      let match = load<u32>(matchEnd - 4);
      if (match >> 31 !== 0) {
        const length = (match >> 16) & 511;
        best =
          load<u32>(at, 4) +
          load<u32>(lengthCosts + ((<usize>length) << 2)) +
          load<u32>(distanceCosts + ((<usize>((match >> 25) & 31)) << 2));
        choice = match;
        barrier = node;
      } else {
        const most = barrier - node;
        let distanceCost = u32.MAX_VALUE;
        let distance: u32 = 0;
        let length = min(<i32>((match >> 16) & 511), most);
        for (let next = matchEnd - 4; next >= matchStart; next -= 4) {
          // A longer match may have a cheaper distance than a nearer one.
          const cost = load<u32>(distanceCosts + ((<usize>(match >> 25)) << 2));
          if (cost <= distanceCost) {
            distanceCost = cost;
            distance = match & 0xfe00ffff;
          }
          let least = 2;
          if (next > matchStart) {
            match = load<u32>(next - 4);
            least = min(<i32>((match >> 16) & 511), most);
          }
          if (length <= least) continue;
          const cheapest = leastCost(at, least, length);
          if (cheapest + distanceCost < best) {
            best = cheapest + distanceCost;
            while (costOf(at, length) !== cheapest) length -= 1;
            choice = distance | (length << 16);
          }
          length = least;
        }
      }
    }
    store<u32>(at, best);
    store<u32>(choices + ((<usize>node) << 2), choice);
    matchEnd = matchStart;
  }
}

/** The cost of a length and everything that follows it, without its distance. */
function costOf(at: usize, length: i32): u32 {
  return load<u32>(at + ((<usize>length) << 2)) + load<u32>(lengthCosts + ((<usize>length) << 2));
}

/** The lowest cost of the lengths above `least` up to `most`. */
function leastCost(at: usize, least: i32, most: i32): u32 {
  let length = least + 1;
  let cheapest = costOf(at, length);
  if (most - length >= 4) {
    let fourCheapest = i32x4.splat(cheapest);
    for (; length + 3 <= most; length += 4) {
      const offset = (<usize>length) << 2;
      const four = i32x4.add(v128.load(at + offset), v128.load(lengthCosts + offset));
      fourCheapest = i32x4.min_u(fourCheapest, four);
    }
    cheapest = min(
      min<u32>(i32x4.extract_lane(fourCheapest, 0), i32x4.extract_lane(fourCheapest, 1)),
      min<u32>(i32x4.extract_lane(fourCheapest, 2), i32x4.extract_lane(fourCheapest, 3)),
    );
  }
  for (; length <= most; length += 1) cheapest = min(cheapest, costOf(at, length));
  return cheapest;
}

/** The choice at a node: 0 for its literal. */
export function choiceAt(node: i32): u32 {
  return load<u32>(choices + ((<usize>node) << 2));
}

/** Number of nodes that a choice covers. */
export function nodesOf(choice: u32): i32 {
  return choice === 0 || choice >> 31 !== 0 ? 1 : <i32>((choice >> 16) & 511);
}

/** Counts the symbols chosen from `first` to `end`, including the end of the block. */
export function countTokens(first: i32, end: i32, counts: usize): void {
  memory.fill(counts, 0, countsBytes);
  addTokens(first, end, i32.MAX_VALUE, counts);
  store<u32>(counts + (endOfBlock << 2), 1);
}

/**
 * Adds the symbols of at most `most` tokens to the counts.
 * @returns the node after the last one
 */
export function addTokens(first: i32, end: i32, most: i32, counts: usize): i32 {
  const distances = distanceCounts(counts);
  let node = first;
  for (let left = most; node < end && left > 0; left -= 1) {
    const choice = choiceAt(node);
    if (choice === 0) {
      count(counts + ((<usize>(load<u32>(nodeAt(node)) & 255)) << 2));
      node += 1;
      continue;
    }
    count(counts + ((<usize>(257 + lengthSlot(<i32>((choice >> 16) & 511)))) << 2));
    count(distances + ((<usize>((choice >> 25) & 31)) << 2));
    node += nodesOf(choice);
  }
  return node;
}

function count(at: usize): void {
  store<u32>(at, load<u32>(at) + 1);
}
