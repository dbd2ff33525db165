/**
 * A first pass over the rows: counts colors, and estimates the bits of pixels as literals and as differences from the
 * pixel to the left, each with and without subtracting green. Pixels that equal the one to the left or above are
 * skipped, because references cover them.
 */
import { logarithm, prepareLogarithms } from '../../../../wasm/assembly/logarithms';
import { allocate } from '../../../../wasm/assembly/memory';
import {
  allocatePalette,
  beginColors,
  beginPalette,
  colorCount,
  countColors,
  hasTooManyColors,
  takeAlpha,
  takeColors,
} from './color-transforms';

/** Kinds of transforms. */
const direct: i32 = 0;
export const withoutGreen: i32 = 1;
export const predictive: i32 = 2;
export const predictiveWithoutGreen: i32 = 3;
export const indexed: i32 = 4;

/* Histograms of 256 × u32: alpha, red, green and blue for each kind, then hashes. */
const sampleBytes: usize = 1024;
const kindBytes: usize = 4096;
let histograms: usize = 0;
/** The row above, and the current one. */
let above: usize = 0;
let current: usize = 0;
let width: i32 = 0;
let rows: i32 = 0;

/**
 * Rows from the middle of the picture that are kept for a trial: their approximate number of pixels, and a pointer to
 * them.
 */
const samplePixels: i32 = 1 << 16;
export let sample: usize = 0;
export let sampleRows: i32 = 0;
let firstSampled: i32 = 0;

/** Allocates 42 KiB, two rows, and a sample of 256 KiB or a row; returns false if there is no memory. */
export function allocateSurvey(columns: i32, height: i32): bool {
  width = columns;
  sampleRows = min(height, max(1, samplePixels / columns));
  firstSampled = (height - sampleRows) >> 1;
  sample = allocate((<usize>(sampleRows * columns)) << 2);
  if (sample === 0) return false;
  histograms = allocate(4 * kindBytes + sampleBytes);
  above = allocate(((<usize>columns) << 2) + 32) + 16;
  current = allocate(((<usize>columns) << 2) + 32) + 16;
  return histograms !== 0 && above !== 16 && current !== 16 && allocatePalette();
}

/** Starts before the first row. */
export function beginSurvey(keepsHidden: bool): void {
  prepareLogarithms();
  memory.fill(histograms, 0, 4 * kindBytes + sampleBytes);
  memory.fill(above - 16, 0, ((<usize>width) << 2) + 32);
  beginPalette();
  beginColors(!keepsHidden);
  rows = 0;
}

/** Adds a row of RGBA. */
export function surveyRow(rgba: usize): void {
  takeColors(rgba, current, width);
  countRow();
}

/** Adds a row whose alpha is to be encoded as a plane. */
export function surveyAlphaRow(rgba: usize): void {
  takeAlpha(rgba, current, width);
  countRow();
}

function countRow(): void {
  keepSample();
  if (!hasTooManyColors) countColors(current, width);
  // The pixel to the left of the first one is the one above.
  store<u32>(current - 4, load<u32>(above));
  // Four at a time, because most pixels of graphics are skipped.
  for (let x = 0; x < width; x += 4) {
    const at = current + ((<usize>x) << 2);
    const pixels = v128.load(at);
    let same = i32x4.eq(pixels, v128.load(at - 4));
    if (rows > 0) {
      same = v128.or(same, i32x4.eq(pixels, v128.load(above + ((<usize>x) << 2))));
    }
    let others = ~i32x4.bitmask(same) & ((1 << min(width - x, 4)) - 1);
    for (; others !== 0; others &= others - 1) {
      countOther(at + ((<usize>ctz(others)) << 2));
    }
  }
  const row = above;
  above = current;
  current = row;
  rows += 1;
}

/** Counts a pixel that differs from those to its left and above. */
function countOther(at: usize): void {
  const pixel = load<u32>(at);
  countPixel(histograms, pixel);
  countPixel(histograms + 2 * kindBytes, difference(pixel, load<u32>(at - 4)));
  count(histograms + 4 * kindBytes + (hashOf(pixel) << 2));
}

/**
 * An 8-bit hash as a substitute for a palette index, as used by libwebp to estimate palettes (`HashPix` in
 * `vp8l_enc.c`).
 */
function hashOf(pixel: u32): usize {
  return ((pixel + (pixel >> 19)) * 0x39c5fba7) >> 24;
}

/** Copies the row if it is part of the sample. */
function keepSample(): void {
  const row = rows - firstSampled;
  if (row < 0 || row >= sampleRows) return;
  const bytes = (<usize>width) << 2;
  memory.copy(sample + bytes * row, current, bytes);
}

function difference(a: u32, b: u32): u32 {
  const alphaGreen = 0x00ff00ff + (a & 0xff00ff00) - (b & 0xff00ff00);
  const redBlue = 0xff00ff00 + (a & 0x00ff00ff) - (b & 0x00ff00ff);
  return (alphaGreen & 0xff00ff00) | (redBlue & 0x00ff00ff);
}

/** Counts a pixel with and without subtracting green; the latter counts follow the former. */
function countPixel(at: usize, pixel: u32): void {
  const green = pixel >> 8;
  count(at + ((pixel >> 24) << 2));
  count(at + sampleBytes + (((pixel >> 16) & 255) << 2));
  count(at + 2 * sampleBytes + ((green & 255) << 2));
  count(at + 3 * sampleBytes + ((pixel & 255) << 2));
  count(at + kindBytes + sampleBytes + ((((pixel >> 16) - green) & 255) << 2));
  count(at + kindBytes + 3 * sampleBytes + (((pixel - green) & 255) << 2));
}

function count(at: usize): void {
  store<u32>(at, load<u32>(at) + 1);
}

/** Estimated bits of a histogram's samples. */
function bitsOf(histogram: usize): f32 {
  let total: u32 = 0;
  let bits: f32 = 0;
  for (let at = histogram; at < histogram + sampleBytes; at += 4) {
    const counted = load<u32>(at);
    total += counted;
    bits -= <f32>counted * logarithm(counted);
  }
  return bits + <f32>total * logarithm(total);
}

/** Estimated bits of a kind; alpha and green are shared with the kind that counts them. */
function bitsOfKind(kind: i32): f32 {
  const at = histograms + kindBytes * kind;
  const whole = histograms + kindBytes * (kind & 2);
  return (
    bitsOf(whole) +
    bitsOf(at + sampleBytes) +
    bitsOf(whole + 2 * sampleBytes) +
    bitsOf(at + 3 * sampleBytes)
  );
}

/** log2 of the tile side. */
const tileBits: i32 = 4;
/** Up to this number of colors, indices are bundled, which is always smallest. */
const fewColors: i32 = 16;
/** Estimated bits of a palette color, and of a tile's predictor and factors. */
const colorBits: f32 = 8;
const predictorBits: f32 = 3.8;
const factorBits: f32 = 4.6;

/** Estimated bits of the best direct kind, and of the best predictive kind. */
let directBits: f32 = 0;
let predictiveBits: f32 = 0;
/** The best direct kind, and the best predictive kind. */
export let directKind: i32 = direct;
export let predictiveKind: i32 = predictive;

/** Chooses the transforms by the counts. */
export function surveyedTransforms(): i32 {
  weighKinds();
  if (!hasTooManyColors) {
    const bits = bitsOf(histograms + 4 * kindBytes) + <f32>colorCount * colorBits;
    if (colorCount <= fewColors || bits < Mathf.min(directBits, predictiveBits)) return indexed;
  }
  return directBits <= predictiveBits ? directKind : predictiveKind;
}

function weighKinds(): void {
  const tiles = <f32>(((width >> tileBits) + 1) * ((rows >> tileBits) + 1));
  const plain = bitsOfKind(direct);
  const plainWithoutGreen = bitsOfKind(withoutGreen);
  directKind = plain <= plainWithoutGreen ? direct : withoutGreen;
  directBits = Mathf.min(plain, plainWithoutGreen);
  const residuals = bitsOfKind(predictive) + tiles * predictorBits;
  const residualsWithoutGreen = bitsOfKind(predictiveWithoutGreen) + tiles * factorBits;
  predictiveKind = residuals <= residualsWithoutGreen ? predictive : predictiveWithoutGreen;
  predictiveBits = Mathf.min(residuals, residualsWithoutGreen);
}

/** Range of the ratio between predictive and direct bits in which the counts are inconclusive. */
const minCloseRatio: f32 = 0.75;
const maxCloseRatio: f32 = 1.05;

/** Whether the choice of `surveyedTransforms` between direct and predictive coding needs a trial. */
export function isCloseChoice(): bool {
  return predictiveBits > minCloseRatio * directBits && predictiveBits < maxCloseRatio * directBits;
}
