/** The check sum of zlib streams, Adler-32 (RFC 1950 §9). */

const modulus: u32 = 65521;
/** The most bytes before a sum passes 32 bits. */
const mostAtOnce: usize = 5552;

let low: u32 = 1;
let high: u32 = 0;

/** Begins with no bytes. */
export function beginAdler(): void {
  low = 1;
  high = 0;
}

/** Takes more bytes. */
export function addAdler(from: usize, length: usize): void {
  let at = from;
  const end = from + length;
  while (at < end) {
    const stop = min(end, at + mostAtOnce);
    for (; at < stop; at += 1) {
      low += load<u8>(at);
      high += low;
    }
    low %= modulus;
    high %= modulus;
  }
}

/** The sum of all that was taken. */
export function adler(): u32 {
  return (high << 16) | low;
}
