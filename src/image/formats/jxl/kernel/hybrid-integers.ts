/**
 * Integers as a token and raw bits behind it (ISO/IEC 18181-1 §C.2.3): values below 16 are their own tokens, larger ones
 * have the position of their highest bit and one or two bits behind it in the token.
 */

/** Values below this are tokens; log2, as the codestream states it. */
export const splitExponent: i32 = 4;
const split: u32 = 16;

/** Tokens that there are at most. */
export const tokenCount: i32 = 64;

/** The token of a value below 2^19. @param top bits behind the highest one that are in the token */
export function tokenOf(value: u32, top: i32): u32 {
  if (value < split) return value;
  const high = 31 - clz(value);
  return split + (((high - splitExponent) << top) | ((value >> (high - top)) & ((1 << top) - 1)));
}

/** How many raw bits stand behind a token. */
export function rawBitsOf(token: u32, top: i32): i32 {
  if (token < split) return 0;
  return splitExponent - top + ((token - split) >> top);
}
