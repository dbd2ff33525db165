/** One block of quantized coefficients to samples, by the shortest way that gives the same. */
import { transformEight, transformLowest } from './idct';
import { meanSample, transformToFour, transformToTwo } from './scaled-idct';
import { dequantize, nonzeros } from './spectrum';

/** Coefficients in zigzag order that lie outside the lowest 4 × 4. */
const beyondLowest: u64 = ~0x1063bff;

/**
 * @param block 64 × i16 in zigzag order
 * @param steps 64 × u16 in zigzag order
 * @param size of the result, 8, 4, 2 or 1 samples across and down
 * @param stride bytes from one row of samples to the next
 */
export function writeSamples(
  block: usize,
  steps: usize,
  size: i32,
  to: usize,
  stride: usize,
): void {
  const present = nonzeros(block);
  if (size === 1 || present <= 1) {
    fill(meanSample(<i16>(load<i16>(block) * <i32>load<u16>(steps))), size, to, stride);
    return;
  }
  dequantize(block, steps, present);
  if (size === 4) transformToFour(to, stride);
  else if (size === 2) transformToTwo(to, stride);
  else if ((present & beyondLowest) === 0) transformLowest(to, stride);
  else transformEight(to, stride);
}

function fill(sample: i32, size: i32, to: usize, stride: usize): void {
  const samples = i8x16.splat(<i8>sample);
  let row = to;
  for (let y = 0; y < size; y += 1) {
    if (size === 8) v128.store64_lane(row, samples, 0);
    else if (size === 4) v128.store32_lane(row, samples, 0);
    else if (size === 2) v128.store16_lane(row, samples, 0);
    else store<u8>(row, sample);
    row += stride;
  }
}
