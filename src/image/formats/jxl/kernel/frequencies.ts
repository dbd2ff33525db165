/**
 * Probabilities of tokens in 4096ths, with a precision that is worth its bits (ISO/IEC 18181-1 §C.2.4). A probability
 * is written as the position of its most significant bit and a few bits after it, fewer for smaller ones. The largest
 * one is omitted: it is the remainder.
 */
import { log2Of } from './clusters';
import { symbolsOf, tokenCount } from './entropy-code';
import { putBits } from './output';

export const stateBits: i32 = 12;
const states: i32 = 1 << stateBits;

/** Range of precisions to try, every second one, finest first. */
const finest: i32 = 11;
const coarsest: i32 = 1;
/** Maximum number of improvement steps. */
const maxSteps: i32 = 200;

/** The current distribution: counts, trial probabilities and best probabilities so far, u32 each. */
const counts: usize = memory.data(256);
const tried: usize = memory.data(256);
const best: usize = memory.data(256);
/** Token whose probability is omitted. */
let omitted: i32 = 0;
let length: i32 = 0;
let used: i32 = 0;
let bestPrecision: i32 = 0;

/**
 * Chooses the probabilities of a cluster. Replaces the counts in the place of its symbols by each token's probability
 * and, in the upper half, its first state.
 */
export function chooseFrequencies(code: i32, cluster: i32): void {
  const symbols = symbolsOf(code, cluster);
  memory.copy(counts, symbols, 256);
  survey();
  if (used < 3) chooseFew();
  else chooseMany();
  let from = 0;
  for (let token = 0; token < tokenCount; token += 1) {
    const frequency = load<i32>(at(best, token));
    store<i32>(symbols + ((<usize>token) << 2), frequency | (from << 16));
    from += frequency;
  }
}

function at(words: usize, token: i32): usize {
  return words + ((<usize>token) << 2);
}

function survey(): void {
  length = 0;
  used = 0;
  omitted = 0;
  for (let token = 0; token < tokenCount; token += 1) {
    const count = load<u32>(at(counts, token));
    if (count === 0) continue;
    length = token + 1;
    used += 1;
    if (count > load<u32>(at(counts, omitted))) omitted = token;
  }
}

/**
 * Probabilities of up to two tokens: a single one, or the first if there is none, is certain; of two, one is written.
 */
function chooseFew(): void {
  memory.fill(best, 0, 256);
  bestPrecision = finest;
  if (used < 2) {
    store<i32>(at(best, omitted), states);
    return;
  }
  let first = 0;
  while (load<u32>(at(counts, first)) === 0) first += 1;
  const last = length - 1;
  const count = <f64>load<u32>(at(counts, first));
  const share = count / (count + <f64>load<u32>(at(counts, last)));
  const frequency = min(states - 1, max(1, <i32>Math.round(share * <f64>states)));
  store<i32>(at(best, first), frequency);
  store<i32>(at(best, last), states - frequency);
}

function chooseMany(): void {
  let least = Infinity;
  for (let precision = finest; precision >= coarsest; precision -= 2) {
    if (!approximate(precision)) continue;
    const bits = codedBits() + <f64>state(tried, precision, false);
    if (bits >= least) continue;
    least = bits;
    bestPrecision = precision;
    memory.copy(best, tried, 256);
  }
}

/** Bits of the tokens with the trial probabilities. */
function codedBits(): f64 {
  let bits: f64 = 0;
  for (let token = 0; token < length; token += 1) {
    const count = load<u32>(at(counts, token));
    if (count === 0) continue;
    bits += <f64>count * (<f64>stateBits - log2Of(load<u32>(at(tried, token))));
  }
  return bits;
}

/** Number of bits written after the most significant one. */
function statedBits(high: i32, precision: i32): i32 {
  return max(0, min(high, precision - ((stateBits - high) >> 1)));
}

function highBit(value: i32): i32 {
  return 31 - clz(value);
}

/** Distance to the next larger number that can be written. */
function stepAbove(value: i32, precision: i32): i32 {
  const high = highBit(value);
  return 1 << (high - statedBits(high, precision));
}

/** Distance to the next smaller number that can be written. */
function stepBelow(value: i32, precision: i32): i32 {
  return stepAbove(value - 1, precision);
}

/** Maximum of a written probability: less than half, so that the omitted one is the largest. */
const maxStated: i32 = states / 2 - 1;

/** Finds probabilities that can be written with this precision; returns false if there are none. */
function approximate(precision: i32): bool {
  let total: f64 = 0;
  for (let token = 0; token < length; token += 1) total += <f64>load<u32>(at(counts, token));
  let left = states;
  memory.fill(tried, 0, 256);
  for (let token = 0; token < length; token += 1) {
    const count = load<u32>(at(counts, token));
    if (count === 0 || token === omitted) continue;
    const exact = <i32>Math.round((<f64>count * <f64>states) / total);
    let frequency = min(maxStated, max(1, exact));
    const unit = stepAbove(frequency, precision);
    const isAbove = frequency + (unit >> 1) <= maxStated;
    frequency = (frequency + (isAbove ? unit >> 1 : 0)) & -unit;
    store<i32>(at(tried, token), frequency);
    left -= frequency;
  }
  for (let step = 0; left < 1 || step < maxSteps; step += 1) {
    const change = improve(precision, left);
    if (change === 0) break;
    left -= change;
  }
  store<i32>(at(tried, omitted), left);
  return left > 0;
}

/**
 * Changes the probability that gains most, or loses least if too little is left for the omitted one; returns the step.
 */
function improve(precision: i32, left: i32): i32 {
  const omittedCount = <f64>load<u32>(at(counts, omitted));
  let chosen = -1;
  let change = 0;
  let most: f64 = left < 1 ? -Infinity : 1e-6;
  for (let token = 0; token < length; token += 1) {
    const frequency = load<i32>(at(tried, token));
    if (frequency === 0 || token === omitted) continue;
    const count = <f64>load<u32>(at(counts, token));
    for (let isUp = 0; isUp < 2; isUp += 1) {
      if (isUp === 0 ? frequency === 1 : left < 1) continue;
      const step = isUp ? stepAbove(frequency, precision) : -stepBelow(frequency, precision);
      if (frequency + step > maxStated || (left > 0 && left - step < 1)) continue;
      let gain = count * (log2Of(frequency + step) - log2Of(frequency));
      // While too little is left: the gain per returned unit.
      if (left < 1) gain /= <f64>-step;
      else gain += omittedCount * (log2Of(left - step) - log2Of(left));
      if (gain <= most) continue;
      most = gain;
      chosen = token;
      change = step;
    }
  }
  if (chosen < 0) return 0;
  store<i32>(at(tried, chosen), load<i32>(at(tried, chosen)) + change);
  return change;
}

/** Writes the probabilities that were chosen last. */
export function writeFrequencies(): void {
  if (used < 3) writeFew();
  else state(best, bestPrecision, true);
}

/** Writes the probabilities of up to two tokens. */
function writeFew(): void {
  isWritten = true;
  put(1, 1);
  put(used < 2 ? 0 : 1, 1);
  if (used < 2) {
    putByte(omitted);
    return;
  }
  let first = 0;
  while (load<u32>(at(counts, first)) === 0) first += 1;
  putByte(first);
  putByte(length - 1);
  put(load<u32>(at(best, first)), stateBits);
}

let isWritten: bool = false;
let sum: i32 = 0;

function put(value: u32, bits: i32): void {
  sum += bits;
  if (isWritten) putBits(value, bits);
}

/** Writes a number below 256 in up to 11 bits. */
function putByte(value: i32): void {
  if (value === 0) {
    put(0, 1);
    return;
  }
  const high = highBit(value);
  put(1, 1);
  put(high, 3);
  put(value - (1 << high), high);
}

/** Prefix code for the bit lengths of probabilities; the last symbol means a repetition. */
const widthLengths: usize = memory.data<u8>([5, 4, 4, 4, 4, 4, 3, 3, 3, 3, 3, 6, 7, 7]);
const widthCodes: usize = memory.data<u8>([17, 11, 15, 3, 9, 7, 4, 2, 5, 6, 0, 33, 1, 65]);
const repeated: i32 = 13;
const fewestRepeated: i32 = 5;

function putWidth(width: i32): void {
  put(load<u8>(widthCodes + width), load<u8>(widthLengths + width));
}

/** Writes the probabilities of three or more tokens, or only counts the bits; returns their number. */
function state(frequencies: usize, precision: i32, writes: bool): i32 {
  isWritten = writes;
  sum = 0;
  put(0, 1);
  put(0, 1);
  const method = precision + 1;
  const log = highBit(method);
  put((1 << log) - 1, log);
  if (log < 3) put(0, 1);
  put(method & ((1 << log) - 1), log);
  putByte(length - 3);
  let widest = 10;
  for (let token = 0; token < length; token += 1) {
    const width = widthOf(frequencies, token);
    if (token !== omitted) widest = max(widest, width + <i32>(token < omitted));
  }
  for (let token = 0; token < length; token += 1) {
    putWidth(token === omitted ? widest : widthOf(frequencies, token));
    const run = runAt(frequencies, token);
    if (run < fewestRepeated) continue;
    putWidth(repeated);
    putByte(run - fewestRepeated);
    token += run - 1;
  }
  for (let token = 0; token < length; token += 1) {
    const width = widthOf(frequencies, token);
    if (width > 1 && token !== omitted) {
      const bits = statedBits(width - 1, precision);
      const dropped = width - 1 - bits;
      put((load<i32>(at(frequencies, token)) >> dropped) - (1 << bits), bits);
    }
    const run = runAt(frequencies, token);
    if (run >= fewestRepeated) token += run - 1;
  }
  return sum;
}

function widthOf(frequencies: usize, token: i32): i32 {
  const frequency = load<i32>(at(frequencies, token));
  return frequency === 0 ? 0 : highBit(frequency) + 1;
}

/** Number of consecutive tokens, starting with this one, that have equal probabilities; the omitted one ends a run. */
function runAt(frequencies: usize, token: i32): i32 {
  if (token === omitted) return 1;
  const frequency = load<i32>(at(frequencies, token));
  let end = token + 1;
  while (end < length && end !== omitted && load<i32>(at(frequencies, end)) === frequency) end += 1;
  return end - token;
}
