/**
 * Upsamples 4:2:0 chroma to the resolution of luma, like libwebp's "fancy" upsampling: the nearest four samples have
 * weights of 9, 3, 3 and 1 sixteenths, and the result is rounded once. Rows are blended vertically first, 3 to 1; the
 * horizontal blending is part of the color conversion.
 */
import { allocate } from '../../../../wasm/assembly/memory';

/** Margin in bytes before a blended row, for the sample before its first, and after it for wide loads and stores. */
const margin: usize = 16;

/** Blended rows of U and V in quarters, i16 each. */
export let blendedU: usize = 0;
export let blendedV: usize = 0;
let count: usize = 0;

/** Allocates rows for `width` pixels; returns false if there is no memory. */
export function allocateUpsampling(width: i32): bool {
  count = <usize>((width + 1) >> 1);
  const bytes = 2 * ((count + 7) & ~7) + 2 * margin;
  const u = allocate(bytes);
  const v = allocate(bytes);
  blendedU = u + margin;
  blendedV = v + margin;
  return u !== 0 && v !== 0;
}

/** Blends the chroma of a row of pixels from the nearer and the farther chroma row. */
export function blendRows(nearU: usize, farU: usize, nearV: usize, farV: usize): void {
  blend(nearU, farU, blendedU);
  blend(nearV, farV, blendedV);
}

function blend(near: usize, far: usize, to: usize): void {
  const three = i16x8.splat(3);
  for (let x: usize = 0; x < count; x += 8) {
    const weighed = i16x8.mul(v128.load8x8_u(near + x), three);
    v128.store(to + (x << 1), i16x8.add(weighed, v128.load8x8_u(far + x)));
  }
  store<i16>(to - 2, load<i16>(to));
  const end = to + (count << 1);
  store<i16>(end, load<i16>(end - 2));
}

/** Chroma of even pixels, which are to the left of the centers of eight samples of a blended row. */
export function evenSamples(at: usize): v128 {
  return sixteenths(v128.load(at), v128.load(at - 2));
}

/** Chroma of odd pixels, which are to the right of the centers of eight samples. */
export function oddSamples(at: usize): v128 {
  return sixteenths(v128.load(at), v128.load(at + 2));
}

function sixteenths(near: v128, far: v128): v128 {
  const sum = i16x8.add(i16x8.mul(near, i16x8.splat(3)), far);
  return i16x8.shr_u(i16x8.add(sum, i16x8.splat(8)), 4);
}
