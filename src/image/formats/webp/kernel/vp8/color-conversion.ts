/**
 * Converts YCbCr of limited range (ITU-R BT.601) to RGBA, with the factors and rounding of libwebp: each product is
 * truncated to 64ths of a level before summing.
 */
import { interleavedHigh, interleavedLow, storePixels } from '../../../../wasm/assembly/lanes';
import { allocate } from '../../../../wasm/assembly/memory';

/** Number of pixels that are converted at a time; rows need room for whole groups. */
export const pixelGroup: i32 = 16;

/* Factors in 16384ths. */
export const lumaFactor: i32 = 19077;
const redOfV: i32 = 26149;
const greenOfU: i32 = 6419;
const greenOfV: i32 = 13320;
const blueOfU: i32 = 33050;

/* Offsets of the sums in 64ths, including rounding: luma begins at 16, and chroma is centered on 128. */
const redOffset: i16 = -14234;
const greenOffset: i16 = 8708;
const blueOffset: i16 = -17685;

/**
 * Writes a row of opaque pixels from its luma and blended chroma.
 * @param to destination: 4 bytes for each pixel, whose number is rounded up to 16
 */
export function writePixels(luma: usize, width: i32, to: usize): void {
  for (let x: usize = 0; x < <usize>width; x += pixelGroup) {
    const evenU = evenSamples(blendedU + x);
    const oddU = oddSamples(blendedU + x);
    const evenV = evenSamples(blendedV + x);
    const oddV = oddSamples(blendedV + x);
    const y = v128.load(luma + x);
    const lowY = ofLuma(i16x8.extend_low_i8x16_u(y));
    const highY = ofLuma(i16x8.extend_high_i8x16_u(y));
    const lowU = interleavedLow(evenU, oddU);
    const highU = interleavedHigh(evenU, oddU);
    const lowV = interleavedLow(evenV, oddV);
    const highV = interleavedHigh(evenV, oddV);
    storePixels(
      colors(lowY, highY, redOfChroma(lowV), redOfChroma(highV)),
      colors(lowY, highY, greenOfChroma(lowU, lowV), greenOfChroma(highU, highV)),
      colors(lowY, highY, blueOfChroma(lowU), blueOfChroma(highU)),
      to + (x << 2),
    );
  }
}

/*
 * Contributions of luma and chroma to the colors of eight pixels, in 64ths of a level, as i16. Samples are i16, too.
 */

export function ofLuma(y: v128): v128 {
  return product(y, lumaFactor);
}

export function redOfChroma(v: v128): v128 {
  return i16x8.add(product(v, redOfV), i16x8.splat(redOffset));
}

export function greenOfChroma(u: v128, v: v128): v128 {
  const taken = i16x8.add(product(u, greenOfU), product(v, greenOfV));
  return i16x8.sub(i16x8.splat(greenOffset), taken);
}

/** Blue from U. The product may exceed 32767 before the offset is subtracted, but not after. */
export function blueOfChroma(u: v128): v128 {
  return i16x8.add(product(u, blueOfU), i16x8.splat(blueOffset));
}

/** Sixteen bytes of a color, from the contributions of luma and chroma to the lower and upper eight. */
export function colors(lowY: v128, highY: v128, low: v128, high: v128): v128 {
  return i8x16.narrow_i16x8_u(color(lowY, low), color(highY, high));
}

/** Adds contributions; sums above 32767, which occur only for blue, saturate. */
function color(ofY: v128, ofChroma: v128): v128 {
  return i16x8.shr_s(i16x8.add_sat_s(ofY, ofChroma), 6);
}

/** An 8-bit sample times a 16-bit factor, truncated to 256ths; computed from both bytes of the factor separately. */
function product(sample: v128, factor: i32): v128 {
  const high = i16x8.mul(sample, i16x8.splat(<i16>(factor >> 8)));
  const low = i16x8.mul(sample, i16x8.splat(<i16>(factor & 0xff)));
  return i16x8.add(high, i16x8.shr_u(low, 8));
}

/** Sets the alpha of a row written by `writePixels`. Up to 15 bytes after the row of alpha may be read. */
export function setAlpha(alpha: usize, width: i32, to: usize): void {
  const withoutAlpha = i32x4.splat(0xffffff);
  for (let x: usize = 0; x < <usize>width; x += 4) {
    const levels = i32x4.shl(extended(v128.load32_zero(alpha + x)), 24);
    const at = to + (x << 2);
    v128.store(at, v128.or(v128.and(v128.load(at), withoutAlpha), levels));
  }
}

/** Extends four bytes to i32. */
function extended(bytes: v128): v128 {
  return i32x4.extend_low_i16x8_u(i16x8.extend_low_i8x16_u(bytes));
}

// Upsamples 4:2:0 chroma to the resolution of luma, like libwebp's "fancy" upsampling: the nearest four samples have
// weights of 9, 3, 3 and 1 sixteenths, and the result is rounded once. Rows are blended vertically first, 3 to 1; the
// horizontal blending is part of the color conversion.

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
