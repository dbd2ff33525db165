/**
 * The Gaussian blur of SSIMULACRA2, σ = 1.5: the recursive one of D. Charalampidis, "Recursive Implementation of the
 * Gaussian Filter Using Truncated Cosine Functions" (2016), as libjxl's `gauss_blur.cc` sets it up, radius 5. Its
 * answer to an impulse is a sum of three cosines that ends after four samples, so that it is a filter of nine taps as
 * well, which has no state and no drift. Outside the picture there are zeros.
 */

/** Samples that the window reaches to either side. */
export const blurRadius: i32 = 4;
/** Bytes from row to row of what is blurred downwards. */
export const pitch: usize = 320;

/** Taps by their distance from the middle, f32, in memory as in `opsin.ts`; all nine add up to 1. */
const taps: usize = memory.data<f32>(
  [
    0.2646211054881986, 0.2129285920104222, 0.10933537277746029, 0.03601111465836436,
    0.00941436780965372,
  ],
  16,
);

/**
 * Blurs rows into one, from column to column.
 * @param rows nine of them, `pitch` bytes apart, of which the middle one is blurred
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
 * Blurs a row along: the same with other distances, which an instruction of WebAssembly has as constants.
 * @param row from four samples before the first that is blurred
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
