/**
 * Rate–distortion optimized quantization. AC coefficients are chosen per block (Crouse and Ramchandran, "Joint
 * thresholding and quantizer selection for transform image coding", 1997) by dynamic programming over the positions
 * that may be nonzero; a path consists of the coefficients that are kept. The weight of the distortion decreases with
 * the activity of the block, which masks errors, as in MozJPEG (jcdctmgr.c, quantize_trellis).
 */

import { allocate } from '../../../wasm/assembly/memory';
import { coded, longestRow } from './frame';
import { acHistogram, acRates, dcHistogram, dcRates, endRate } from './rates';

/** λ of a block without AC, in bits per squared step. */
const maxLambda: f32 = 12;
/** Mean square of AC coefficients at which λ has decreased by a factor of 2^0.75. */
const activityScale: f32 = 1448;
/** Number of positions in zigzag order that count as low frequencies, at which errors are most visible. */
const lowFrequencies: i32 = 6;
const lowWeight: f32 = 2;
const highWeight: f32 = 1.2;

/** Minimum gain in bits for a coefficient to be considered: few codes are shorter, including the sign bit. */
const minGain: f32 = 3;
/** Gain in bits that no saving of rate can outweigh. */
const certainGain: f32 = 16;
/** Maximum number of predecessors considered per coefficient. */
const maxPredecessors: usize = 8;

/**
 * Cost of a block of zeros relative to the rate of an end of block. Progressive scans code it in fewer bits, but a
 * value above 1 preserves faint structure that would otherwise vanish block by block.
 */
const zeroBlockShare: f32 = 1.5;

/** Kept coefficients: position i32, cost of the path f32, value i32, pointer to the record of the predecessor. */
const records: usize = memory.data(1040);
/** Magnitudes of the unquantized coefficients, in steps, 64 × f32. */
const magnitudes: usize = memory.data(256);

/** Largest magnitude of an AC coefficient in baseline coding (ITU-T T.81 §F.1.2.2). */
const maxAc: f32 = 1023;

/** λ of a block, in bits per squared step. @param energy sum of squares of its AC coefficients */
function lambdaOf(energy: f32): f32 {
  const root = Mathf.sqrt(activityScale / (activityScale + energy * <f32>(1.0 / 63.0)));
  return maxLambda * root * Mathf.sqrt(root);
}

/**
 * Chooses the AC coefficients of a block.
 *
 * @param values dequantized coefficients, 64 × f32 in zigzag order, with 0 for DC
 * @param inverses 1 / step of the new table, 64 × f32
 * @param classIndex rate class, in which the chosen values are counted
 * @param block receives 64 × i16, with 0 for DC
 * @returns λ of the block
 */
export function chooseAc(values: usize, inverses: usize, classIndex: i32, block: usize): f32 {
  let sum = f32x4.splat(0);
  for (let k: usize = 0; k < 256; k += 16) {
    const value = v128.load(values + k);
    sum = f32x4.add(sum, f32x4.mul(value, value));
    v128.store(magnitudes + k, f32x4.mul(f32x4.abs(value), v128.load(inverses + k)));
  }
  const energy =
    f32x4.extract_lane(sum, 0) +
    f32x4.extract_lane(sum, 1) +
    f32x4.extract_lane(sum, 2) +
    f32x4.extract_lane(sum, 3);
  const weight = lambdaOf(energy);
  memory.fill(block, 0, 128);
  const last = energy > 0 ? bestPath(eligible(weight), weight, classIndex) : records;
  writePath(last, values, block, acHistogram(classIndex));
  return weight;
}

/** Mask of the positions at which keeping a coefficient can gain at least `minGain`: bit `k` for position `k`. */
function eligible(weight: f32): u64 {
  const ratio = minGain / (weight * lowWeight);
  const limit = f32x4.splat(ratio < 2 ? <f32>0.5 + ratio * <f32>0.5 : Mathf.sqrt(ratio));
  let mask: u64 = 0;
  for (let k: usize = 0; k < 256; k += 16) {
    const bits = i32x4.bitmask(f32x4.ge(v128.load(magnitudes + k), limit));
    mask |= (<u64>bits) << (k >> 2);
  }
  return mask;
}

/**
 * Finds the path of least cost. A cost is the rate minus the weighted distortion that is avoided relative to a block of
 * zeros. Only the nearest value of each category is considered.
 * @param mask positions that may be nonzero
 * @returns the record of the last coefficient kept, or the first record for none
 */
function bestPath(mask: u64, weight: f32, classIndex: i32): usize {
  const rates = acRates(classIndex);
  const end = endRate(classIndex);
  let first = records;
  let at = records + 16;
  let best = records;
  let bestCost: f32 = end * zeroBlockShare;
  while (mask !== 0) {
    const k = <i32>ctz(mask);
    mask &= mask - 1;
    const size = load<f32>(magnitudes + (k << 2));
    const nearest = <i32>min<f32>(size + <f32>0.5, maxAc);
    let category = 32 - clz(nearest);
    let value = nearest;
    let cost = f32.MAX_VALUE;
    const weightHere = weight * (k < lowFrequencies ? lowWeight : highWeight);
    const fullGain = gain(size, nearest, weightHere);
    while (true) {
      const valueGain = gain(size, value, weightHere);
      if (fullGain - valueGain > certainGain) break;
      const table = rates + (category << 8) + ((k - 1) << 2);
      let from = first;
      do {
        const total = load<f32>(from, 4) - valueGain + load<f32>(table - (load<i32>(from) << 2));
        if (total < cost) {
          cost = total;
          store<i32>(at, value, 8);
          store<usize>(at, from, 12);
        }
        from += 16;
      } while (from < at);
      category -= 1;
      if (category === 0) break;
      value = (1 << category) - 1;
    }
    store<i32>(at, k);
    store<f32>(at, cost, 4);
    const totalCost = k < 63 ? cost + end : cost;
    if (totalCost < bestCost) {
      bestCost = totalCost;
      best = at;
    }
    if (fullGain > certainGain) first = at;
    at += 16;
    if (at - first > maxPredecessors << 4) first = at - (maxPredecessors << 4);
  }
  return best;
}

/** Distortion that a value avoids relative to 0, in bits. @param size magnitude before quantization, in steps */
function gain(size: f32, value: i32, weight: f32): f32 {
  const steps = <f32>value;
  return weight * steps * (size + size - steps);
}

/** Writes the coefficients of a path to `block` and counts their symbols. */
function writePath(last: usize, values: usize, block: usize, counts: usize): void {
  let at = last;
  if (at === records || load<i32>(at) < 63) increment(counts);
  while (at !== records) {
    const k = load<i32>(at);
    const value = load<i32>(at, 8);
    const previous = load<usize>(at, 12);
    const isNegative = load<f32>(values + (k << 2)) < 0;
    store<i16>(block + (k << 1), <i16>(isNegative ? -value : value));
    let run = k - 1 - load<i32>(previous);
    for (; run > 15; run -= 16) increment(counts + (0xf0 << 2));
    increment(counts + ((run * 16 + 32 - clz(value)) << 2));
    at = previous;
  }
}

function increment(at: usize): void {
  store<u32>(at, load<u32>(at) + 1);
}

/*
 * DC coefficients are chosen per row of blocks: since differences are coded (ITU-T T.81 §F.1.1.5.1), the rate of a
 * value depends on the preceding block. The two integers nearest to each coefficient are the states of a Viterbi
 * search, as in MozJPEG's trellis quantization of DC (jcdctmgr.c).
 */

/** Range of DC coefficients of 8-bit samples. */
const minDc: i32 = -1024;
const maxDc: i32 = 1023;

/** For each block of a row: coefficient in steps f32, λ f32, best preceding state of each state 2 × i32. */
let dcRow: usize = 0;
const blockBytes: usize = 16;
/** For each component: the last DC coefficient of the preceding row, i32. */
const predictions: usize = memory.data(16);

/** Allocates the state of a row; false if memory runs out. */
export function allocateDcRow(): bool {
  dcRow = allocate(blockBytes * longestRow(coded));
  return dcRow !== 0;
}

/** Starts over before the first row of all components. */
export function beginDcRows(): void {
  memory.fill(predictions, 0, 16);
}

/** Sets the unquantized coefficient of block `x` of the row, in steps, and λ of the block. */
export function takeDc(x: i32, size: f32, weight: f32): void {
  const at = dcRow + blockBytes * x;
  const limited = Mathf.max(<f32>minDc, Mathf.min(<f32>maxDc, size));
  store<f32>(at, limited);
  store<f32>(at, weight, 4);
}

/** Chooses the coefficients of the row, writes them to its blocks, and counts the differences. */
export function chooseDc(c: i32, classIndex: i32, blocks: usize, across: i32): void {
  const prediction = predictions + (c << 2);
  const rates = dcRates(classIndex);
  let low = load<i32>(prediction);
  let lowCost: f32 = 0;
  let highCost = f32.MAX_VALUE;
  for (let x = 0, at = dcRow; x < across; x += 1, at += blockBytes) {
    const size = load<f32>(at);
    const weight = load<f32>(at, 4);
    const next = min(<i32>Mathf.floor(size), maxDc - 1);
    const error = size - <f32>next;
    const lowDifference = next - low;
    const sameStateRate = rateOf(rates, lowDifference);
    const lowFromHigh = highCost + rateOf(rates, lowDifference - 1);
    const highFromLow = lowCost + rateOf(rates, lowDifference + 1);
    const lowFromLow = lowCost + sameStateRate;
    const highFromHigh = highCost + sameStateRate;
    store<i32>(at, lowFromHigh < lowFromLow ? 1 : 0, 8);
    store<i32>(at, highFromHigh < highFromLow ? 1 : 0, 12);
    lowCost = Mathf.min(lowFromLow, lowFromHigh) + weight * error * error;
    highCost = Mathf.min(highFromLow, highFromHigh) + weight * (<f32>1 - error) * (<f32>1 - error);
    low = next;
  }
  writeRow(highCost < lowCost ? 1 : 0, blocks, across);
  countRow(prediction, dcHistogram(classIndex), blocks, across);
}

function rateOf(rates: usize, difference: i32): f32 {
  return load<f32>(rates + ((32 - clz(abs(difference))) << 2));
}

/** Writes the coefficients by tracing the states back from that of the last block. */
function writeRow(last: i32, blocks: usize, across: i32): void {
  let state = last;
  for (let x = across - 1; x >= 0; x -= 1) {
    const at = dcRow + blockBytes * x;
    const low = min(<i32>Mathf.floor(load<f32>(at)), maxDc - 1);
    store<i16>(blocks + ((<usize>x) << 7), <i16>(low + state));
    state = load<i32>(at + (state << 2), 8);
  }
}

function countRow(prediction: usize, counts: usize, blocks: usize, across: i32): void {
  let previous = load<i32>(prediction);
  for (let x = 0; x < across; x += 1) {
    const value = <i32>load<i16>(blocks + ((<usize>x) << 7));
    const count = counts + ((32 - clz(abs(value - previous))) << 2);
    store<u32>(count, load<u32>(count) + 1);
    previous = value;
  }
  store<i32>(prediction, previous);
}
