/**
 * The extra bits of category tokens, which give the offset of a magnitude of at least 5 within its category (RFC 6386
 * §13.2).
 */
import { extraBits } from '../vp8/coefficients';

/** Maximum magnitude; the last category could represent up to 67 + 2047. */
export const maxLevel: i32 = 2047;

/* Probabilities of the extra bit of category 1, and of the two of category 2. */
export const firstExtra: u32 = 159;
export const secondExtraHigh: u32 = 165;
export const secondExtraLow: u32 = 145;

/** Bytes of a list in `extraBits`. */
const listBytes: usize = 12;

/** Index 0 to 3 of categories 3 to 6 for magnitudes from 11 on: they begin at 3 + 8, 3 + 16, 3 + 32 and 3 + 64. */
export function largeCategory(magnitude: u32): u32 {
  return min<u32>(3, 28 - clz<u32>(magnitude - 3));
}

/** Value of the extra bits for such a magnitude. */
export function largeExtra(magnitude: u32, category: u32): u32 {
  return magnitude - 3 - (8 << category);
}

/** Number of extra bits. */
export function extraCount(category: u32): i32 {
  return category === 3 ? 11 : <i32>category + 3;
}

/** Pointer to the probabilities of the extra bits, one byte each. */
export function extraProbabilities(category: u32): usize {
  return extraBits + listBytes * category;
}
