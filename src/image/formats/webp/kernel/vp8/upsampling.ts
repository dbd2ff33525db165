/**
 * Chroma of 4:2:0 at the resolution of luma, as libwebp's "fancy" upsampling has it: of the nearest four samples the
 * near one counts 9, those beside it 3 each, the far one 1, all in 16ths and rounded once. Each row is blended down
 * first, 3 to 1, and along it with the colors.
 */
import { allocate } from '../../../../wasm/assembly/memory';

/** In front of a blended row, for the sample before its first, and behind it for wide loads and stores. */
const margin: usize = 16;

/** Blended rows of U and V, in quarters, as i16. */
export let blendedU: usize = 0;
export let blendedV: usize = 0;
let count: usize = 0;

/** Allocates rows for `width` pixels; false if there is no room. */
export function allocateUpsampling(width: i32): bool {
  count = <usize>((width + 1) >> 1);
  const bytes = 2 * ((count + 7) & ~7) + 2 * margin;
  const u = allocate(bytes);
  const v = allocate(bytes);
  blendedU = u + margin;
  blendedV = v + margin;
  return u !== 0 && v !== 0;
}

/** Blends the chroma of a row of pixels: of the row of chroma that is near it, and of the one that is far. */
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

/** The values of pixels 0, 2, 4 …, left of the centers of eight samples of a blended row. */
export function evenSamples(at: usize): v128 {
  return sixteenths(v128.load(at), v128.load(at - 2));
}

/** The values right of their middles, of pixels 1, 3, 5 … */
export function oddSamples(at: usize): v128 {
  return sixteenths(v128.load(at), v128.load(at + 2));
}

function sixteenths(near: v128, far: v128): v128 {
  const sum = i16x8.add(i16x8.mul(near, i16x8.splat(3)), far);
  return i16x8.shr_u(i16x8.add(sum, i16x8.splat(8)), 4);
}
