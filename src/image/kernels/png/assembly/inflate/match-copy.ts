/** Matches: bytes that are there already, again (RFC 1951 §2, §3.2.3). */

/**
 * For distances of 1 to 15 the first 16 bytes of what repeats, as places in the bytes that the match
 * begins with.
 */
const repetitions: usize = memory.data(16 * 16, 16);
let areFilled: bool = false;

function fillRepetitions(): void {
  for (let distance = 1; distance < 16; distance += 1) {
    for (let i = 0; i < 16; i += 1) {
      store<u8>(repetitions + (distance << 4) + i, <u8>(i % distance));
    }
  }
  areFilled = true;
}

/**
 * Writes at `to` so many bytes that lie `distance` before it; a match may go on into itself. Up to 15
 * bytes behind it are overwritten.
 */
export function copyMatch(to: usize, distance: usize, length: usize): void {
  const end = to + length;
  let from = to - distance;
  if (distance >= 16) {
    do {
      v128.store(to, v128.load(from));
      to += 16;
      from += 16;
    } while (to < end);
    return;
  }
  if (!areFilled) fillRepetitions();
  const pattern = i8x16.swizzle(v128.load(from), v128.load(repetitions + (distance << 4)));
  // whole repetitions, so that each store goes on where the one before it was
  const step = 16 - (16 % distance);
  do {
    v128.store(to, pattern);
    to += step;
  } while (to < end);
}
