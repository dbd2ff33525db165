/**
 * Chooses coefficients by rate and distortion. AC of a block at a time (Crouse
 * and Ramchandran, "Joint thresholding and quantizer selection for transform
 * image coding", 1997): dynamic programming over the positions that can be other
 * than zero, a path being the coefficients that are kept. The weight of the
 * distortion falls with the activity of the block, as in MozJPEG (jcdctmgr.c,
 * quantize_trellis): what is busy hides errors.
 */

import { allocate } from '../../../wasm/assembly/memory';
import { coded, longestRow } from './frame';
import { acHistogram, acRates, dcHistogram, dcRates, endRate } from './rates';

/** λ of a block without AC, in bits per squared step, and the mean square of AC that weakens it. */
const strength: f32 = 12;
const calm: f32 = 1448;
/** Positions in zigzag order that are low frequencies; errors there are seen most. */
const lowFrequencies: i32 = 6;
const lowWeight: f32 = 2;
const highWeight: f32 = 1.2;

/** What keeping a coefficient has to gain, in bits, to be looked at: hardly a code is shorter, its sign included. */
const minGain: f32 = 3;
/** A gain that no saving in rate makes up for, in bits. */
const certainGain: f32 = 16;
/** Predecessors looked at. */
const reach: usize = 8;

/**
 * What a block of zeros costs, as a share of an end of block. Progressive scans
 * code it for less; above 1 faint structure stays rather than vanishing blockwise.
 */
const zeroBlockShare: f32 = 1.5;

/** Kept coefficients of a path: position i32, cost f32, value i32, record of the one before. */
const records: usize = memory.data(1040);
/** Sizes in steps, 64 × f32. */
const sizes: usize = memory.data(256);

/** Largest magnitude of an AC coefficient in baseline coding (ITU-T T.81 §F.1.2.2). */
const maxAc: f32 = 1023;

/** Bits that a squared error of one step is worth in a block, by the sum of squares of its AC coefficients. */
function weightOf(energy: f32): f32 {
  const root = Mathf.sqrt(calm / (calm + energy * <f32>(1.0 / 63.0)));
  return strength * root * Mathf.sqrt(root);
}

/**
 * @param values dequantized coefficients, 64 × f32 in zigzag order, with 0 for DC
 * @param inverses 1 / step of the new table, 64 × f32
 * @param kind class of the rates; what is chosen is counted there
 * @param block takes 64 × i16, with 0 for DC
 * @returns λ of the block
 */
export function chooseAc(values: usize, inverses: usize, kind: i32, block: usize): f32 {
  let sum = f32x4.splat(0);
  for (let k: usize = 0; k < 256; k += 16) {
    const value = v128.load(values + k);
    sum = f32x4.add(sum, f32x4.mul(value, value));
    v128.store(sizes + k, f32x4.mul(f32x4.abs(value), v128.load(inverses + k)));
  }
  const energy =
    f32x4.extract_lane(sum, 0) +
    f32x4.extract_lane(sum, 1) +
    f32x4.extract_lane(sum, 2) +
    f32x4.extract_lane(sum, 3);
  const weight = weightOf(energy);
  memory.fill(block, 0, 128);
  const last = energy > 0 ? bestPath(eligible(weight), weight, kind) : records;
  writePath(last, values, block, acHistogram(kind));
  return weight;
}

/** Positions whose coefficient can gain anything: one bit for each. */
function eligible(weight: f32): u64 {
  const ratio = minGain / (weight * lowWeight);
  const limit = f32x4.splat(ratio < 2 ? <f32>0.5 + ratio * <f32>0.5 : Mathf.sqrt(ratio));
  let mask: u64 = 0;
  for (let k: usize = 0; k < 256; k += 16) {
    const bits = i32x4.bitmask(f32x4.ge(v128.load(sizes + k), limit));
    mask |= (<u64>bits) << (k >> 2);
  }
  return mask;
}

/**
 * A cost is that of the rate less the distortion that is avoided: a block of
 * zeros has none. Of the values of one category only the nearest is of interest.
 * @returns the record of the last coefficient kept, or the first record for none
 */
function bestPath(mask: u64, weight: f32, kind: i32): usize {
  const rates = acRates(kind);
  const end = endRate(kind);
  let first = records;
  let at = records + 16;
  let best = records;
  let bestCost: f32 = end * zeroBlockShare;
  while (mask !== 0) {
    const k = <i32>ctz(mask);
    mask &= mask - 1;
    const size = load<f32>(sizes + (k << 2));
    const nearest = <i32>min<f32>(size + <f32>0.5, maxAc);
    let category = 32 - clz(nearest);
    let value = nearest;
    let cost = f32.MAX_VALUE;
    const seen = weight * (k < lowFrequencies ? lowWeight : highWeight);
    const whole = gain(size, nearest, seen);
    while (true) {
      const gained = gain(size, value, seen);
      if (whole - gained > certainGain) break;
      const table = rates + (category << 8) + ((k - 1) << 2);
      let from = first;
      do {
        const total = load<f32>(from, 4) - gained + load<f32>(table - (load<i32>(from) << 2));
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
    const ended = k < 63 ? cost + end : cost;
    if (ended < bestCost) {
      bestCost = ended;
      best = at;
    }
    if (whole > certainGain) first = at;
    at += 16;
    if (at - first > reach << 4) first = at - (reach << 4);
  }
  return best;
}

/** Bits by which a value is better than 0 for a coefficient of that many steps. */
function gain(size: f32, value: i32, weight: f32): f32 {
  const kept = <f32>value;
  return weight * kept * (size + size - kept);
}

/** Writes and counts the coefficients of a path. */
function writePath(last: usize, values: usize, block: usize, counts: usize): void {
  let at = last;
  if (at === records || load<i32>(at) < 63) increment(counts);
  while (at !== records) {
    const k = load<i32>(at);
    const value = load<i32>(at, 8);
    const before = load<usize>(at, 12);
    const isNegative = load<f32>(values + (k << 2)) < 0;
    store<i16>(block + (k << 1), <i16>(isNegative ? -value : value));
    let run = k - 1 - load<i32>(before);
    for (; run > 15; run -= 16) increment(counts + (0xf0 << 2));
    increment(counts + ((run * 16 + 32 - clz(value)) << 2));
    at = before;
  }
}

function increment(at: usize): void {
  store<u32>(at, load<u32>(at) + 1);
}

/*
 * Chooses the DC coefficients of a row of blocks: as differences are coded
 * (ITU-T T.81 §F.1.1.5.1), what is cheap for one block depends on the one
 * before. The two values next to each coefficient are the states of a Viterbi
 * search, as in MozJPEG's quantization of DC by trellis (jcdctmgr.c).
 */

/** Least and largest DC coefficient of 8-bit samples. */
const minDc: i32 = -1024;
const maxDc: i32 = 1023;

/** For each block: size in steps f32, λ f32, for either state the state before, 2 × i32. */
let row: usize = 0;
const blockBytes: usize = 16;
/** The coefficient before the row, by component. */
const predictions: usize = memory.data(16);

/** Allocates a row; false if there is no room. */
export function allocateDcRow(): bool {
  row = allocate(blockBytes * longestRow(coded));
  return row !== 0;
}

/** Begins with the first row of all components. */
export function beginDcRows(): void {
  memory.fill(predictions, 0, 16);
}

/** Takes the coefficient of block `x` of the row, in steps, and λ of its block. */
export function takeDc(x: i32, size: f32, weight: f32): void {
  const at = row + blockBytes * x;
  const limited = Mathf.max(<f32>minDc, Mathf.min(<f32>maxDc, size));
  store<f32>(at, limited);
  store<f32>(at, weight, 4);
}

/** Chooses among what was taken, writes into the blocks of the row, and counts the differences. */
export function chooseDc(c: i32, kind: i32, blocks: usize, across: i32): void {
  const prediction = predictions + (c << 2);
  const rates = dcRates(kind);
  let low = load<i32>(prediction);
  let lowCost: f32 = 0;
  let highCost = f32.MAX_VALUE;
  for (let x = 0, at = row; x < across; x += 1, at += blockBytes) {
    const size = load<f32>(at);
    const weight = load<f32>(at, 4);
    const next = min(<i32>Mathf.floor(size), maxDc - 1);
    const error = size - <f32>next;
    const rise = next - low;
    const same = rateOf(rates, rise);
    const lowFromHigh = highCost + rateOf(rates, rise - 1);
    const highFromLow = lowCost + rateOf(rates, rise + 1);
    const lowFromLow = lowCost + same;
    const highFromHigh = highCost + same;
    store<i32>(at, lowFromHigh < lowFromLow ? 1 : 0, 8);
    store<i32>(at, highFromHigh < highFromLow ? 1 : 0, 12);
    lowCost = Mathf.min(lowFromLow, lowFromHigh) + weight * error * error;
    highCost = Mathf.min(highFromLow, highFromHigh) + weight * (<f32>1 - error) * (<f32>1 - error);
    low = next;
  }
  writeRow(highCost < lowCost ? 1 : 0, blocks, across);
  countRow(prediction, dcHistogram(kind), blocks, across);
}

function rateOf(rates: usize, difference: i32): f32 {
  return load<f32>(rates + ((32 - clz(abs(difference))) << 2));
}

/** Follows the states back from that of the last block. */
function writeRow(last: i32, blocks: usize, across: i32): void {
  let state = last;
  for (let x = across - 1; x >= 0; x -= 1) {
    const at = row + blockBytes * x;
    const low = min(<i32>Mathf.floor(load<f32>(at)), maxDc - 1);
    store<i16>(blocks + ((<usize>x) << 7), <i16>(low + state));
    state = load<i32>(at + (state << 2), 8);
  }
}

function countRow(prediction: usize, counts: usize, blocks: usize, across: i32): void {
  let before = load<i32>(prediction);
  for (let x = 0; x < across; x += 1) {
    const value = <i32>load<i16>(blocks + ((<usize>x) << 7));
    const count = counts + ((32 - clz(abs(value - before))) << 2);
    store<u32>(count, load<u32>(count) + 1);
    before = value;
  }
  store<i32>(prediction, before);
}
