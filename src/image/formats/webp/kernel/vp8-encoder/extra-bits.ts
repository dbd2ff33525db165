/**
 * The bits behind the tokens of categories, which say what a magnitude of 5 or more is in its category (RFC 6386
 * §13.2).
 */
import { extraBits } from '../vp8/coefficients';

/** The largest magnitude that is coded; the last category could say 67 + 2047. */
export const maxLevel: i32 = 2047;

/* Probabilities of the bit of category 1, and of the two of category 2. */
export const firstExtra: u32 = 159;
export const secondExtraHigh: u32 = 165;
export const secondExtraLow: u32 = 145;

/** Bytes of a list in `extraBits`. */
const listBytes: usize = 12;

/** 0 to 3 for categories 3 to 6, of magnitudes from 11 on: they begin with 3 + 8, 3 + 16, 3 + 32 and 3 + 64. */
export function largeCategory(magnitude: u32): u32 {
  return min<u32>(3, 28 - clz<u32>(magnitude - 3));
}

/** What the extra bits of such a magnitude say, the highest of them first. */
export function largeExtra(magnitude: u32, category: u32): u32 {
  return magnitude - 3 - (8 << category);
}

/** How many there are. */
export function extraCount(category: u32): i32 {
  return category === 3 ? 11 : <i32>category + 3;
}

/** Their probabilities, a byte for each. */
export function extraProbabilities(category: u32): usize {
  return extraBits + listBytes * category;
}
