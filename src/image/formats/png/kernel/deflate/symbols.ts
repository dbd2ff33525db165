/** Symbols of deflate and their extra bits (RFC 1951 §3.2.5). */
import { logarithm } from '../../../../wasm/assembly/logarithms';

export const minLength: i32 = 3;
export const maxLength: i32 = 258;
/** Number of literals and lengths that have a code. */
export const literalSymbols: i32 = 286;
export const distanceSymbols: i32 = 30;
export const endOfBlock: i32 = 256;

/** The symbol of a length, as one of 29 from 0 on. */
export function lengthSlot(length: i32): i32 {
  const above = length - minLength;
  if (above < 4) return above;
  if (length === maxLength) return 28;
  const shift = 29 - clz(above);
  return (shift << 2) + (above >> shift);
}

/** Number of extra bits of a length symbol. */
export function lengthExtra(slot: i32): i32 {
  return slot < 8 || slot === 28 ? 0 : (slot >> 2) - 1;
}

/** The smallest length of a symbol. */
export function lengthBase(slot: i32): i32 {
  if (slot === 28) return maxLength;
  if (slot < 8) return slot + minLength;
  return minLength + ((4 + (slot & 3)) << ((slot >> 2) - 1));
}

/** The symbol of a distance. */
export function distanceSlot(distance: u32): i32 {
  const above = distance - 1;
  if (above < 2) return above;
  const highest = 31 - clz(above);
  return <i32>((highest << 1) + ((above >> (highest - 1)) & 1));
}

/** Number of extra bits of a distance symbol. */
export function distanceExtra(slot: i32): i32 {
  return slot < 4 ? 0 : (slot >> 1) - 1;
}

/** The smallest distance of a symbol. */
export function distanceBase(slot: i32): u32 {
  if (slot < 4) return slot + 1;
  return 1 + ((2 + (<u32>slot & 1)) << ((slot >> 1) - 1));
}

// Symbol counts: 288 × u32 for literals and lengths, of which 286 are used, and 32 × u32 for distances, of which 30 are
// used.

export const countsBytes: usize = 1280;

/** Address of the distance counts. */
export function distanceCounts(counts: usize): usize {
  return counts + 1152;
}

/** Adds `others` to `counts`. */
export function addCounts(counts: usize, others: usize): void {
  for (let at: usize = 0; at < countsBytes; at += 16) {
    v128.store(counts + at, i32x4.add(v128.load(counts + at), v128.load(others + at)));
  }
}

/** Total number of extra bits. */
export function extraBits(counts: usize): u32 {
  let bits: u32 = 0;
  for (let slot = 8; slot < 28; slot += 1) {
    bits += load<u32>(counts + ((<usize>(257 + slot)) << 2)) * lengthExtra(slot);
  }
  const distances = distanceCounts(counts);
  for (let slot = 4; slot < distanceSymbols; slot += 1) {
    bits += load<u32>(distances + ((<usize>slot) << 2)) * distanceExtra(slot);
  }
  return bits;
}

/**
 * Estimated bits of a block with these symbols, including its header; without the extra bits, which do not depend on
 * the division into blocks.
 */
export function estimatedBlockBits(counts: usize): f32 {
  return (
    symbolBits(counts, literalSymbols) + symbolBits(distanceCounts(counts), distanceSymbols) + 60
  );
}

function symbolBits(counts: usize, symbols: i32): f32 {
  let total: u32 = 0;
  let bits: f32 = 0;
  let isGap = true;
  for (let i = 0; i < symbols; i += 1) {
    const count = load<u32>(counts + ((<usize>i) << 2));
    if (count === 0) {
      if (!isGap) bits += 4;
      isGap = true;
      continue;
    }
    isGap = false;
    total += count;
    // Plus an estimate for the length of its code.
    bits += <f32>3.2 - <f32>count * logarithm(count);
  }
  return bits + <f32>total * logarithm(total);
}

// Costs of tokens, in 64ths of a bit, for the parser.

const bit: i32 = 64;
/** Cost in bits of a symbol that has not occurred. */
const maxBits: f32 = 14;

/** Cost of each literal, 256 × u32. */
export const literalCosts: usize = memory.data(1024, 16);
/** Cost of each length with its extra bits, 259 × u32, the first three unused. */
export const lengthCosts: usize = memory.data(1056, 16);
/** Cost of each distance symbol with its extra bits, 32 × u32. */
export const distanceCosts: usize = memory.data(128, 16);

/** Sets initial costs from byte frequencies alone: 256 × u32. */
export function setInitialCosts(bytes: usize): void {
  let total: u32 = 0;
  for (let i = 0; i < 256; i += 1) total += load<u32>(bytes + ((<usize>i) << 2));
  const whole = logarithm(total) + 1;
  for (let i: usize = 0; i < 1024; i += 4) {
    store<u32>(literalCosts + i, costOf(load<u32>(bytes + i), whole));
  }
  for (let length = minLength; length <= maxLength; length += 1) {
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

/** Sets the costs of literals alone, assuming as many matches. */
export function setLiteralCosts(bytes: usize): void {
  let total: u32 = 0;
  for (let i: usize = 0; i < 1024; i += 4) total += load<u32>(bytes + i);
  const whole = logarithm(total) + 1;
  for (let i: usize = 0; i < 1024; i += 4) {
    store<u32>(literalCosts + i, costOf(load<u32>(bytes + i), whole));
  }
}

/** Sets costs from the symbols chosen before (`countTokens`). */
export function updateCosts(counts: usize): void {
  let total: u32 = 0;
  for (let i = 0; i < literalSymbols; i += 1) total += load<u32>(counts + ((<usize>i) << 2));
  const whole = logarithm(total);
  for (let i: usize = 0; i < 1024; i += 4) {
    store<u32>(literalCosts + i, costOf(load<u32>(counts + i), whole));
  }
  for (let length = minLength; length <= maxLength; length += 1) {
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

/** Sets costs to code lengths: 286 × u8, 30 × u8. */
export function setCostsFromLengths(literals: usize, distances: usize): void {
  for (let i = 0; i < 256; i += 1) {
    store<u32>(literalCosts + ((<usize>i) << 2), codeCost(load<u8>(literals + i)));
  }
  for (let length = minLength; length <= maxLength; length += 1) {
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
  return bit * (length === 0 ? <i32>maxBits : length);
}

function costOf(count: u32, whole: f32): i32 {
  const bits = count === 0 ? Mathf.min(whole + 1, maxBits) : whole - logarithm(count);
  return max(<i32>(bits * <f32>bit + <f32>0.5), bit >> 3);
}
