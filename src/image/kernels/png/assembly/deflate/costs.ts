/** What each token costs, in 64ths of a bit, as the parser is to believe. */

import { logarithm } from './logarithms';
import {
  distanceExtra,
  distanceSymbols,
  leastLength,
  lengthExtra,
  lengthSlot,
  literalSymbols,
  mostLength,
} from './symbols';
import { distanceCounts } from './token-counts';

const bit: i32 = 64;
/** Bits of a symbol that has not been seen. */
const mostBits: f32 = 14;

/** Of each literal, 256 × u32. */
export const literalCosts: usize = memory.data(1024, 16);
/** Of each length with its extra bits, 259 × u32, the first three unused. */
export const lengthCosts: usize = memory.data(1056, 16);
/** Of each distance symbol with its extra bits, 32 × u32. */
export const distanceCosts: usize = memory.data(128, 16);

/** Costs before anything is known but how often each byte occurs: 256 × u32. */
export function guessCosts(bytes: usize): void {
  let total: u32 = 0;
  for (let i = 0; i < 256; i += 1) total += load<u32>(bytes + ((<usize>i) << 2));
  const whole = logarithm(total) + 1;
  for (let i: usize = 0; i < 1024; i += 4) {
    store<u32>(literalCosts + i, costOf(load<u32>(bytes + i), whole));
  }
  for (let length = leastLength; length <= mostLength; length += 1) {
    const slot = lengthSlot(length);
    store<u32>(
      lengthCosts + ((<usize>length) << 2),
      bit * (4 + (slot >> 2) / 2 + lengthExtra(slot)),
    );
  }
  for (let slot = 0; slot < distanceSymbols; slot += 1) {
    store<u32>(distanceCosts + ((<usize>slot) << 2), bit * (4 + distanceExtra(slot)));
  }
}

/** Costs of literals alone, as if there were as many matches. */
export function costOfLiterals(bytes: usize): void {
  let total: u32 = 0;
  for (let i: usize = 0; i < 1024; i += 4) total += load<u32>(bytes + i);
  const whole = logarithm(total) + 1;
  for (let i: usize = 0; i < 1024; i += 4) {
    store<u32>(literalCosts + i, costOf(load<u32>(bytes + i), whole));
  }
}

/** Costs out of how often each symbol has been chosen (see token-counts.ts). */
export function learnCosts(counts: usize): void {
  let total: u32 = 0;
  for (let i = 0; i < literalSymbols; i += 1) total += load<u32>(counts + ((<usize>i) << 2));
  const whole = logarithm(total);
  for (let i: usize = 0; i < 1024; i += 4) {
    store<u32>(literalCosts + i, costOf(load<u32>(counts + i), whole));
  }
  for (let length = leastLength; length <= mostLength; length += 1) {
    const slot = lengthSlot(length);
    const count = load<u32>(counts + ((<usize>(slot + 257)) << 2));
    store<u32>(
      lengthCosts + ((<usize>length) << 2),
      costOf(count, whole) + bit * lengthExtra(slot),
    );
  }
  const distances = distanceCounts(counts);
  let matches: u32 = 0;
  for (let i = 0; i < distanceSymbols; i += 1) matches += load<u32>(distances + ((<usize>i) << 2));
  const wholeOfDistances = matches < 16 ? <f32>5 : logarithm(matches);
  for (let slot = 0; slot < distanceSymbols; slot += 1) {
    const count = load<u32>(distances + ((<usize>slot) << 2));
    store<u32>(
      distanceCosts + ((<usize>slot) << 2),
      costOf(count, wholeOfDistances) + bit * distanceExtra(slot),
    );
  }
}

/** Costs that are the lengths of codes: 286 × u8, 30 × u8. */
export function takeCosts(literals: usize, distances: usize): void {
  for (let i = 0; i < 256; i += 1) {
    store<u32>(literalCosts + ((<usize>i) << 2), codeCost(load<u8>(literals + i)));
  }
  for (let length = leastLength; length <= mostLength; length += 1) {
    const slot = lengthSlot(length);
    const cost = codeCost(load<u8>(literals + 257 + slot));
    store<u32>(lengthCosts + ((<usize>length) << 2), cost + bit * lengthExtra(slot));
  }
  for (let slot = 0; slot < distanceSymbols; slot += 1) {
    const cost = codeCost(load<u8>(distances + slot));
    store<u32>(distanceCosts + ((<usize>slot) << 2), cost + bit * distanceExtra(slot));
  }
}

function codeCost(length: i32): i32 {
  return bit * (length === 0 ? <i32>mostBits : length);
}

function costOf(count: u32, whole: f32): i32 {
  const bits = count === 0 ? Mathf.min(whole + 1, mostBits) : whole - logarithm(count);
  return max(<i32>(bits * <f32>bit + <f32>0.5), bit >> 3);
}
