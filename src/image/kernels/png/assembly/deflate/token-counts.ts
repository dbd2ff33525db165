/**
 * How often each symbol occurs: 288 × u32 for literals and lengths, of which 286
 * are used, and 32 × u32 for distances, of which 30 are.
 */

import { logarithm } from './logarithms';
import { distanceExtra, distanceSymbols, lengthExtra, literalSymbols } from './symbols';

export const countsBytes: usize = 1280;

/** Where the counts of distances lie. */
export function distanceCounts(counts: usize): usize {
  return counts + 1152;
}

/** Adds the second to the first. */
export function addCounts(counts: usize, others: usize): void {
  for (let at: usize = 0; at < countsBytes; at += 16) {
    v128.store(counts + at, i32x4.add(v128.load(counts + at), v128.load(others + at)));
  }
}

/** Bits behind the symbols. */
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

/** Bits of a block with these symbols, its head guessed; without the extra bits, which no division of blocks changes. */
export function guessedBits(counts: usize): f32 {
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
    // and about as much for the length of its code
    bits += <f32>3.2 - <f32>count * logarithm(count);
  }
  return bits + <f32>total * logarithm(total);
}
