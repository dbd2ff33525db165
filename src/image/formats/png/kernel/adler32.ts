/** Adler-32, the checksum of zlib streams (RFC 1950 §8.2, §9). */

/** The largest prime below 2^16. */
const modulus: u32 = 65521;
/** The number of bytes that keep both sums within 32 bits (zlib's NMAX), a multiple of the vector size. */
const stretchBytes: usize = 5552;

/** Weight of each of 16 bytes in the second sum. */
const firstWeights: v128 = i16x8(16, 15, 14, 13, 12, 11, 10, 9);
const lastWeights: v128 = i16x8(8, 7, 6, 5, 4, 3, 2, 1);

/** Adler-32 of the bytes already in `sum` (1 at first) followed by `length` more. */
export function adler32(sum: u32, from: usize, length: usize): u32 {
  let a = sum & 0xffff;
  let b = sum >> 16;
  const end = from + length;
  while (end - from >= 16) {
    const stop = from + (min(end - from, stretchBytes) & ~15);
    const vectors = (stop - from) >> 4;
    let bytes = i32x4.splat(0);
    let earlier = i32x4.splat(0);
    let weighted = i32x4.splat(0);
    b += a * ((<u32>vectors) << 4);
    for (; from < stop; from += 16) {
      const vector = v128.load(from);
      const pairs = i16x8.extadd_pairwise_i8x16_u(vector);
      earlier = i32x4.add(earlier, bytes);
      bytes = i32x4.add(bytes, i32x4.extadd_pairwise_i16x8_u(pairs));
      weighted = i32x4.add(
        weighted,
        i32x4.add(
          i32x4.dot_i16x8_s(i16x8.extend_low_i8x16_u(vector), firstWeights),
          i32x4.dot_i16x8_s(i16x8.extend_high_i8x16_u(vector), lastWeights),
        ),
      );
    }
    // Each vector's bytes count 16 more times for every later vector.
    b = (b + (laneSum(earlier) << 4) + laneSum(weighted)) % modulus;
    a = (a + laneSum(bytes)) % modulus;
  }
  for (; from < end; from += 1) {
    a += load<u8>(from);
    b += a;
  }
  return ((b % modulus) << 16) | (a % modulus);
}

function laneSum(sums: v128): u32 {
  return (
    i32x4.extract_lane(sums, 0) +
    i32x4.extract_lane(sums, 1) +
    i32x4.extract_lane(sums, 2) +
    i32x4.extract_lane(sums, 3)
  );
}
