/**
 * Masking: which part of the tolerance applies to each pixel, depending on the local activity, the range of green
 * within 3 × 3 pixels. Errors are visible in flat areas and hidden by detail.
 */
import { allocate } from '../../../../wasm/assembly/memory';
import { pixelCount, targetRow } from './frame';

/** Share of the tolerance that applies in flat areas, and its increase per step of the local range. */
const flatShare: f32 = 0.7;
const busyShare: f32 = 0.03;

/** Per pixel, 64ths of the tolerance. */
let masks: usize = 0;

/** False if memory runs out. */
export function allocateMasks(): bool {
  masks = allocate(pixelCount());
  return masks !== 0;
}

/** The share of the tolerance that applies to a pixel. */
export function maskAt(position: usize): f32 {
  return <f32>load<u8>(masks + position) * (1 / 64);
}

/**
 * Computes the masks of a frame.
 * @param width in pixels
 */
export function fillMasks(width: i32): void {
  const height = <i32>pixelCount() / width;
  for (let y: i32 = 0; y < height; y += 1) {
    const row = targetRow(y, width);
    const above = y > 0 ? targetRow(y - 1, width) : row;
    const below = y < height - 1 ? targetRow(y + 1, width) : row;
    const to = masks + y * width;
    let x: i32 = 0;
    store<u8>(to, maskOf(rangeAt(above, row, below, x, width)));
    // Four pixels at once, where all horizontal neighbors exist.
    for (x = 1; x + 5 <= width; x += 4) {
      const ranges = rangesAt(above + 4 * (x - 1), row + 4 * (x - 1), below + 4 * (x - 1));
      const shares = f32x4.mul(f32x4.convert_i32x4_s(ranges), f32x4.splat(64 * busyShare));
      const all = i32x4.trunc_sat_f32x4_s(f32x4.add(shares, f32x4.splat(64 * flatShare)));
      const bytes = i8x16.narrow_i16x8_u(i16x8.narrow_i32x4_s(all, all), all);
      store<u32>(to + x, <u32>i32x4.extract_lane(bytes, 0));
    }
    for (; x < width; x += 1) store<u8>(to + x, maskOf(rangeAt(above, row, below, x, width)));
  }
}

function maskOf(range: i32): u8 {
  return <u8>min<f32>(255, 64 * (flatShare + busyShare * <f32>range));
}

/** The ranges of green around the second to fifth pixel from an address in each of three rows. */
function rangesAt(above: usize, row: usize, below: usize): v128 {
  let least = i8x16.splat(-1);
  let most = i8x16.splat(0);
  for (let x: usize = 0; x < 12; x += 4) {
    const a = v128.load(above + x);
    const b = v128.load(row + x);
    const c = v128.load(below + x);
    most = v128.max<u8>(most, v128.max<u8>(a, v128.max<u8>(b, c)));
    least = v128.min<u8>(least, v128.min<u8>(opaque(a), v128.min<u8>(opaque(b), opaque(c))));
  }
  // Where all pixels are transparent, the minimum exceeds the maximum.
  const ranges = i8x16.sub_sat_u(most, least);
  return v128.and(i32x4.shr_u(ranges, 8), i32x4.splat(0xff));
}

/** Replaces transparent pixels, which are 0, by all ones, so that they are never the minimum. */
function opaque(words: v128): v128 {
  return v128.or(words, i32x4.eq(words, i32x4.splat(0)));
}

/** The range of green around a pixel, in three rows. */
function rangeAt(above: usize, row: usize, below: usize, x: i32, width: i32): i32 {
  let least: i32 = 255;
  let most: i32 = 0;
  for (let at = max(0, x - 1); at <= min(width - 1, x + 1); at += 1) {
    for (let i: i32 = 0; i < 3; i += 1) {
      const word = load<u32>((i === 0 ? above : i === 1 ? row : below) + (at << 2));
      if (word === 0) continue;
      const green = <i32>((word >> 8) & 0xff);
      least = min(least, green);
      most = max(most, green);
    }
  }
  return max(0, most - least);
}
