/** The largest prime below 2^16 (RFC 1950 §9). */
const modulus = 65_521;

/** So many bytes keep both sums within a signed 32-bit integer, which engines add without a check. */
const stretchBytes = 3_840;

/** Adler-32 of what was summed up in `sum` (1 at first) and these bytes behind it (RFC 1950 §9). */
export function adler32(bytes: Uint8Array, sum: number): number {
  let a = sum & 0xffff;
  let b = sum >>> 16;
  for (let at = 0; at < bytes.length; ) {
    const end = Math.min(at + stretchBytes, bytes.length);
    for (; at + 4 <= end; at += 4) {
      const first = bytes[at] ?? 0;
      const second = bytes[at + 1] ?? 0;
      const third = bytes[at + 2] ?? 0;
      const fourth = bytes[at + 3] ?? 0;
      b = (b + 4 * (a + first) + 3 * second + 2 * third + fourth) | 0;
      a = (a + first + second + third + fourth) | 0;
    }
    for (; at < end; at += 1) {
      a = (a + (bytes[at] ?? 0)) | 0;
      b = (b + a) | 0;
    }
    a %= modulus;
    b %= modulus;
  }
  return ((b << 16) | a) >>> 0;
}
