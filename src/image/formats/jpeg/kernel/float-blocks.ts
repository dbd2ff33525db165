/**
 * One block of quantized coefficients to samples as decoders of JPEG XL make them, in f32 and without rounding. They count an
 * AC coefficient for somewhat less than it says, since most of what has been rounded to it was nearer to 0
 * (ISO/IEC 18181-1, quantization bias of HF coefficients).
 */
import { zigzag } from './frame';
import { nonzeros } from './idct';

/** What becomes of 1 and −1 in Y, Cb and Cr: the standard's default, which files of JPEG coefficients have. */
const ones: usize = memory.data<f32>([0.9299455, 0.9453499, 0.9500649]);
/** What any other coefficient loses, divided by it. */
const loss: f32 = 0.145;

/** Basis functions of the DCT (T.81 §A.3.3): 8 samples, 64 × f32 for rising frequencies. */
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

/** Dequantized coefficients, 64 × f32: eight rows of rising vertical frequency. */
const spectrum: usize = memory.data(256, 16);
/** After the columns have been transformed: eight rows of rising horizontal frequency. */
const between: usize = memory.data(256, 16);

/**
 * @param block 64 × i16 in zigzag order
 * @param steps 64 × u16 in zigzag order
 * @param c component, 0 to 2
 * @param to takes 8 rows of 8 × f32, from −128 to 127 where they are not beyond black or white
 * @param stride bytes from one row to the next
 */
export function writeFloatSamples(
  block: usize,
  steps: usize,
  c: i32,
  to: usize,
  stride: usize,
): void {
  const one = load<f32>(ones + ((<usize>c) << 2));
  memory.fill(spectrum, 0, 256);
  for (let rest = nonzeros(block); rest !== 0; rest &= rest - 1) {
    const k = <usize>ctz(rest);
    const value = <f32>load<i16>(block + (k << 1));
    const shown = k === 0 ? value : shrunken(value, one);
    const step = <f32>load<u16>(steps + (k << 1));
    store<f32>(spectrum + ((<usize>load<u8>(zigzag + k)) << 2), shown * step);
  }
  for (let y: usize = 0; y < 8; y += 1) {
    let low = f32x4.splat(0);
    let high = f32x4.splat(0);
    for (let k: usize = 0; k < 8; k += 1) {
      const weight = v128.load32_splat(basis + (k << 5) + (y << 2));
      low = f32x4.add(low, f32x4.mul(weight, v128.load(spectrum + (k << 5))));
      high = f32x4.add(high, f32x4.mul(weight, v128.load(spectrum + (k << 5), 16)));
    }
    v128.store(between + (y << 5), low);
    v128.store(between + (y << 5), high, 16);
  }
  let row = to;
  for (let y: usize = 0; y < 8; y += 1) {
    let left = f32x4.splat(0);
    let right = f32x4.splat(0);
    for (let k: usize = 0; k < 8; k += 1) {
      const value = v128.load32_splat(between + (y << 5) + (k << 2));
      left = f32x4.add(left, f32x4.mul(value, v128.load(basis + (k << 5))));
      right = f32x4.add(right, f32x4.mul(value, v128.load(basis + (k << 5), 16)));
    }
    v128.store(row, left);
    v128.store(row, right, 16);
    row += stride;
  }
}

/** @param value not 0 */
function shrunken(value: f32, one: f32): f32 {
  if (value === 1) return one;
  if (value === -1) return -one;
  return value - loss / value;
}
