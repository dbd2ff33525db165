/**
 * One block of quantized coefficients to samples as decoders of JPEG XL show them (ISO/IEC 18181-1, quantization bias of HF
 * coefficients): an AC coefficient counts for somewhat less than it says, since most of what has been rounded to it was
 * nearer to 0.
 */

import { zigzag } from './frame';
import { fillWithMean, nonzeros, spectrum, transform } from './idct';

/** What becomes of 1 and −1 in Y, Cb and Cr: the standard's default, which files of JPEG coefficients have. */
const ones: usize = memory.data<f32>([0.9299455, 0.9453499, 0.9500649]);
/** What any other coefficient loses, divided by it. */
const loss: f32 = 0.145;

/** Bits behind the point of dequantized coefficients: what they lose is often less than 1. */
const fraction: i32 = 3;

/**
 * @param block 64 × i16 in zigzag order
 * @param steps 64 × u16 in zigzag order
 * @param c component, 0 to 2
 * @param stride bytes from one row of the 8 × 8 samples to the next
 */
export function writeShrunkenSamples(
  block: usize,
  steps: usize,
  c: i32,
  to: usize,
  stride: usize,
): void {
  const present = nonzeros(block);
  if (present <= 1) {
    fillWithMean(block, steps, 8, to, stride);
    return;
  }
  const one = load<f32>(ones + ((<usize>c) << 2));
  memory.fill(spectrum, 0, 128);
  let rest = present;
  while (rest !== 0) {
    const k = <usize>ctz(rest);
    rest &= rest - 1;
    const value = <i32>load<i16>(block + (k << 1));
    const shrunken = k === 0 ? <f32>value : shrink(value, one);
    const exact = shrunken * <f32>((<i32>load<u16>(steps + (k << 1))) << fraction);
    const clamped = max<f32>(-32768, min<f32>(32767, nearest(exact)));
    store<i16>(spectrum + ((<usize>load<u8>(zigzag + k)) << 1), <i32>clamped);
  }
  transform(present, fraction, to, stride);
}

/** @param value not 0 */
function shrink(value: i32, one: f32): f32 {
  if (value === 1) return one;
  if (value === -1) return -one;
  return <f32>value - loss / <f32>value;
}
