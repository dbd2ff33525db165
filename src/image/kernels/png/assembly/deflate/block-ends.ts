/**
 * Where blocks end: the tokens are cut into pieces of the same number, and neighbours
 * join, those first that gain most, as long as one code for both takes fewer bits
 * than two.
 */

import { allocate } from '../../../shared/assembly/memory';
import { addTokens, choiceAt, nodesOf } from './parser';
import { addCounts, countsBytes, guessedBits } from './token-counts';

const mostPieces: i32 = 64;
const leastTokens: i32 = 400;

/** Counts of each piece, and of two that might join. */
let pieces: usize = 0;
const joined: usize = memory.data(1280, 16);
/** Of each piece: the node behind it i32, its bits f32, what joining the next one gains f32. */
const ends: usize = memory.data(1040, 16);
let number: i32 = 0;

/** Allocates 80 KiB; false where there is no room. */
export function allocatePieces(): bool {
  pieces = allocate(countsBytes * mostPieces);
  return pieces !== 0;
}

/**
 * Divides what is parsed up to `end`.
 * @returns the number of blocks, 0 without nodes
 */
export function divide(end: i32): i32 {
  let tokens = 0;
  for (let node = 0; node < end; node += nodesOf(choiceAt(node))) tokens += 1;
  const each = max(leastTokens, (tokens + mostPieces - 1) / mostPieces);
  memory.fill(pieces, 0, countsBytes * mostPieces);
  number = 0;
  for (let node = 0; node < end; number += 1) {
    node = addTokens(node, end, each, countsOf(number));
    store<i32>(endOf(number), node);
    store<f32>(endOf(number), guessedBits(countsOf(number)), 4);
  }
  for (let piece = 0; piece + 1 < number; piece += 1) weigh(piece);
  while (number > 1) {
    let best = 0;
    for (let piece = 1; piece + 1 < number; piece += 1) {
      if (gainOf(piece) > gainOf(best)) best = piece;
    }
    if (gainOf(best) <= 0) break;
    join(best);
  }
  return number;
}

/** The node behind a block that was divided. */
export function blockEnd(block: i32): i32 {
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

function weigh(piece: i32): void {
  memory.copy(joined, countsOf(piece), countsBytes);
  addCounts(joined, countsOf(piece + 1));
  const apart = load<f32>(endOf(piece), 4) + load<f32>(endOf(piece + 1), 4);
  store<f32>(endOf(piece), apart - guessedBits(joined), 8);
}

function join(piece: i32): void {
  addCounts(countsOf(piece), countsOf(piece + 1));
  store<i32>(endOf(piece), load<i32>(endOf(piece + 1)));
  store<f32>(endOf(piece), guessedBits(countsOf(piece)), 4);
  number -= 1;
  const behind = number - piece - 1;
  memory.copy(countsOf(piece + 1), countsOf(piece + 2), countsBytes * behind);
  memory.copy(endOf(piece + 1), endOf(piece + 2), behind << 4);
  if (piece > 0) weigh(piece - 1);
  if (piece + 1 < number) weigh(piece);
}
