/**
 * Hybrid integer coding: a token followed by raw bits (ISO/IEC 18181-1 §C.2.3). Values below 16 are tokens themselves;
 * the tokens of larger values contain the position of the most significant bit and one or two bits after it.
 */

/** Values below 2 to this power are tokens themselves; written to the codestream. */
export const splitExponent: i32 = 4;
const split: u32 = 16;

/** Maximum number of tokens. */
export const tokenCount: i32 = 64;

/**
 * The token of a value below 2^19.
 * @param top number of bits after the most significant one that are part of the token
 */
export function tokenOf(value: u32, top: i32): u32 {
  if (value < split) return value;
  const high = 31 - clz(value);
  return split + (((high - splitExponent) << top) | ((value >> (high - top)) & ((1 << top) - 1)));
}

/** Number of raw bits after a token. */
export function rawBitsOf(token: u32, top: i32): i32 {
  if (token < split) return 0;
  return splitExponent - top + ((token - split) >> top);
}
