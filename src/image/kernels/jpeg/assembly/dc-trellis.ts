/**
 * Chooses the DC coefficients of a row of blocks: as differences are coded
 * (ITU-T T.81 §F.1.1.5.1), what is cheap for one block depends on the one
 * before. The two values next to each coefficient are the states of a Viterbi
 * search, as in MozJPEG's quantization of DC by trellis (jcdctmgr.c).
 */

import { allocate } from '../../shared/assembly/memory';
import { blocksAcross, coded, componentCount } from './frame';
import { dcHistogram, dcRates } from './rates';

/** Least and largest DC coefficient of 8-bit samples. */
const leastDc: i32 = -1024;
const mostDc: i32 = 1023;

/** For each block: size in steps f32, λ f32, for either state the state before, 2 × i32. */
let row: usize = 0;
const blockBytes: usize = 16;
/** The coefficient before the row, by component. */
const predictions: usize = memory.data(16);

/** Allocates a row; false where there is no room. */
export function allocateDcRow(): bool {
  let across = 0;
  for (let c = 0; c < componentCount(coded); c += 1) across = max(across, blocksAcross(coded, c));
  row = allocate(blockBytes * across);
  return row !== 0;
}

/** Begins with the first row of all components. */
export function beginDcRows(): void {
  memory.fill(predictions, 0, 16);
}

/** Takes the coefficient of block `x` of the row, in steps, and λ of its block. */
export function takeDc(x: i32, size: f32, weight: f32): void {
  const at = row + blockBytes * x;
  const limited = Mathf.max(<f32>leastDc, Mathf.min(<f32>mostDc, size));
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
    const next = min(<i32>Mathf.floor(size), mostDc - 1);
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
    const low = min(<i32>Mathf.floor(load<f32>(at)), mostDc - 1);
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
