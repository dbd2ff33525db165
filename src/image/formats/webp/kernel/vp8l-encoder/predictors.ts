/** Chooses the predictor of each tile: the one with the lowest estimated bits for the sizes of its residuals. */
import { logarithm } from '../../../../wasm/assembly/logarithms';
import { allocate } from '../../../../wasm/assembly/memory';

/** Predictor of each tile in the picture, one byte each. */
export let predictorTiles: usize = 0;
let sideBits: i32 = 0;
/** Whether colors of fully transparent pixels may change. */
export let isHiddenFree: bool = false;

/** Costs of each predictor in the tile, in 16-bit lanes. */
const sums: usize = memory.data(16 * 14, 16);
/** Bonus in quarters of a bit for the predictor of the tile to the left or above. */
const likeness: u32 = 20;

/**
 * Allocates a byte for each tile with sides of 2^`tileBits`, and planes for a row of tiles.
 * @returns false if there is no memory
 */
export function allocatePredictors(width: i32, tiles: i32, tileBits: i32): bool {
  sideBits = tileBits;
  predictorTiles = allocate(tiles);
  return predictorTiles !== 0 && allocatePlanes(width + 1, (1 << tileBits) + 1);
}

/** Sets whether colors of fully transparent pixels may change. */
export function setHiddenFree(isFree: bool): void {
  isHiddenFree = isFree;
}

/**
 * Chooses predictors for a row of tiles.
 *
 * @param row the first row of pixels; it follows the one above it in memory
 * @param isFirst whether it is the first row of the picture, which needs no predictor
 * @param to destination for the predictors
 */
export function choosePredictors(
  row: usize,
  stride: usize,
  width: i32,
  rows: i32,
  isFirst: bool,
  to: usize,
): void {
  const across = (width + (1 << sideBits) - 1) >> sideBits;
  beginPlanes();
  // Starts with the row above.
  for (let y = 0; y <= rows; y += 1) splitRow(row + stride * (y - 1), y, width + 1);
  const first = isFirst ? 2 : 1;
  const side = 1 << sideBits;
  const weighed = max(side, 16);
  for (let tile = 0, x = 0; x < width; x += weighed) {
    const columns = min(width - x, weighed);
    weighPredictors(x, first, columns, rows + 1 - first);
    for (let part = 0; part < columns; part += side, tile += 1) {
      const left: i32 = tile > 0 ? load<u8>(to + tile - 1) : -1;
      const above: i32 = isFirst ? -1 : load<u8>(to + tile - across);
      store<u8>(to + tile, <u8>leastOf(side < 16 ? part : -1, left, above));
    }
  }
}

/**
 * The cheapest predictor.
 * @param part first column of the tile in the sums, 0 or 8; -1 if all columns belong to the tile
 */
function leastOf(part: i32, left: i32, above: i32): i32 {
  let best = 0;
  let least: i32 = i32.MAX_VALUE;
  for (let predictor = 0; predictor < predictors; predictor += 1) {
    const pairs = i32x4.extadd_pairwise_i16x8_u(v128.load(sums + (predictor << 4)));
    let bits = 0;
    if (part !== 8) bits += i32x4.extract_lane(pairs, 0) + i32x4.extract_lane(pairs, 1);
    if (part !== 0) bits += i32x4.extract_lane(pairs, 2) + i32x4.extract_lane(pairs, 3);
    if (predictor === left) bits -= likeness;
    if (predictor === above) bits -= likeness;
    if (bits >= least) continue;
    least = bits;
    best = predictor;
  }
  return best;
}

/** Sums the costs of each predictor over a range of the planes: one tile, or two with sides of eight. */
function weighPredictors(x: i32, y: i32, columns: i32, rows: i32): void {
  memory.fill(sums, 0, 16 * 14);
  for (let from = 0; from < columns; from += 16) {
    setMasks(x + from, y, min(columns - from, 16), rows);
    for (let plane = 0; plane < planeCount; plane += 1) {
      if (isVaried(plane)) weighPlane(plane, x + from, y, rows);
    }
  }
}

/** For each row of sixteen samples: mask of those that count, and of those for which predictor 11 selects L. */
const masks: usize = memory.data(64 * 32, 16);
/** Indices of samples. */
const places: usize = memory.data<u8>([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);

/** Mask of the samples, out of sixteen, that are inside the tile. */
let inside: v128 = i8x16.splat(0);

function setMasks(x: i32, y: i32, columns: i32, rows: i32): void {
  inside = i8x16.lt_u(v128.load(places), i8x16.splat(<i8>columns));
  for (let row = 0; row < rows; row += 1) {
    const mask = masks + (row << 5);
    let isSeen = inside;
    if (isHiddenFree) {
      const alphas = v128.load(planeRow(alphaPlane, y + row) + x);
      isSeen = v128.and(isSeen, i8x16.ne(alphas, i8x16.splat(0)));
    }
    v128.store(mask, isSeen);
    v128.store(mask, leftIsNearer(x, y + row), 16);
  }
}

/** Mask: L + T − TL is closer to L than to T by the sum over all samples. */
function leftIsNearer(x: i32, y: i32): v128 {
  let low = i16x8.splat(0);
  let high = low;
  for (let plane = 0; plane < planeCount; plane += 1) {
    if (!isVaried(plane)) continue;
    const at = planeRow(plane, y) + x;
    const left = v128.load(at - 1);
    const top = v128.load(at - planeStride);
    const corner = v128.load(at - planeStride - 1);
    const toTop = v128.or(i8x16.sub_sat_u(left, corner), i8x16.sub_sat_u(corner, left));
    const toLeft = v128.or(i8x16.sub_sat_u(top, corner), i8x16.sub_sat_u(corner, top));
    low = i16x8.add(low, i16x8.extend_low_i8x16_u(toTop));
    low = i16x8.sub(low, i16x8.extend_low_i8x16_u(toLeft));
    high = i16x8.add(high, i16x8.extend_high_i8x16_u(toTop));
    high = i16x8.sub(high, i16x8.extend_high_i8x16_u(toLeft));
  }
  const none = i16x8.splat(0);
  return i8x16.narrow_i16x8_s(i16x8.gt_s(low, none), i16x8.gt_s(high, none));
}

/** Adds the costs of each predictor in sixteen columns of a plane. */
function weighPlane(plane: i32, x: i32, y: i32, rows: i32): void {
  const small = smallCosts(plane);
  const large = largeCosts(plane);
  const black = i8x16.splat(plane === alphaPlane ? -1 : 0);
  let at = planeRow(plane, y) + x;
  for (let mask = masks, end = masks + (rows << 5); mask < end; mask += 32, at += planeStride) {
    const above = at - planeStride;
    const samples = v128.load(at);
    const left = v128.load(at - 1);
    const top = v128.load(above);
    const corner = v128.load(above - 1);
    const right = v128.load(above, 1);
    // Alpha counts for all pixels.
    const isSeen = plane === alphaPlane ? inside : v128.load(mask);
    const leftTop = mean(left, top);
    const leftCorner = mean(left, corner);
    const topRight = mean(top, right);
    const chosen = v128.bitselect(left, top, v128.load(mask, 16));
    add(0, i8x16.sub(samples, black), isSeen, small, large);
    add(1, i8x16.sub(samples, left), isSeen, small, large);
    add(2, i8x16.sub(samples, top), isSeen, small, large);
    add(3, i8x16.sub(samples, right), isSeen, small, large);
    add(4, i8x16.sub(samples, corner), isSeen, small, large);
    add(5, i8x16.sub(samples, mean(mean(left, right), top)), isSeen, small, large);
    add(6, i8x16.sub(samples, leftCorner), isSeen, small, large);
    add(7, i8x16.sub(samples, leftTop), isSeen, small, large);
    add(8, i8x16.sub(samples, mean(corner, top)), isSeen, small, large);
    add(9, i8x16.sub(samples, topRight), isSeen, small, large);
    add(10, i8x16.sub(samples, mean(leftCorner, topRight)), isSeen, small, large);
    add(11, i8x16.sub(samples, chosen), isSeen, small, large);
    add(12, i8x16.sub(samples, gradient(left, top, corner)), isSeen, small, large);
    add(13, i8x16.sub(samples, halfGradient(leftTop, corner)), isSeen, small, large);
  }
}

function add(predictor: i32, residuals: v128, mask: v128, small: v128, large: v128): void {
  const at = sums + (predictor << 4);
  const costs = v128.and(residualCosts(residuals, small, large), mask);
  v128.store(at, i16x8.add(v128.load(at), i16x8.extadd_pairwise_i8x16_u(costs)));
}

// The fourteen predictors (RFC 9649 §4.1) for four pixels whose neighbors are all known: to the left (L), above (T),
// above left (TL) and above right (TR).

/** Number of predictors. */
const predictors: i32 = 14;
const opaqueBlack: u32 = 0xff000000;

/**
 * @param row pointer to the first pixel
 * @param above pointer to the pixel above it
 */
export function predicted(predictor: i32, row: usize, above: usize): v128 {
  const left = v128.load(row - 4);
  const top = v128.load(above);
  const corner = v128.load(above - 4);
  const right = v128.load(above, 4);
  switch (predictor) {
    case 1:
      return left;
    case 2:
      return top;
    case 3:
      return right;
    case 4:
      return corner;
    case 5:
      return mean(mean(left, right), top);
    case 6:
      return mean(left, corner);
    case 7:
      return mean(left, top);
    case 8:
      return mean(corner, top);
    case 9:
      return mean(top, right);
    case 10:
      return mean(mean(left, corner), mean(top, right));
    case 11:
      return nearer(left, top, corner);
    case 12:
      return gradient(left, top, corner);
    case 13:
      return halfGradient(mean(left, top), corner);
    default:
      return i32x4.splat(opaqueBlack);
  }
}

/** The mean of bytes, rounded down. */
function mean(a: v128, b: v128): v128 {
  const rounding = v128.and(v128.xor(a, b), i8x16.splat(1));
  return i8x16.sub(i8x16.avgr_u(a, b), rounding);
}

/** L or T, whichever is closer to L + T − TL by the sum of differences over all samples. */
function nearer(left: v128, top: v128, corner: v128): v128 {
  const toLeft = sumOfDifferences(top, corner);
  const toTop = sumOfDifferences(left, corner);
  return v128.bitselect(left, top, i32x4.gt_s(toTop, toLeft));
}

/** The sum of absolute differences of the bytes in each 32-bit lane. */
function sumOfDifferences(a: v128, b: v128): v128 {
  const differences = v128.or(i8x16.sub_sat_u(a, b), i8x16.sub_sat_u(b, a));
  return i32x4.extadd_pairwise_i16x8_u(i16x8.extadd_pairwise_i8x16_u(differences));
}

/** L + T − TL, clamped. */
function gradient(left: v128, top: v128, corner: v128): v128 {
  const low = i16x8.add(
    i16x8.extend_low_i8x16_u(left),
    i16x8.sub(i16x8.extend_low_i8x16_u(top), i16x8.extend_low_i8x16_u(corner)),
  );
  const high = i16x8.add(
    i16x8.extend_high_i8x16_u(left),
    i16x8.sub(i16x8.extend_high_i8x16_u(top), i16x8.extend_high_i8x16_u(corner)),
  );
  return i8x16.narrow_i16x8_u(low, high);
}

/** M + (M − TL) / 2, where M is the mean of L and T; rounded towards 0, clamped. */
function halfGradient(middle: v128, corner: v128): v128 {
  return i8x16.narrow_i16x8_u(
    withHalf(i16x8.extend_low_i8x16_u(middle), i16x8.extend_low_i8x16_u(corner)),
    withHalf(i16x8.extend_high_i8x16_u(middle), i16x8.extend_high_i8x16_u(corner)),
  );
}

function withHalf(middle: v128, corner: v128): v128 {
  const difference = i16x8.sub(middle, corner);
  const half = i16x8.shr_s(i16x8.sub(difference, i16x8.shr_s(difference, 15)), 1);
  return i16x8.add(middle, half);
}

// Estimated bits of residuals by magnitude, for each of the four samples of a pixel, from the frequencies of magnitudes
// so far. Magnitudes below 16 are counted separately, larger ones in groups of 16.

const samples: i32 = 4;
const classes: i32 = 25;
/** Costs in quarters of a bit for each sample: of magnitudes below 16, then of groups of 16. */
const costs: usize = memory.data(32 * 4, 16);
/** Counts, u32, and initial counts, which are those of photos. */
const counts: usize = memory.data(4 * 32 * 4, 16);
const firstCounts: usize = memory.data<u32>([
  400, 560, 400, 300, 230, 180, 150, 120, 100, 85, 72, 62, 54, 48, 43, 38, 0, 320, 120, 60, 34, 22,
  14, 10, 8, 0, 0, 0, 0, 0, 0, 0,
]);

/** Starts a picture. */
export function beginResidualCosts(): void {
  for (let sample = 0; sample < samples; sample += 1) {
    memory.copy(counts + (sample << 7), firstCounts, 4 * 32);
  }
  updateResidualCosts();
}

/** The costs of magnitudes below 16 for a sample, blue first. */
export function smallCosts(sample: i32): v128 {
  return v128.load(costs + (sample << 5));
}

/** The costs of groups of 16 magnitudes for a sample, blue first. */
export function largeCosts(sample: i32): v128 {
  return v128.load(costs + (sample << 5), 16);
}

/** The costs of sixteen samples, from both halves of the costs. */
export function residualCosts(residuals: v128, small: v128, large: v128): v128 {
  const sizes = i8x16.min_u(residuals, i8x16.neg(residuals));
  const sixteens = i8x16.shr_u(sizes, 4);
  return v128.or(i8x16.swizzle(small, sizes), i8x16.swizzle(large, sixteens));
}

/** Counts residuals for later costs. */
export function countResiduals(residuals: usize, pixels: i32): void {
  const end = residuals + ((<usize>pixels) << 2);
  for (; residuals < end; residuals += 4) {
    countSize(counts, load<i8>(residuals));
    countSize(counts + 128, load<i8>(residuals, 1));
    countSize(counts + 256, load<i8>(residuals, 2));
    countSize(counts + 384, load<i8>(residuals, 3));
  }
}

function countSize(sizes: usize, residual: i32): void {
  const size = abs(residual);
  const at = sizes + ((size < 16 ? size : 16 + (size >> 4)) << 2);
  store<u32>(at, load<u32>(at) + 1);
}

/** Computes costs from the counts, and halves the counts. */
export function updateResidualCosts(): void {
  for (let sample = 0; sample < samples; sample += 1) {
    learnSample(counts + (sample << 7), costs + (sample << 5));
  }
}

function learnSample(sizes: usize, to: usize): void {
  let total: u32 = 0;
  for (let i = 0; i < classes; i += 1) total += load<u32>(sizes + (i << 2)) + 1;
  const whole = logarithm(total);
  for (let i = 0; i < classes; i += 1) {
    const at = sizes + (i << 2);
    const count = load<u32>(at) + 1;
    // A magnitude has two residuals, and a group of 16 has 32.
    const sign: f32 = i === 0 ? 0 : i < 16 ? 1 : 5;
    const bits = Mathf.min(whole - logarithm(count) + sign, maxBits);
    store<u8>(to + i, i === 16 ? 0 : <u8>(<f32>4 * bits + <f32>0.5));
    store<u32>(at, count >> 1);
  }
}

/** Maximum bits of a residual. */
const maxBits: f32 = 15;

// The samples of a strip in separate planes of bytes: blue, green, red, alpha.

const planeCount: i32 = 4;
const alphaPlane: i32 = 3;
/** Margin in bytes before and after a row for wide loads and stores. */
const margin: usize = 32;

let planes: usize = 0;
let planeBytes: usize = 0;
let planeStride: usize = 0;
/** Bits in which any pixel differs from opaque black. */
let variedBits: v128 = i32x4.splat(0);

/** Allocates 4 bytes for each pixel of this number of rows; returns false if there is no memory. */
function allocatePlanes(width: i32, rows: i32): bool {
  planeStride = (<usize>width + 2 * margin + 15) & ~15;
  planeBytes = planeStride * rows;
  planes = allocate(planeBytes * planeCount);
  return planes !== 0;
}

/** The first sample of a row of a plane. */
function planeRow(plane: i32, y: i32): usize {
  return planes + planeBytes * plane + planeStride * y + margin;
}

/** Starts new planes. */
function beginPlanes(): void {
  variedBits = i32x4.splat(0);
}

/** Whether a plane has samples that differ from opaque black. */
export function isVaried(plane: i32): bool {
  return v128.any_true(v128.and(variedBits, i32x4.splat(255 << (plane << 3))));
}

/** Splits a row; up to 15 pixels after its last may be read. */
function splitRow(row: usize, y: i32, pixels: i32): void {
  const blues = planeRow(0, y);
  const greens = planeRow(1, y);
  const reds = planeRow(2, y);
  const alphas = planeRow(3, y);
  const black = i32x4.splat(opaqueBlack);
  for (let x: usize = 0; x < <usize>pixels; x += 16, row += 64) {
    const a = v128.load(row);
    const b = v128.load(row, 16);
    const c = v128.load(row, 32);
    const d = v128.load(row, 48);
    // Undefined pixels after the last may only cause superfluous work.
    const first = v128.or(v128.xor(a, black), v128.xor(b, black));
    const second = v128.or(v128.xor(c, black), v128.xor(d, black));
    variedBits = v128.or(variedBits, v128.or(first, second));
    const abLower = i8x16.shuffle(a, b, 0, 4, 8, 12, 16, 20, 24, 28, 1, 5, 9, 13, 17, 21, 25, 29);
    const cdLower = i8x16.shuffle(c, d, 0, 4, 8, 12, 16, 20, 24, 28, 1, 5, 9, 13, 17, 21, 25, 29);
    v128.store(blues + x, i64x2.shuffle(abLower, cdLower, 0, 2));
    v128.store(greens + x, i64x2.shuffle(abLower, cdLower, 1, 3));
    const abUpper = i8x16.shuffle(a, b, 2, 6, 10, 14, 18, 22, 26, 30, 3, 7, 11, 15, 19, 23, 27, 31);
    const cdUpper = i8x16.shuffle(c, d, 2, 6, 10, 14, 18, 22, 26, 30, 3, 7, 11, 15, 19, 23, 27, 31);
    v128.store(reds + x, i64x2.shuffle(abUpper, cdUpper, 0, 2));
    v128.store(alphas + x, i64x2.shuffle(abUpper, cdUpper, 1, 3));
  }
}
