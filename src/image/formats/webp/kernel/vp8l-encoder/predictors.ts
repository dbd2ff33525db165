/** Chooses the predictor of each tile: the one with the lowest estimated bits for the sizes of its residuals. */
import { allocate } from '../../../../wasm/assembly/memory';
import { gradient, halfGradient, mean, predictors } from './predictions';
import { largeCosts, residualCosts, smallCosts } from './residual-costs';
import {
  allocatePlanes,
  alphaPlane,
  beginPlanes,
  isVaried,
  planeCount,
  planeRow,
  planeStride,
  splitRow,
} from './sample-planes';

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
