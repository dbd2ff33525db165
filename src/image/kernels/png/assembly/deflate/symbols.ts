/** Symbols of deflate and the bits behind them (RFC 1951 §3.2.5). */

export const leastLength: i32 = 3;
export const mostLength: i32 = 258;
/** Literals and lengths that have a code. */
export const literalSymbols: i32 = 286;
export const distanceSymbols: i32 = 30;
export const endOfBlock: i32 = 256;

/** Which of the 29 symbols of lengths, from 0, stands for a length. */
export function lengthSlot(length: i32): i32 {
  const above = length - leastLength;
  if (above < 4) return above;
  if (length === mostLength) return 28;
  const shift = 29 - clz(above);
  return (shift << 2) + (above >> shift);
}

/** Bits behind the symbol of a length. */
export function lengthExtra(slot: i32): i32 {
  return slot < 8 || slot === 28 ? 0 : (slot >> 2) - 1;
}

/** The least length that a symbol stands for. */
export function lengthBase(slot: i32): i32 {
  if (slot === 28) return mostLength;
  if (slot < 8) return slot + leastLength;
  return leastLength + ((4 + (slot & 3)) << ((slot >> 2) - 1));
}

/** Which symbol stands for a distance. */
export function distanceSlot(distance: u32): i32 {
  const above = distance - 1;
  if (above < 2) return above;
  const highest = 31 - clz(above);
  return <i32>((highest << 1) + ((above >> (highest - 1)) & 1));
}

/** Bits behind the symbol of a distance. */
export function distanceExtra(slot: i32): i32 {
  return slot < 4 ? 0 : (slot >> 1) - 1;
}

/** The least distance that a symbol stands for. */
export function distanceBase(slot: i32): u32 {
  if (slot < 4) return slot + 1;
  return 1 + ((2 + (<u32>slot & 1)) << ((slot >> 1) - 1));
}
