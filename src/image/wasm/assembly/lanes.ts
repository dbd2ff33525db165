/** Shuffles of the lanes of two vectors, and sums of products of pairs of lanes. */

/** `a0 b0 a1 b1 …` of the first halves of two vectors of i16. */
export function interleavedLow(a: v128, b: v128): v128 {
  return i16x8.shuffle(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
}

/** `a0 b0 a1 b1 …` of the second halves of two vectors of i16. */
export function interleavedHigh(a: v128, b: v128): v128 {
  return i16x8.shuffle(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
}

/** `a0 b0 a1 b1 …` of the first halves of two vectors of bytes. */
export function bytesLow(a: v128, b: v128): v128 {
  return i8x16.shuffle(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
}

/** `a0 b0 a1 b1 …` of the second halves of two vectors of bytes. */
export function bytesHigh(a: v128, b: v128): v128 {
  return i8x16.shuffle(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
}

/** `a0 b0 a1 b1` of the first halves of two vectors of i32. */
export function wordsLow(a: v128, b: v128): v128 {
  return i32x4.shuffle(a, b, 0, 4, 1, 5);
}

/** `a0 b0 a1 b1` of the second halves of two vectors of i32. */
export function wordsHigh(a: v128, b: v128): v128 {
  return i32x4.shuffle(a, b, 2, 6, 3, 7);
}

/** The weights `first second first second …` for `i32x4.dot_i16x8_s` with interleaved lanes. */
export function weights(first: i32, second: i32): v128 {
  return i32x4.splat((second << 16) | (first & 0xffff));
}

/** `a` · `wa` + `b` · `wb` over interleaved lanes: four sums of four products. */
export function sumOfProducts(a: v128, wa: v128, b: v128, wb: v128): v128 {
  return i32x4.add(i32x4.dot_i16x8_s(a, wa), i32x4.dot_i16x8_s(b, wb));
}

/** Stores 16 opaque pixels as RGBA; each vector has the bytes of one color. */
export function storePixels(red: v128, green: v128, blue: v128, to: usize): void {
  storeQuads(red, green, blue, i8x16.splat(-1), to);
}

/** Stores the bytes of four vectors as 16 groups of four. */
export function storeQuads(first: v128, second: v128, third: v128, fourth: v128, to: usize): void {
  const beginLow = bytesLow(first, second);
  const beginHigh = bytesHigh(first, second);
  const endLow = bytesLow(third, fourth);
  const endHigh = bytesHigh(third, fourth);
  v128.store(to, interleavedLow(beginLow, endLow));
  v128.store(to, interleavedHigh(beginLow, endLow), 16);
  v128.store(to, interleavedLow(beginHigh, endHigh), 32);
  v128.store(to, interleavedHigh(beginHigh, endHigh), 48);
}
