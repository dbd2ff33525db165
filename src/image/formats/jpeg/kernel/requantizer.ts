/** From rows of the source's coefficients to rows of those that are coded, with coarser tables. */
import {
  allocateHalvedRows,
  beginBlockHalving,
  discardedEnergy,
  halvedRow,
  halveRow,
  isHalved,
  isHalvedDown,
  restartHalving,
} from './chroma-halving';
import {
  blockRow,
  blocksAcross,
  coded,
  componentCount,
  quantizationTable,
  source,
  vertical,
} from './frame';
import { beginRates, rateClass, updateRates } from './rates';
import { allocateDcRow, beginDcRows, chooseAc, chooseDc, takeDc } from './trellis';

/** Per component: steps of the source and 1 / step of the result, 64 × f32. */
const steps: usize = memory.data(1024);
const inverses: usize = memory.data(1024);
/** Whether a component's tables are equal, so that its values are copied: i32 each. */
const same: usize = memory.data(16);
/** What the source's steps are counted in. */
let unit: f32 = 1;
/** Dequantized coefficients of a block, 64 × f32. */
const values: usize = memory.data(256);

/** Lets the source have steps that are no whole numbers; before `beginRequantizer`. */
export function setSourceUnit(value: f32): void {
  unit = value;
}

/** Allocates what requantizing takes, by the geometry of both frames; false if there is no room. */
export function allocateRequantizer(): bool {
  return allocateDcRow() && allocateHalvedRows();
}

/**
 * Begins with the first row. Tables and rows of both frames have to be there, and what
 * `allocateRequantizer` allocates.
 */
export function beginRequantizer(): void {
  beginBlockHalving();
  for (let c = 0; c < componentCount(coded); c += 1) {
    for (let k = 0; k < 64; k += 1) {
      const at = ((<usize>c) << 8) + (k << 2);
      store<f32>(steps + at, unit * <f32>load<u16>(quantizationTable(source, c) + (k << 1)));
      store<f32>(inverses + at, <f32>1 / <f32>load<u16>(quantizationTable(coded, c) + (k << 1)));
    }
    const differ = memory.compare(quantizationTable(source, c), quantizationTable(coded, c), 128);
    store<i32>(same + (c << 2), differ === 0 && unit === 1 && !isHalved(c) ? 1 : 0);
  }
  restartRequantizer();
}

/** Begins with the first row again; given equal rows, all choices are repeated. */
export function restartRequantizer(): void {
  beginRates();
  beginDcRows();
  restartHalving();
}

/**
 * Takes row `y` of component `c` of the source's blocks, counted over the picture
 * and in order, from where the reader has put it. What it leads to is in
 * `blockRow(coded, c, codedRow(c, y) % vertical(coded, c))`; blocks that pad that
 * row are left as they are.
 * @returns whether a row to be coded is complete: not after the first of two that become one
 */
export function takeSourceRow(c: i32, y: i32): bool {
  if (isHalved(c) && !halveRow(c, y)) return false;
  const from = blockRow(source, c, y % vertical(source, c));
  const to = blockRow(coded, c, codedRow(c, y) % vertical(coded, c));
  const across = blocksAcross(coded, c);
  if (load<i32>(same + (c << 2)) !== 0) copyRow(from, to, across);
  else if (isHalved(c)) requantizeHalved(c, to, across);
  else requantize(c, from, to, across);
  return true;
}

/** Mean square error that halving has caused so far in a component, in squared sample values. */
export function lostEnergy(c: i32): f64 {
  return discardedEnergy(c) * <f64>(unit * unit);
}

/** The row of blocks to be coded that row `y` of the source goes into. */
export function codedRow(c: i32, y: i32): i32 {
  return isHalvedDown(c) ? y >> 1 : y;
}

/** Passes coefficients as they are, within the limits of baseline coding (T.81 §F.1.2). */
function copyRow(from: usize, to: usize, across: i32): void {
  const upper = i16x8.splat(1023);
  const lowerAc = i16x8.splat(-1023);
  const lowerFirst = i16x8.replace_lane(lowerAc, 0, -1024);
  const bytes = (<usize>across) << 7;
  for (let at: usize = 0; at < bytes; at += 16) {
    const lower = (at & 127) === 0 ? lowerFirst : lowerAc;
    v128.store(to + at, i16x8.max_s(i16x8.min_s(v128.load(from + at), upper), lower));
  }
}

function requantize(c: i32, from: usize, to: usize, across: i32): void {
  const table = steps + ((<usize>c) << 8);
  for (let x = 0; x < across; x += 1) {
    const at = (<usize>x) << 7;
    for (let k: usize = 0; k < 128; k += 16) {
      const quantized = v128.load(from + at + k);
      const low = f32x4.convert_i32x4_s(i32x4.extend_low_i16x8_s(quantized));
      const high = f32x4.convert_i32x4_s(i32x4.extend_high_i16x8_s(quantized));
      v128.store(values + (k << 1), f32x4.mul(low, v128.load(table + (k << 1))));
      v128.store(values + (k << 1) + 16, f32x4.mul(high, v128.load(table + (k << 1) + 16)));
    }
    choose(c, x, values, to + at);
  }
  finishRow(c, to, across);
}

function requantizeHalved(c: i32, to: usize, across: i32): void {
  const row = halvedRow(c);
  for (let x = 0; x < across; x += 1) {
    const block = row + ((<usize>x) << 8);
    if (unit !== 1) scaleByUnit(block);
    choose(c, x, block, to + ((<usize>x) << 7));
  }
  finishRow(c, to, across);
}

function scaleByUnit(block: usize): void {
  for (let k: usize = 0; k < 256; k += 16) {
    v128.store(block + k, f32x4.mul(v128.load(block + k), f32x4.splat(unit)));
  }
}

/** AC at once; DC when the row is complete. */
function choose(c: i32, x: i32, block: usize, to: usize): void {
  const table = inverses + ((<usize>c) << 8);
  const dc = load<f32>(block) * load<f32>(table);
  store<f32>(block, 0);
  takeDc(x, dc, chooseAc(block, table, rateClass(c), to));
}

function finishRow(c: i32, to: usize, across: i32): void {
  chooseDc(c, rateClass(c), to, across);
  updateRates(rateClass(c));
}
