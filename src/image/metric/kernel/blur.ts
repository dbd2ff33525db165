/**
 * The Gaussian blur of SSIMULACRA2, σ = 1.5: the recursive filter of D. Charalampidis, "Recursive Implementation of the
 * Gaussian Filter Using Truncated Cosine Functions" (2016), with radius 5 as in libjxl's `gauss_blur.cc`. Its impulse
 * response is a sum of three cosines that ends after four samples, so it equals a filter with nine taps, which has
 * neither state nor drift. Samples outside the picture are zeros.
 */

/** Radius of the window in samples. */
export const blurRadius: i32 = 4;
/** Bytes from one row to the next in a vertically blurred piece. */
export const pitch: usize = 320;

/** Taps by distance from the center, f32, in memory as in `opsin.ts`; the sum of all nine is 1. */
const taps: usize = memory.data<f32>(
  [
    0.2646211054881986, 0.2129285920104222, 0.10933537277746029, 0.03601111465836436,
    0.00941436780965372,
  ],
  16,
);

/**
 * Blurs vertically: computes one row from nine.
 * @param rows nine rows, `pitch` bytes apart, the middle one of which is blurred
 */
export function blurDown(rows: usize, to: usize, columns: i32): void {
  const end = to + ((<usize>columns) << 2);
  const weight0 = v128.load32_splat(taps);
  const weight1 = v128.load32_splat(taps, 4);
  const weight2 = v128.load32_splat(taps, 8);
  const weight3 = v128.load32_splat(taps, 12);
  const weight4 = v128.load32_splat(taps, 16);
  for (; to < end; to += 16) {
    const outer = f32x4.add(v128.load(rows), v128.load(rows, 8 * pitch));
    const third = f32x4.add(v128.load(rows, pitch), v128.load(rows, 7 * pitch));
    const second = f32x4.add(v128.load(rows, 2 * pitch), v128.load(rows, 6 * pitch));
    const inner = f32x4.add(v128.load(rows, 3 * pitch), v128.load(rows, 5 * pitch));
    let sum = f32x4.mul(v128.load(rows, 4 * pitch), weight0);
    sum = f32x4.add(sum, f32x4.mul(inner, weight1));
    sum = f32x4.add(sum, f32x4.mul(second, weight2));
    sum = f32x4.add(sum, f32x4.mul(third, weight3));
    v128.store(to, f32x4.add(sum, f32x4.mul(outer, weight4)));
    rows += 16;
  }
}

/**
 * Blurs a row horizontally. Separate from `blurDown`, because WebAssembly instructions have constant offsets.
 * @param row pointer four samples before the first blurred one
 */
export function blurAlong(row: usize, to: usize, columns: i32): void {
  const end = to + ((<usize>columns) << 2);
  const weight0 = v128.load32_splat(taps);
  const weight1 = v128.load32_splat(taps, 4);
  const weight2 = v128.load32_splat(taps, 8);
  const weight3 = v128.load32_splat(taps, 12);
  const weight4 = v128.load32_splat(taps, 16);
  for (; to < end; to += 16) {
    const outer = f32x4.add(v128.load(row), v128.load(row, 32));
    const third = f32x4.add(v128.load(row, 4), v128.load(row, 28));
    const second = f32x4.add(v128.load(row, 8), v128.load(row, 24));
    const inner = f32x4.add(v128.load(row, 12), v128.load(row, 20));
    let sum = f32x4.mul(v128.load(row, 16), weight0);
    sum = f32x4.add(sum, f32x4.mul(inner, weight1));
    sum = f32x4.add(sum, f32x4.mul(second, weight2));
    sum = f32x4.add(sum, f32x4.mul(third, weight3));
    v128.store(to, f32x4.add(sum, f32x4.mul(outer, weight4)));
    row += 16;
  }
}
