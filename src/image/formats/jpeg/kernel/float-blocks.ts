/**
 * Reconstructs samples from a block of quantized coefficients as JPEG XL decoders do, in f32 and without rounding. They
 * move AC coefficients toward 0, since most values that were rounded to a coefficient were nearer to 0
 * (ISO/IEC 18181-1, quantization bias of HF coefficients).
 */
import { zigzag } from './frame';
import { nonzeros } from './idct';

/** Adjusted magnitude of ±1 in Y, Cb and Cr: the standard's default, which transcoded JPEG files use. */
const biasedOnes: usize = memory.data<f32>([0.9299455, 0.9453499, 0.9500649]);
/** Other coefficients are moved toward 0 by this value divided by their magnitude. */
const biasNumerator: f32 = 0.145;

/** Basis functions of the DCT (T.81 §A.3.3), 64 × f32: 8 samples for each frequency, in ascending order. */
const basis: usize = memory.data<f32>(
  [
    0.353553391, 0.353553391, 0.353553391, 0.353553391, 0.353553391, 0.353553391, 0.353553391,
    0.353553391, 0.49039264, 0.415734806, 0.277785117, 0.097545161, -0.097545161, -0.277785117,
    -0.415734806, -0.49039264, 0.461939766, 0.191341716, -0.191341716, -0.461939766, -0.461939766,
    -0.191341716, 0.191341716, 0.461939766, 0.415734806, -0.097545161, -0.49039264, -0.277785117,
    0.277785117, 0.49039264, 0.097545161, -0.415734806, 0.353553391, -0.353553391, -0.353553391,
    0.353553391, 0.353553391, -0.353553391, -0.353553391, 0.353553391, 0.277785117, -0.49039264,
    0.097545161, 0.415734806, -0.415734806, -0.097545161, 0.49039264, -0.277785117, 0.191341716,
    -0.461939766, 0.461939766, -0.191341716, -0.191341716, 0.461939766, -0.461939766, 0.191341716,
    0.097545161, -0.277785117, 0.415734806, -0.49039264, 0.49039264, -0.415734806, 0.277785117,
    -0.097545161,
  ],
  16,
);

/** Dequantized coefficients, 64 × f32: eight rows in order of ascending vertical frequency. */
const spectrum: usize = memory.data(256, 16);
/** Values after the columns have been transformed: eight rows, each in order of ascending horizontal frequency. */
const intermediate: usize = memory.data(256, 16);

/**
 * Dequantizes and transforms a block.
 *
 * @param block 64 × i16 in zigzag order
 * @param steps 64 × u16 in zigzag order
 * @param c component, 0 to 2
 * @param to receives 8 rows of 8 × f32, nominally from −128 to 127, not clamped
 * @param stride bytes from one row to the next
 */
export function writeFloatSamples(
  block: usize,
  steps: usize,
  c: i32,
  to: usize,
  stride: usize,
): void {
  const one = load<f32>(biasedOnes + ((<usize>c) << 2));
  memory.fill(spectrum, 0, 256);
  for (let remaining = nonzeros(block); remaining !== 0; remaining &= remaining - 1) {
    const k = <usize>ctz(remaining);
    const value = <f32>load<i16>(block + (k << 1));
    const adjusted = k === 0 ? value : biased(value, one);
    const step = <f32>load<u16>(steps + (k << 1));
    store<f32>(spectrum + ((<usize>load<u8>(zigzag + k)) << 2), adjusted * step);
  }
  for (let y: usize = 0; y < 8; y += 1) {
    let low = f32x4.splat(0);
    let high = f32x4.splat(0);
    for (let k: usize = 0; k < 8; k += 1) {
      const weight = v128.load32_splat(basis + (k << 5) + (y << 2));
      low = f32x4.add(low, f32x4.mul(weight, v128.load(spectrum + (k << 5))));
      high = f32x4.add(high, f32x4.mul(weight, v128.load(spectrum + (k << 5), 16)));
    }
    v128.store(intermediate + (y << 5), low);
    v128.store(intermediate + (y << 5), high, 16);
  }
  let row = to;
  for (let y: usize = 0; y < 8; y += 1) {
    let left = f32x4.splat(0);
    let right = f32x4.splat(0);
    for (let k: usize = 0; k < 8; k += 1) {
      const value = v128.load32_splat(intermediate + (y << 5) + (k << 2));
      left = f32x4.add(left, f32x4.mul(value, v128.load(basis + (k << 5))));
      right = f32x4.add(right, f32x4.mul(value, v128.load(basis + (k << 5), 16)));
    }
    v128.store(row, left);
    v128.store(row, right, 16);
    row += stride;
  }
}

/** Applies the quantization bias to a nonzero AC coefficient. @param one adjusted magnitude of ±1 */
function biased(value: f32, one: f32): f32 {
  if (value === 1) return one;
  if (value === -1) return -one;
  return value - biasNumerator / value;
}
