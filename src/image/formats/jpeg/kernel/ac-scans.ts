/**
 * Scans of a band of AC coefficients in progressive pictures: the first one (ITU-T T.81 §G.1.2.2), and those that
 * refine it by one more bit (§G.1.2.3, figure G.7).
 */

import { allocate } from '../../../wasm/assembly/memory';
import { acTable, approximationLow, bandEnd, bandStart, scanComponent } from './coded-scan';
import { drain, maxBits, nextRecord, onlyBits, recordLimit, setNextRecord } from './symbols';
import { headBytes } from './tokens';

/** ZRL, where records have the symbol. */
const sixteenZeros: u32 = 0xf0 << 20;

/** Codes a row of `blocks` blocks out of its tokens, in the first scan of the band. */
export function codeFirstRow(tokens: usize, blocks: i32): void {
  const table = acTable(scanComponent(0));
  const ss = bandStart;
  const se = bandEnd;
  const al = approximationLow;
  const limit = recordLimit;
  let to = nextRecord;
  let run = runLength();
  for (; blocks > 0; blocks -= 1) {
    const end = tokens + headBytes + ((<usize>load<u8>(tokens, 2)) << 1);
    let last = ss - 1;
    if (<i32>load<u8>(tokens, 3) >= ss) {
      let k = 0;
      for (let at = tokens + headBytes; at < end; at += 2) {
        const token = <i32>load<u16>(at);
        k += (token >> 12) + 1;
        if (k > se) break;
        const value = (token << 20) >> 20;
        const sign = value >> 31;
        // the point transform divides towards zero (T.81 §A.4)
        const magnitude = ((value ^ sign) - sign) >> al;
        if (magnitude === 0 || k < ss) continue;
        if (run > 0) {
          to = putRun(to, table, run);
          run = 0;
        }
        let zeros = k - last - 1;
        for (; zeros > 15; zeros -= 16) {
          store<u32>(to, table | sixteenZeros);
          to += 4;
        }
        const size = 32 - clz(magnitude);
        const bits = (magnitude ^ sign) & ((1 << size) - 1);
        store<u32>(to, table | (zeros << 24) | (size << 20) | (size << 16) | bits);
        to += 4;
        last = k;
      }
    }
    if (last < se) {
      run += 1;
      if (run === longestRun) {
        to = putRun(to, table, run);
        run = 0;
      }
    }
    tokens = end;
    if (to > limit) to = drain(to);
  }
  setRunLength(run);
  setNextRecord(to);
}

/** Codes one more bit of a row of `blocks` blocks out of its tokens. */
export function codeRefinementRow(tokens: usize, blocks: i32): void {
  const table = acTable(scanComponent(0));
  const limit = recordLimit;
  let to = nextRecord;
  for (; blocks > 0; blocks -= 1) {
    const end = tokens + headBytes + ((<usize>load<u8>(tokens, 2)) << 1);
    to = codeBlock(tokens + headBytes, end, table, to);
    tokens = end;
    if (to > limit) to = drain(to);
  }
  setNextRecord(to);
}

/** Codes a block, of which the tokens lie from `first` to `end`; returns where the next record goes. */
function codeBlock(first: usize, end: usize, table: u32, to: usize): usize {
  const ss = bandStart;
  const se = bandEnd;
  const al = approximationLow;
  // correction bits since the last symbol: at most one for each coefficient
  let corrections: u64 = 0;
  let number = 0;
  // zeros are what lies behind `base` and is not known to be anything else
  let base = ss - 1;
  let known = 0;
  // only goal where there are more zeros than a symbol has room for, which is rare
  let lastNew: usize = 0;
  let isSought = false;
  let k = 0;
  for (let at = first; at < end; at += 2) {
    const token = <i32>load<u16>(at);
    k += (token >> 12) + 1;
    if (k > se) break;
    if (k < ss) continue;
    const value = (token << 20) >> 20;
    const magnitude = abs(value) >> al;
    if (k - base - known > 16 && magnitude !== 0) {
      if (!isSought) lastNew = lastNewToken(at, end, k - (token >> 12) - 1);
      isSought = true;
      for (; k - base - known > 16 && at <= lastNew; base += 16) {
        to = endRun(to, table);
        store<u32>(to, table | sixteenZeros);
        to = putCorrections(to + 4, corrections, number);
        number = 0;
      }
    }
    if (magnitude === 1) {
      to = endRun(to, table);
      const zeros = k - base - known - 1;
      store<u32>(to, table | (zeros << 24) | (1 << 20) | (1 << 16) | <i32>(value > 0));
      to = putCorrections(to + 4, corrections, number);
      number = 0;
      base = k;
      known = 0;
    } else {
      // without a branch: whether it is 0 or known already is as good as random
      const isKnown = <i32>(magnitude > 1);
      corrections = (corrections << isKnown) | (magnitude & isKnown);
      number += isKnown;
      known += isKnown;
    }
  }
  if (se - base - known === 0 && number === 0) return to;
  return extendRun(corrections, number) ? endRun(to, table) : to;
}

/**
 * The last token from `at` on in the band whose coefficient has been zero until
 * now, or 0; `k` is the position before it. Runs of zeros only count up to there.
 */
function lastNewToken(at: usize, end: usize, k: i32): usize {
  const se = bandEnd;
  const al = approximationLow;
  let found: usize = 0;
  for (; at < end; at += 2) {
    const token = <i32>load<u16>(at);
    k += (token >> 12) + 1;
    if (k > se) break;
    if (abs((token << 20) >> 20) >> al === 1) found = at;
  }
  return found;
}

/** Puts the last `number` of `bits` at `to`, without symbols. */
function putCorrections(to: usize, bits: u64, number: i32): usize {
  while (number > 0) {
    const taken = min(number, maxBits);
    number -= taken;
    const part = <u32>(bits >> number) & ((1 << taken) - 1);
    store<u32>(to, onlyBits | (taken << 16) | part);
    to += 4;
  }
  return to;
}

/*
 * Runs of blocks whose band has nothing more to be coded (ITU-T T.81 §G.1.2.2),
 * and the correction bits that go with them in a refinement (§G.1.2.3).
 */

/** The longest run that has a symbol. */
export const longestRun: i32 = 0x7fff;
/** Kept records that end a run: 900 bits, as libjpeg keeps to 1000. */
const maxRecords: i32 = 60;

let run: i32 = 0;
/** Records without symbols, full of correction bits. */
let kept: usize = 0;
let keptRecords: i32 = 0;
/** Correction bits that do not fill a record yet, and how many they are. */
let partial: u32 = 0;
let partialBits: i32 = 0;

/** Allocates what keeps correction bits; false if there is no room. */
export function allocateCorrections(): bool {
  // a block adds at most five records to those that are allowed
  kept = allocate((maxRecords + 8) << 2);
  beginRun();
  return kept !== 0;
}

/** Begins without a run. */
export function beginRun(): void {
  run = 0;
  keptRecords = 0;
  partial = 0;
  partialBits = 0;
}

export function runLength(): i32 {
  return run;
}

/** Writes the run back that a hot loop has kept in a local. */
export function setRunLength(length: i32): void {
  run = length;
}

/** Adds a block to the run, with `number` correction bits; whether the run has to end with it. */
export function extendRun(bits: u64, number: i32): bool {
  run += 1;
  while (number > 0) {
    const taken = min(number, maxBits - partialBits);
    number -= taken;
    partial = (partial << taken) | (<u32>(bits >> number) & ((1 << taken) - 1));
    partialBits += taken;
    if (partialBits === maxBits) keepPartial();
  }
  return run === longestRun || keptRecords >= maxRecords;
}

function keepPartial(): void {
  store<u32>(kept + ((<usize>keptRecords) << 2), onlyBits | (partialBits << 16) | partial);
  keptRecords += 1;
  partial = 0;
  partialBits = 0;
}

/** Puts the symbol of a run, at least 1 long, at `to`; returns where the next record goes. */
export function putRun(to: usize, table: u32, length: i32): usize {
  const size = 31 - clz(length);
  store<u32>(to, table | (size << 24) | (size << 16) | (length - (1 << size)));
  return to + 4;
}

/** Ends the run, if there is one, and puts it with its correction bits at `to`. */
export function endRun(to: usize, table: u32): usize {
  if (run === 0) return to;
  to = putRun(to, table, run);
  if (partialBits > 0) keepPartial();
  const bytes = (<usize>keptRecords) << 2;
  memory.copy(to, kept, bytes);
  beginRun();
  return to + bytes;
}
