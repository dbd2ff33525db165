/**
 * The forward transforms: the DCT of a 4 × 4 block of residuals, and the Walsh–Hadamard transform of the DC
 * coefficients of all luma blocks. They are the inverses of RFC 6386 §14.3 and §14.4, with twice the scale of
 * orthonormal transforms. Coefficients are in zigzag order, so that runs of zeros are contiguous.
 */
import { blockBytes } from '../vp8/coefficients';

/** Approximately 4096 √2 cos(π/8) and 4096 √2 sin(π/8), as in the forward DCT of libvpx. */
const cosine: i16 = 5352;
const sine: i16 = 2217;

/**
 * Transforms the residuals of a block.
 * @param source 16 samples in rows
 * @param predicted 16 predicted samples in rows
 * @param to destination for 16 coefficients in zigzag order, i16 each
 */
export function forwardTransform(source: v128, predicted: v128, to: usize): void {
  const upper = i16x8.sub(i16x8.extend_low_i8x16_u(source), i16x8.extend_low_i8x16_u(predicted));
  const lower = i16x8.sub(i16x8.extend_high_i8x16_u(source), i16x8.extend_high_i8x16_u(predicted));
  // Columns: rows 0 and 1, 3 and 2.
  const turned = i64x2.shuffle(lower, lower, 1, 0);
  const sums = i16x8.add(upper, turned);
  const slopes = i16x8.sub(upper, turned);
  const even = i16x8.shl(evenRows(sums), 3);
  const odd = oddRows(slopes, i32x4.splat(256), 9);
  // Rows, transposed to columns.
  const first = i16x8.shuffle(even, odd, 0, 8, 4, 12, 1, 9, 5, 13);
  const second = i16x8.shuffle(even, odd, 3, 11, 7, 15, 2, 10, 6, 14);
  const evenOut = i16x8.shr_s(i16x8.add(evenRows(i16x8.add(first, second)), i16x8.splat(7)), 4);
  const oddOut = oddRows(i16x8.sub(first, second), i32x4.splat(0x8000), 16);
  v128.store(to, i16x8.shuffle(evenOut, oddOut, 0, 8, 1, 2, 9, 4, 12, 5));
  v128.store(to, i16x8.shuffle(evenOut, oddOut, 10, 3, 11, 6, 13, 14, 7, 15), 16);
}

/** Sum and difference of the two halves. */
function evenRows(halves: v128): v128 {
  const turned = i64x2.shuffle(halves, halves, 1, 0);
  return i64x2.shuffle(i16x8.add(halves, turned), i16x8.sub(halves, turned), 0, 2);
}

/** Rotates the outer differences in the lower half and the inner ones in the upper half. */
function oddRows(slopes: v128, rounding: v128, shift: i32): v128 {
  const pairs = i16x8.shuffle(slopes, slopes, 0, 4, 1, 5, 2, 6, 3, 7);
  const row1 = i32x4.dot_i16x8_s(
    pairs,
    i16x8(cosine, sine, cosine, sine, cosine, sine, cosine, sine),
  );
  const row3 = i32x4.dot_i16x8_s(
    pairs,
    i16x8(sine, -cosine, sine, -cosine, sine, -cosine, sine, -cosine),
  );
  return i16x8.narrow_i32x4_s(
    i32x4.shr_s(i32x4.add(row1, rounding), shift),
    i32x4.shr_s(i32x4.add(row3, rounding), shift),
  );
}

/** Byte offset of each coefficient in zigzag order. */
const zigzag: usize = memory.data<u8>([0, 2, 10, 12, 4, 8, 14, 24, 6, 16, 22, 26, 18, 20, 28, 30]);
const rows: usize = memory.data(64, 4);

/**
 * Transforms the DC coefficients of sixteen blocks.
 * @param from the first of the blocks
 * @param to destination for 16 coefficients in zigzag order, i16 each
 */
export function forwardWalshHadamard(from: usize, to: usize): void {
  for (let y: usize = 0; y < 4; y += 1) {
    const at = from + 4 * blockBytes * y;
    transformFour(
      load<i16>(at),
      load<i16>(at + blockBytes),
      load<i16>(at + 2 * blockBytes),
      load<i16>(at + 3 * blockBytes),
      rows + 16 * y,
      4,
    );
  }
  for (let x: usize = 0; x < 4; x += 1) {
    const at = rows + 4 * x;
    transformFour(load<i32>(at), load<i32>(at, 16), load<i32>(at, 32), load<i32>(at, 48), at, 16);
  }
  for (let n: usize = 0; n < 16; n += 1) {
    store<i16>(to + load<u8>(zigzag + n), <i16>(load<i32>(rows + 4 * n) >> 1));
  }
}

function transformFour(a: i32, b: i32, c: i32, d: i32, to: usize, step: usize): void {
  const outer = a + d;
  const inner = b + c;
  const outerSlope = a - d;
  const innerSlope = b - c;
  store<i32>(to, outer + inner);
  store<i32>(to + step, outerSlope + innerSlope);
  store<i32>(to + 2 * step, outer - inner);
  store<i32>(to + 3 * step, outerSlope - innerSlope);
}
