/**
 * YCbCr of limited range (ITU-R BT.601) as RGBA, with libwebp's factors and roundings: every product is
 * cut to 64ths of a level before they are summed.
 */
import { interleavedHigh, interleavedLow, storePixels } from '../../../../wasm/assembly/lanes';
import { blendedU, blendedV, evenSamples, oddSamples } from './upsampling';

/** Pixels are made sixteen at a time; what there is room for behind a row. */
export const pixelGroup: i32 = 16;

/* Factors in 16384ths. */
export const lumaFactor: i32 = 19077;
const redOfV: i32 = 26149;
const greenOfU: i32 = 6419;
const greenOfV: i32 = 13320;
const blueOfU: i32 = 33050;

/* What the sums are off, since luma begins at 16 and chroma is centred on 128, in 64ths and with their rounding. */
const redOffset: i16 = -14234;
const greenOffset: i16 = 8708;
const blueOffset: i16 = -17685;

/**
 * Writes a row of opaque pixels from its luma and the chroma that has been blended for it.
 * @param to 4 bytes for each pixel, their number rounded up to 16
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
 * What luma and chroma contribute to the colors of eight pixels, in 64ths of a level as i16. Samples are i16,
 * too.
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

/** The product can be beyond 32767; less the offset it is not. */
export function blueOfChroma(u: v128): v128 {
  return i16x8.add(product(u, blueOfU), i16x8.splat(blueOffset));
}

/** Sixteen bytes of one color, of what luma and chroma contribute to the first and to the last eight. */
export function colors(lowY: v128, highY: v128, low: v128, high: v128): v128 {
  return i8x16.narrow_i16x8_u(color(lowY, low), color(highY, high));
}

/** Sums beyond 32767, which only blue has, stop there. */
function color(ofY: v128, ofChroma: v128): v128 {
  return i16x8.shr_s(i16x8.add_sat_s(ofY, ofChroma), 6);
}

/** A sample of 8 bits by a factor of 16, in 256ths cut: of both bytes of the factor by itself. */
function product(sample: v128, factor: i32): v128 {
  const high = i16x8.mul(sample, i16x8.splat(<i16>(factor >> 8)));
  const low = i16x8.mul(sample, i16x8.splat(<i16>(factor & 0xff)));
  return i16x8.add(high, i16x8.shr_u(low, 8));
}

/** Gives a row of pixels their alpha; see `writePixels`. Behind the row of alpha 15 bytes may be read. */
export function setAlpha(alpha: usize, width: i32, to: usize): void {
  const withoutAlpha = i32x4.splat(0xffffff);
  for (let x: usize = 0; x < <usize>width; x += 4) {
    const levels = i32x4.shl(extended(v128.load32_zero(alpha + x)), 24);
    const at = to + (x << 2);
    v128.store(at, v128.or(v128.and(v128.load(at), withoutAlpha), levels));
  }
}

/** Four bytes as i32. */
function extended(bytes: v128): v128 {
  return i32x4.extend_low_i16x8_u(i16x8.extend_low_i8x16_u(bytes));
}
