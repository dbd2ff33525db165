/**
 * The one block that is being transformed: its coefficients, dequantized, in
 * rows of eight.
 */

/** 64 × i16: eight rows of rising vertical frequency, each of rising horizontal frequency. */
export const spectrum: usize = memory.data(128, 16);

/** Bytes from the start of a spectrum to each coefficient of the zigzag sequence (T.81 figure A.6). */
const places: usize = memory.data<u8>([
  0, 2, 16, 32, 18, 4, 6, 20, 34, 48, 64, 50, 36, 22, 8, 10, 24, 38, 52, 66, 80, 96, 82, 68, 54, 40,
  26, 12, 14, 28, 42, 56, 70, 84, 98, 112, 114, 100, 86, 72, 58, 44, 30, 46, 60, 74, 88, 102, 116,
  118, 104, 90, 76, 62, 78, 92, 106, 120, 122, 108, 94, 110, 124, 126,
]);

/** @returns bit `k` for each coefficient `k` in zigzag order that is not 0 */
export function nonzeros(block: usize): u64 {
  return (
    <u64>sixteenNonzeros(block) |
    ((<u64>sixteenNonzeros(block + 32)) << 16) |
    ((<u64>sixteenNonzeros(block + 64)) << 32) |
    ((<u64>sixteenNonzeros(block + 96)) << 48)
  );
}

function sixteenNonzeros(at: usize): u32 {
  const bytes = i8x16.narrow_i16x8_s(v128.load(at), v128.load(at, 16));
  return i8x16.bitmask(i8x16.ne(bytes, i8x16.splat(0)));
}

/**
 * Fills the spectrum. A product beyond 16 bits wraps, as in the vector code of
 * libjpeg-turbo; a valid file has none.
 *
 * @param block 64 × i16 in zigzag order
 * @param steps 64 × u16 in zigzag order
 * @param present what `nonzeros` says of the block
 */
export function dequantize(block: usize, steps: usize, present: u64): void {
  memory.fill(spectrum, 0, 128);
  let rest = present;
  while (rest !== 0) {
    const k = <usize>ctz(rest);
    rest &= rest - 1;
    const value = load<i16>(block + (k << 1)) * <i32>load<u16>(steps + (k << 1));
    store<i16>(spectrum + load<u8>(places + k), value);
  }
}
