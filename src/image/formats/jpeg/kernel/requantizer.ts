/** Requantizes rows of the source's coefficients with coarser tables to rows of the coded frame. */
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

/** For each component: quantization steps of the source, 64 × f32. */
const steps: usize = memory.data(1024);
/** For each component: 1 / step of the result, 64 × f32. */
const inverses: usize = memory.data(1024);
/** For each component: 1 if its coefficients are copied because its tables are equal, otherwise 0; i32. */
const isCopied: usize = memory.data(16);
/** Unit of the source's quantization steps. */
let stepUnit: f32 = 1;
/** Dequantized coefficients of a block, 64 × f32. */
const values: usize = memory.data(256);

/** Sets the unit of the source's quantization steps, so that they can be fractional; before `beginRequantizer`. */
export function setSourceUnit(value: f32): void {
  stepUnit = value;
}

/** Allocates the requantizer's memory, which depends on the geometry of both frames; false if memory runs out. */
export function allocateRequantizer(): bool {
  return allocateDcRow() && allocateHalvedRows();
}

/**
 * Begins before the first row. The tables and rows of both frames must be set up, and `allocateRequantizer` must have
 * been called.
 */
export function beginRequantizer(): void {
  beginBlockHalving();
  for (let c = 0; c < componentCount(coded); c += 1) {
    for (let k = 0; k < 64; k += 1) {
      const at = ((<usize>c) << 8) + (k << 2);
      store<f32>(steps + at, stepUnit * <f32>load<u16>(quantizationTable(source, c) + (k << 1)));
      store<f32>(inverses + at, <f32>1 / <f32>load<u16>(quantizationTable(coded, c) + (k << 1)));
    }
    const differ = memory.compare(quantizationTable(source, c), quantizationTable(coded, c), 128);
    store<i32>(isCopied + (c << 2), differ === 0 && stepUnit === 1 && !isHalved(c) ? 1 : 0);
  }
  restartRequantizer();
}

/** Starts over before the first row; identical rows lead to identical choices. */
export function restartRequantizer(): void {
  beginRates();
  beginDcRows();
  restartHalving();
}

/**
 * Requantizes row `y` of component `c` of the source's blocks, counted from the top of the picture, from the source
 * frame's rows; rows must come in order. The result is in `blockRow(coded, c, codedRow(c, y) % vertical(coded, c))`,
 * whose padding blocks are left unchanged.
 * @returns whether a coded row is complete; false after the first of two rows that become one
 */
export function takeSourceRow(c: i32, y: i32): bool {
  if (isHalved(c) && !halveRow(c, y)) return false;
  const from = blockRow(source, c, y % vertical(source, c));
  const to = blockRow(coded, c, codedRow(c, y) % vertical(coded, c));
  const across = blocksAcross(coded, c);
  if (load<i32>(isCopied + (c << 2)) !== 0) copyRow(from, to, across);
  else if (isHalved(c)) requantizeHalved(c, to, across);
  else requantize(c, from, to, across);
  return true;
}

/** Mean squared error caused by halving a component so far, in squared sample values. */
export function lostEnergy(c: i32): f64 {
  return discardedEnergy(c) * <f64>(stepUnit * stepUnit);
}

/** The coded row of blocks to which row `y` of the source contributes. */
export function codedRow(c: i32, y: i32): i32 {
  return isHalvedDown(c) ? y >> 1 : y;
}

/** Copies coefficients, clamped to the limits of baseline coding (T.81 §F.1.2). */
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
    chooseBlock(c, x, values, to + at);
  }
  finishRow(c, to, across);
}

function requantizeHalved(c: i32, to: usize, across: i32): void {
  const row = halvedRow(c);
  for (let x = 0; x < across; x += 1) {
    const block = row + ((<usize>x) << 8);
    if (stepUnit !== 1) scaleByUnit(block);
    chooseBlock(c, x, block, to + ((<usize>x) << 7));
  }
  finishRow(c, to, across);
}

function scaleByUnit(block: usize): void {
  for (let k: usize = 0; k < 256; k += 16) {
    v128.store(block + k, f32x4.mul(v128.load(block + k), f32x4.splat(stepUnit)));
  }
}

/** Chooses the AC coefficients of a block; the DC coefficients are chosen when the row is complete. */
function chooseBlock(c: i32, x: i32, block: usize, to: usize): void {
  const table = inverses + ((<usize>c) << 8);
  const dc = load<f32>(block) * load<f32>(table);
  store<f32>(block, 0);
  takeDc(x, dc, chooseAc(block, table, rateClass(c), to));
}

function finishRow(c: i32, to: usize, across: i32): void {
  chooseDc(c, rateClass(c), to, across);
  updateRates(rateClass(c));
}
