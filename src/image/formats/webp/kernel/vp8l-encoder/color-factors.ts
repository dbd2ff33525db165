/**
 * Cross-color transform (RFC 9649 §4.2): predicts red from green, and blue from green and red, in each tile. Factors
 * are estimated by least squares; the cheapest of these and some neighbors are chosen.
 */
import { allocate } from '../../../../wasm/assembly/memory';
import { largeCosts, residualCosts, smallCosts } from './predictors';

/** Factors of each tile in the picture, u32: green-to-red lowest, then green-to-blue, red-to-blue. */
export let factorTiles: usize = 0;
let sideBits: i32 = 0;
/** Whether any tile has nonzero factors. */
export let areFactorsUsed: bool = false;
/** Factors are in 32nds. */
const unit: f64 = 32;
/** Minimum gain of factors in quarters of a bit, because they have to be written. */
const statedCost: i32 = 24;

/** Allocates 4 bytes per tile with sides of 2^`tileBits`; returns false if there is no memory. */
export function allocateFactors(tiles: i32, tileBits: i32): bool {
  sideBits = tileBits;
  factorTiles = allocate((<usize>tiles) << 2);
  return factorTiles !== 0;
}

/** Starts a picture. */
export function beginFactors(): void {
  areFactorsUsed = false;
}

/* The current tile. */
let tileAt: usize = 0;
let tileStride: usize = 0;
let columns: i32 = 0;
let rows: i32 = 0;

/**
 * Chooses factors for a row of tiles, and subtracts the predictions from red and blue.
 * @param row first row of pixels
 * @param to destination for the factors
 */
export function chooseFactors(
  row: usize,
  stride: usize,
  width: i32,
  tileRows: i32,
  to: usize,
): void {
  tileStride = stride;
  rows = tileRows;
  let before: u32 = 0;
  for (let x = 0; x < width; x += 1 << sideBits, to += 4) {
    tileAt = row + ((<usize>x) << 2);
    columns = min(width - x, 1 << sideBits);
    before = factorsOfTile(before);
    store<u32>(to, before);
    if (before === 0) continue;
    areFactorsUsed = true;
    subtractColors(before);
  }
}

/** Sums of products of green (g), red (r) and blue (b) over the tile. */
let gg: i32 = 0;
let rr: i32 = 0;
let gr: i32 = 0;
let gb: i32 = 0;
let rb: i32 = 0;

function sumProducts(): void {
  gg = 0;
  rr = 0;
  gr = 0;
  gb = 0;
  rb = 0;
  for (let y = 0; y < rows; y += 1) {
    let at = tileAt + tileStride * y;
    for (const end = at + ((<usize>columns) << 2); at < end; at += 4) {
      const blue: i32 = load<i8>(at);
      const green: i32 = load<i8>(at, 1);
      const red: i32 = load<i8>(at, 2);
      gg += green * green;
      rr += red * red;
      gr += green * red;
      gb += green * blue;
      rb += red * blue;
    }
  }
}

/** Converts a factor to its coded form. */
function factor(value: f64): i32 {
  return <i32>Math.max(-127, Math.min(127, Math.round(unit * value)));
}

/** The best factors for the tile. */
function factorsOfTile(before: u32): u32 {
  sumProducts();
  const toRed = gg > 0 ? factor(<f64>gr / <f64>gg) : 0;
  const red = bestToRed(toRed, <i32>(<i8>before));
  const determinant = <f64>gg * <f64>rr - <f64>gr * <f64>gr;
  let greenToBlue = gg > 0 ? factor(<f64>gb / <f64>gg) : 0;
  let redToBlue = 0;
  if (determinant > 0) {
    greenToBlue = factor((<f64>gb * <f64>rr - <f64>rb * <f64>gr) / determinant);
    redToBlue = factor((<f64>rb * <f64>gg - <f64>gb * <f64>gr) / determinant);
  }
  const blue = bestToBlue(greenToBlue, redToBlue, before >> 8);
  return (red & 255) | (blue << 8);
}

/** The best green-to-red factor among the estimate, its neighbors, that of the previous tile, and 0. */
function bestToRed(found: i32, before: i32): i32 {
  let best = 0;
  let least = redCost(0) - statedCost;
  for (let step = -1; step <= 2; step += 1) {
    const tried = step === 2 ? before : max(-128, min(127, found + 4 * step));
    if (tried === 0) continue;
    let cost = redCost(tried);
    if (tried === before) cost -= statedCost;
    if (cost >= least) continue;
    least = cost;
    best = tried;
  }
  return best;
}

/** Like `bestToRed`, for green-to-blue (lowest) and red-to-blue. */
function bestToBlue(fromGreen: i32, fromRed: i32, before: u32): u32 {
  let best: u32 = 0;
  let least = blueCost(0, 0) - statedCost;
  for (let i = 0; i < 3; i += 1) {
    let tried: u32 = (fromGreen & 255) | ((fromRed & 255) << 8);
    if (i === 1) tried = before & 0xffff;
    else if (i === 2) tried = ((fromGreen >> 1) & 255) | (((fromRed >> 1) & 255) << 8);
    let cost = blueCost(<i32>(<i8>tried), <i32>(<i8>(tried >> 8)));
    if (tried === (before & 0xffff)) cost -= statedCost;
    if (cost >= least) continue;
    least = cost;
    best = tried;
  }
  return best;
}

/** Factors for both halves of a pixel, i16 each. */
function pair(low: i32, high: i32): v128 {
  return i32x4.splat((low & 0xffff) | (high << 16));
}

/** Signed green in both halves of four pixels. */
function greensOf(colors: v128): v128 {
  return i16x8.shr_s(
    i8x16.shuffle(colors, colors, 0, 1, 0, 1, 4, 5, 4, 5, 8, 9, 8, 9, 12, 13, 12, 13),
    8,
  );
}

/** Signed red in the lower halves of four pixels. */
function redsOf(colors: v128): v128 {
  return i32x4.shr_u(i16x8.shr_s(i16x8.shl(colors, 8), 8), 16);
}

/** The predictions of red and blue. */
function foretold(colors: v128, fromGreen: v128, fromRed: v128): v128 {
  const byGreen = i16x8.shr_s(i16x8.mul(greensOf(colors), fromGreen), 5);
  return i16x8.add(byGreen, i16x8.shr_s(i16x8.mul(redsOf(colors), fromRed), 5));
}

/** Cost of red with a factor, in quarters of a bit. */
function redCost(fromGreen: i32): i32 {
  return costOf(pair(0, fromGreen), i32x4.splat(0), 2);
}

/** Cost of blue with factors, in quarters of a bit. */
function blueCost(fromGreen: i32, fromRed: i32): i32 {
  return costOf(pair(fromGreen, 0), pair(fromRed, 0), 0);
}

/** Masks for the first pixels of four, by their number. */
const parts: usize = memory.data<u32>([
  0, 0, 0, 0, 0xffffffff, 0, 0, 0, 0xffffffff, 0xffffffff, 0, 0, 0xffffffff, 0xffffffff, 0xffffffff,
  0, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff,
]);

/** @param sample 0 for blue, 2 for red */
function costOf(fromGreen: v128, fromRed: v128, sample: i32): i32 {
  const small = smallCosts(sample);
  const large = largeCosts(sample);
  const isSample = i32x4.splat(255 << (sample << 3));
  let sum = i16x8.splat(0);
  for (let y = 0; y < rows; y += 1) {
    const row = tileAt + tileStride * y;
    for (let x = 0; x < columns; x += 4) {
      const colors = v128.load(row + ((<usize>x) << 2));
      const mask = v128.load(parts + (min(columns - x, 4) << 4));
      const changed = i8x16.sub(colors, foretold(colors, fromGreen, fromRed));
      const wanted = v128.and(mask, isSample);
      const costs = v128.and(residualCosts(changed, small, large), wanted);
      sum = i16x8.add(sum, i16x8.extadd_pairwise_i8x16_u(costs));
    }
  }
  const pairs = i32x4.extadd_pairwise_i16x8_u(sum);
  return (
    i32x4.extract_lane(pairs, 0) +
    i32x4.extract_lane(pairs, 1) +
    i32x4.extract_lane(pairs, 2) +
    i32x4.extract_lane(pairs, 3)
  );
}

/** Subtracts the predictions from the tile's red and blue. */
function subtractColors(factors: u32): void {
  const fromGreen = pair(<i32>(<i8>(factors >> 8)), <i32>(<i8>factors));
  const fromRed = pair(<i32>(<i8>(factors >> 16)), 0);
  const redBlue = i32x4.splat(0x00ff00ff);
  for (let y = 0; y < rows; y += 1) {
    const row = tileAt + tileStride * y;
    for (let x = 0; x < columns; x += 4) {
      const at = row + ((<usize>x) << 2);
      const colors = v128.load(at);
      const mask = v128.and(v128.load(parts + (min(columns - x, 4) << 4)), redBlue);
      const difference = i16x8.sub(colors, foretold(colors, fromGreen, fromRed));
      v128.store(at, v128.bitselect(difference, colors, mask));
    }
  }
}
