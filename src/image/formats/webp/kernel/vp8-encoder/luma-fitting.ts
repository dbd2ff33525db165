/**
 * Chooses luma to compensate for halved chroma. Decoders interpolate chroma, which changes the color of a pixel; its
 * luma is chosen so that its luminance, which the eye resolves best, is correct or closer: linear light of 0.2126 red,
 * 0.7152 green and 0.0722 blue. If the color is correct anyway, luma is that of ITU-R BT.601, which adds no rounding
 * noise to flat and gray areas.
 */
import {
  interleavedHigh,
  interleavedLow,
  sumOfProducts,
  weights,
} from '../../../../wasm/assembly/lanes';
import { allocate } from '../../../../wasm/assembly/memory';
import {
  blendedU,
  blendedV,
  blueOfChroma,
  colors,
  evenSamples,
  greenOfChroma,
  lumaFactor,
  oddSamples,
  ofLuma,
  redOfChroma,
} from '../vp8/color-conversion';
import { luminanceOfBlue, luminanceOfGreen, luminanceOfRed } from './chroma-halving';

/** Error in levels that rounding alone explains: of luma 0.6, of chroma 1, and truncation in the decoder. */
const tolerance: i8 = 2;

/**
 * Maximum change of luma in levels that is applied in full; a quarter of the rest is added. Saturated colors with a
 * large chroma error would get the correct luminance only as pale colors, so that text in them would fade, and text on
 * them would have halos.
 */
const fullMove: i32 = 8;

/** Maximum number of steps of Newton's method; most pixels take one or two. */
const maxSteps: i32 = 6;
/**
 * Minimum slope of luminance per level of luma, times 2^24: that of dark colors; it is less only where colors are
 * clamped.
 */
const minSlope: i32 = 4096;

/** Masks for the existing pixels of a group, at offset 16 minus their number. */
const existing: usize = memory.data<u8>([
  255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
]);

/** Contributions of chroma to red, green and blue of sixteen pixels, in 64ths of a level, i16. */
const redChroma: usize = memory.data(32);
const greenChroma: usize = memory.data(32);
const blueChroma: usize = memory.data(32);

/** Decoded colors of sixteen pixels. */
const decodedRed: usize = memory.data(16);
const decodedGreen: usize = memory.data(16);
const decodedBlue: usize = memory.data(16);

/** Whether errors are weighted by alpha. */
let isWeighed: bool = false;
/** Whether fully transparent pixels are skipped. */
let skipsHidden: bool = false;

/** Starts a run; sets `isWeighed` and `skipsHidden`. */
export function beginFitting(weighed: bool, hiddenSkipped: bool): void {
  isWeighed = weighed;
  skipsHidden = hiddenSkipped;
}

/**
 * Writes the luma of a row with blended chroma.
 * @param to destination with room for `width` rounded up to 16
 */
export function fitLuma(pixels: usize, width: i32, to: usize): void {
  for (let x = 0; x < width; x += 16) {
    fitGroup(pixels + ((<usize>x) << 2), x, min(16, width - x), to + x);
  }
}

/** Fits sixteen pixels of one block, of which `count` exist; `x` is the first. */
function fitGroup(pixels: usize, x: i32, count: i32, to: usize): void {
  const first = v128.load(pixels);
  const second = v128.load(pixels, 16);
  const third = v128.load(pixels, 32);
  const fourth = v128.load(pixels, 48);
  const lowRG = redsAndGreens(first, second);
  const highRG = redsAndGreens(third, fourth);
  const lowBA = bluesAndAlphas(first, second);
  const highBA = bluesAndAlphas(third, fourth);
  const red = i64x2.shuffle(lowRG, highRG, 0, 2);
  const green = i64x2.shuffle(lowRG, highRG, 1, 3);
  const blue = i64x2.shuffle(lowBA, highBA, 0, 2);
  const alpha = i64x2.shuffle(lowBA, highBA, 1, 3);
  const exists = v128.load(existing + 16 - count);
  const counted = isWeighed ? v128.and(alpha, exists) : exists;

  keepChroma(x);
  const luma = plainLuma(red, green, blue);
  v128.store(to, luma);
  keepDecoded(luma);
  const isFitted = skipsHidden ? v128.and(exists, i8x16.ne(alpha, i8x16.splat(0))) : exists;
  const pending = i8x16.bitmask(v128.and(isOff(red, green, blue), isFitted));
  let squares: i32 = 0;
  if (pending !== 0) {
    fitPixels(pixels, pending, to);
    keepDecoded(v128.load(to));
    squares = squaredErrors(red, green, blue, counted);
  }
  addColorLoss(x >> 4, squares, sumOf(counted));
}

/** The red bytes of eight pixels, followed by their green bytes. */
function redsAndGreens(first: v128, second: v128): v128 {
  return i8x16.shuffle(first, second, 0, 4, 8, 12, 16, 20, 24, 28, 1, 5, 9, 13, 17, 21, 25, 29);
}

function bluesAndAlphas(first: v128, second: v128): v128 {
  return i8x16.shuffle(first, second, 2, 6, 10, 14, 18, 22, 26, 30, 3, 7, 11, 15, 19, 23, 27, 31);
}

/** Stores the contributions of chroma to the colors of sixteen pixels. */
function keepChroma(x: i32): void {
  const evenU = evenSamples(blendedU + x);
  const oddU = oddSamples(blendedU + x);
  const evenV = evenSamples(blendedV + x);
  const oddV = oddSamples(blendedV + x);
  const lowU = interleavedLow(evenU, oddU);
  const highU = interleavedHigh(evenU, oddU);
  const lowV = interleavedLow(evenV, oddV);
  const highV = interleavedHigh(evenV, oddV);
  v128.store(redChroma, redOfChroma(lowV));
  v128.store(redChroma, redOfChroma(highV), 16);
  v128.store(greenChroma, greenOfChroma(lowU, lowV));
  v128.store(greenChroma, greenOfChroma(highU, highV), 16);
  v128.store(blueChroma, blueOfChroma(lowU));
  v128.store(blueChroma, blueOfChroma(highU), 16);
}

/** Luma of ITU-R BT.601 of sixteen pixels, rounded. */
function plainLuma(red: v128, green: v128, blue: v128): v128 {
  return i8x16.narrow_i16x8_u(
    plainLumaOfEight(
      i16x8.extend_low_i8x16_u(red),
      i16x8.extend_low_i8x16_u(green),
      i16x8.extend_low_i8x16_u(blue),
    ),
    plainLumaOfEight(
      i16x8.extend_high_i8x16_u(red),
      i16x8.extend_high_i8x16_u(green),
      i16x8.extend_high_i8x16_u(blue),
    ),
  );
}

function plainLumaOfEight(red: v128, green: v128, blue: v128): v128 {
  // In 65536ths; green's 33059, which exceeds i16, is split.
  const redGreen = weights(16839, 16530);
  const greenBlue = weights(16529, 6420);
  const offset = i32x4.splat((16 << 16) + 0x8000);
  const low = sumOfProducts(
    interleavedLow(red, green),
    redGreen,
    interleavedLow(green, blue),
    greenBlue,
  );
  const high = sumOfProducts(
    interleavedHigh(red, green),
    redGreen,
    interleavedHigh(green, blue),
    greenBlue,
  );
  return i16x8.narrow_i32x4_s(
    i32x4.shr_s(i32x4.add(low, offset), 16),
    i32x4.shr_s(i32x4.add(high, offset), 16),
  );
}

/** Stores the decoded colors of sixteen pixels with this luma. */
function keepDecoded(luma: v128): void {
  const lowY = ofLuma(i16x8.extend_low_i8x16_u(luma));
  const highY = ofLuma(i16x8.extend_high_i8x16_u(luma));
  v128.store(decodedRed, colors(lowY, highY, v128.load(redChroma), v128.load(redChroma, 16)));
  v128.store(decodedGreen, colors(lowY, highY, v128.load(greenChroma), v128.load(greenChroma, 16)));
  v128.store(decodedBlue, colors(lowY, highY, v128.load(blueChroma), v128.load(blueChroma, 16)));
}

/** Mask: the error of a decoded color exceeds the tolerance. */
function isOff(red: v128, green: v128, blue: v128): v128 {
  const most = i8x16.max_u(
    i8x16.max_u(difference(red, v128.load(decodedRed)), difference(green, v128.load(decodedGreen))),
    difference(blue, v128.load(decodedBlue)),
  );
  return i8x16.gt_u(most, i8x16.splat(tolerance));
}

function difference(a: v128, b: v128): v128 {
  return v128.or(i8x16.sub_sat_u(a, b), i8x16.sub_sat_u(b, a));
}

/** Weighted sum of squared errors of all colors in sixteen pixels. */
function squaredErrors(red: v128, green: v128, blue: v128, weight: v128): i32 {
  const ofRed = difference(red, v128.load(decodedRed));
  const ofGreen = difference(green, v128.load(decodedGreen));
  const ofBlue = difference(blue, v128.load(decodedBlue));
  const sum = i32x4.add(
    squaresOfEight(
      i16x8.extend_low_i8x16_u(ofRed),
      i16x8.extend_low_i8x16_u(ofGreen),
      i16x8.extend_low_i8x16_u(ofBlue),
      i16x8.extend_low_i8x16_u(weight),
    ),
    squaresOfEight(
      i16x8.extend_high_i8x16_u(ofRed),
      i16x8.extend_high_i8x16_u(ofGreen),
      i16x8.extend_high_i8x16_u(ofBlue),
      i16x8.extend_high_i8x16_u(weight),
    ),
  );
  return sumOfLanes(sum);
}

function squaresOfEight(red: v128, green: v128, blue: v128, weight: v128): v128 {
  const none = i16x8.splat(0);
  const lowRG = interleavedLow(red, green);
  const highRG = interleavedHigh(red, green);
  const lowB = interleavedLow(blue, none);
  const highB = interleavedHigh(blue, none);
  return i32x4.add(
    i32x4.mul(sumOfProducts(lowRG, lowRG, lowB, lowB), i32x4.extend_low_i16x8_u(weight)),
    i32x4.mul(sumOfProducts(highRG, highRG, highB, highB), i32x4.extend_high_i16x8_u(weight)),
  );
}

/** Sum of sixteen bytes. */
function sumOf(bytes: v128): i32 {
  return sumOfLanes(i32x4.extadd_pairwise_i16x8_u(i16x8.extadd_pairwise_i8x16_u(bytes)));
}

function sumOfLanes(sums: v128): i32 {
  return (
    i32x4.extract_lane(sums, 0) +
    i32x4.extract_lane(sums, 1) +
    i32x4.extract_lane(sums, 2) +
    i32x4.extract_lane(sums, 3)
  );
}

/** Fits the luma of those pixels, out of sixteen, whose bit in `pending` is set. */
function fitPixels(pixels: usize, pending: i32, to: usize): void {
  for (let rest = pending; rest !== 0; rest &= rest - 1) {
    const i = <usize>ctz(rest);
    const pixel = load<u32>(pixels + (i << 2));
    const wanted =
      load<i32>(luminanceOfRed + ((pixel & 0xff) << 3)) +
      load<i32>(luminanceOfGreen + (((pixel >> 8) & 0xff) << 3)) +
      load<i32>(luminanceOfBlue + (((pixel >> 16) & 0xff) << 3));
    const plain = <i32>load<u8>(to + i);
    store<u8>(to + i, moved(plain, fittedLuma(wanted, i << 1, plain)));
  }
}

/**
 * Finds the luma closest to a luminance by Newton's method.
 * @param lane byte offset of the pixel in `redChroma`, `greenChroma` and `blueChroma`
 */
function fittedLuma(wanted: i32, lane: usize, plain: i32): i32 {
  const red = <i32>load<i16>(redChroma + lane);
  const green = <i32>load<i16>(greenChroma + lane);
  const blue = <i32>load<i16>(blueChroma + lane);
  let best = plain;
  let least = i32.MAX_VALUE;
  let luma = plain;
  for (let step = 0; step < maxSteps; step += 1) {
    const ofY = (luma * lumaFactor) >> 8;
    const luminance =
      load<i64>(luminanceOfRed + (((ofY + red) >> 6) << 3)) +
      load<i64>(luminanceOfGreen + (((ofY + green) >> 6) << 3)) +
      load<i64>(luminanceOfBlue + (((ofY + blue) >> 6) << 3));
    const error = wanted - <i32>luminance;
    const slope = max(<i32>(luminance >> 32), minSlope);
    if (abs(error) < least) {
      least = abs(error);
      best = luma;
    }
    if (2 * abs(error) <= slope) break;
    luma += <i32>nearest(<f32>error / <f32>slope);
    luma = min(max(luma, 0), 255);
  }
  return best;
}

/** Moves luma from plain to fitted, or partly if that is far. */
function moved(plain: i32, fitted: i32): i32 {
  const move = fitted - plain;
  const full = min(max(move, -fullMove), fullMove);
  return plain + full + (move - full) / 4;
}

// Measures the error of halving chroma before anything is encoded: counts blocks of 16 × 16 pixels whose decoded colors
// have an error above 6 levels RMS over red, green and blue. If there are many, 4:2:0 does not suit the picture.

/** Maximum squared error of a block, in squared levels, for three colors. */
const maxLoss: f64 = 3 * 6 * 6;

const recordBytes: usize = 16;
/** Per block: sum of squared errors times weights f64, sum of weights f64. */
let records: usize = 0;
let count: i32 = 0;
let colorful: i32 = 0;
/** Sums over all judged blocks. */
let allSquares: f64 = 0;
let allWeights: f64 = 0;

/** Allocates memory for a row with this number of blocks; returns false if there is none. */
export function allocateColorLoss(across: i32): bool {
  count = across;
  records = allocate(recordBytes * across);
  return records !== 0;
}

/** Resets all sums and counts. */
export function beginColorLoss(): void {
  colorful = 0;
  allSquares = 0;
  allWeights = 0;
  memory.fill(records, 0, recordBytes * count);
}

/** Adds the error of some pixels in block `x`. */
function addColorLoss(x: i32, squares: i32, weight: i32): void {
  const at = records + recordBytes * x;
  store<f64>(at, load<f64>(at) + <f64>squares);
  store<f64>(at, load<f64>(at, 8) + <f64>weight, 8);
}

/** Judges the blocks of a complete row. */
export function judgeColorLoss(): void {
  const end = records + recordBytes * count;
  for (let at = records; at < end; at += recordBytes) {
    const squares = load<f64>(at);
    const weights = load<f64>(at, 8);
    if (squares > maxLoss * weights) colorful += 1;
    allSquares += squares;
    allWeights += weights;
  }
  memory.fill(records, 0, recordBytes * count);
}

/** Number of blocks so far with an error above 6 levels RMS. */
export function colorfulBlocks(): i32 {
  return colorful;
}

/** RMS error of the whole picture so far, in levels. */
export function colorLoss(): f64 {
  return allWeights > 0 ? Math.sqrt(allSquares / (3 * allWeights)) : 0;
}
