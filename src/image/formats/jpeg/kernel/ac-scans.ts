/**
 * Codes scans of a band of AC coefficients in progressive pictures: first scans (ITU-T T.81 §G.1.2.2), and scans that
 * refine a band by one more bit (§G.1.2.3, figure G.7).
 */

import { allocate } from '../../../wasm/assembly/memory';
import { acTable, approximationLow, bandEnd, bandStart, scanComponent } from './coded-scan';
import { drain, maxBits, nextRecord, onlyBits, recordLimit, setNextRecord } from './symbols';
import { headBytes } from './tokens';

/** The symbol ZRL at its position in a record. */
const sixteenZeros: u32 = 0xf0 << 20;

/** Codes a row of `blocks` blocks, given as tokens, in the first scan of the band. */
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
        // the point transform rounds toward zero (T.81 §A.4)
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

/** Codes a row of `blocks` blocks, given as tokens, in a refinement scan of the band. */
export function codeRefinementRow(tokens: usize, blocks: i32): void {
  const table = acTable(scanComponent(0));
  const limit = recordLimit;
  let to = nextRecord;
  for (; blocks > 0; blocks -= 1) {
    const end = tokens + headBytes + ((<usize>load<u8>(tokens, 2)) << 1);
    to = refineBlock(tokens + headBytes, end, table, to);
    tokens = end;
    if (to > limit) to = drain(to);
  }
  setNextRecord(to);
}

/** Refines a block whose tokens are from `first` to `end`; returns the address of the next record. */
function refineBlock(first: usize, end: usize, table: u32, to: usize): usize {
  const ss = bandStart;
  const se = bandEnd;
  const al = approximationLow;
  // correction bits since the last symbol: at most one per coefficient
  let corrections: u64 = 0;
  let bitCount = 0;
  // the current run of zeros: all coefficients after `base` except the `known` ones, nonzero in an earlier scan
  let base = ss - 1;
  let known = 0;
  // the last token of the block whose coefficient becomes nonzero; determined only for runs above 15, which are rare
  let lastNew: usize = 0;
  let isLastNewKnown = false;
  let k = 0;
  for (let at = first; at < end; at += 2) {
    const token = <i32>load<u16>(at);
    k += (token >> 12) + 1;
    if (k > se) break;
    if (k < ss) continue;
    const value = (token << 20) >> 20;
    const magnitude = abs(value) >> al;
    if (k - base - known > 16 && magnitude !== 0) {
      if (!isLastNewKnown) lastNew = lastNewToken(at, end, k - (token >> 12) - 1);
      isLastNewKnown = true;
      for (; k - base - known > 16 && at <= lastNew; base += 16) {
        to = endRun(to, table);
        store<u32>(to, table | sixteenZeros);
        to = putCorrections(to + 4, corrections, bitCount);
        bitCount = 0;
      }
    }
    if (magnitude === 1) {
      to = endRun(to, table);
      const zeros = k - base - known - 1;
      store<u32>(to, table | (zeros << 24) | (1 << 20) | (1 << 16) | <i32>(value > 0));
      to = putCorrections(to + 4, corrections, bitCount);
      bitCount = 0;
      base = k;
      known = 0;
    } else {
      // without a branch, since whether the coefficient is known or still 0 is unpredictable
      const isKnown = <i32>(magnitude > 1);
      corrections = (corrections << isKnown) | (magnitude & isKnown);
      bitCount += isKnown;
      known += isKnown;
    }
  }
  if (se - base - known === 0 && bitCount === 0) return to;
  return extendRun(corrections, bitCount) ? endRun(to, table) : to;
}

/**
 * The last token in the band, from `at` on, whose coefficient becomes nonzero in this scan, or 0 for none: no ZRL is
 * coded after it.
 * @param k position before the token at `at`
 */
function lastNewToken(at: usize, end: usize, k: i32): usize {
  const se = bandEnd;
  const al = approximationLow;
  let lastNew: usize = 0;
  for (; at < end; at += 2) {
    const token = <i32>load<u16>(at);
    k += (token >> 12) + 1;
    if (k > se) break;
    if (abs((token << 20) >> 20) >> al === 1) lastNew = at;
  }
  return lastNew;
}

/** Writes the low `bitCount` bits of `bits` to `to`, without symbols; returns the address of the next record. */
function putCorrections(to: usize, bits: u64, bitCount: i32): usize {
  while (bitCount > 0) {
    const partBits = min(bitCount, maxBits);
    bitCount -= partBits;
    const part = <u32>(bits >> bitCount) & ((1 << partBits) - 1);
    store<u32>(to, onlyBits | (partBits << 16) | part);
    to += 4;
  }
  return to;
}

/*
 * End-of-band runs (ITU-T T.81 §G.1.2.2): consecutive blocks whose band has no further symbols, with their correction
 * bits in a refinement scan (§G.1.2.3).
 */

/** The longest run that a symbol can represent. */
const longestRun: i32 = 0x7fff;
/** Number of kept records at which a run is ended: 900 bits, similar to libjpeg's limit of 1000. */
const maxRecords: i32 = 60;

/** Length of the current run in blocks. */
let run: i32 = 0;
/** Records without symbols, filled with correction bits of the run. */
let keptBuffer: usize = 0;
let keptRecords: i32 = 0;
/** Correction bits that do not yet fill a record, and their number. */
let pending: u32 = 0;
let pendingBits: i32 = 0;

/** Allocates the buffer for correction bits; false if memory runs out. */
export function allocateCorrections(): bool {
  // a block adds at most five records before the limit is checked
  keptBuffer = allocate((maxRecords + 8) << 2);
  beginRun();
  return keptBuffer !== 0;
}

/** Resets the run to length 0. */
export function beginRun(): void {
  run = 0;
  keptRecords = 0;
  pending = 0;
  pendingBits = 0;
}

function runLength(): i32 {
  return run;
}

/** Stores the run length that a hot loop has kept in a local variable. */
function setRunLength(length: i32): void {
  run = length;
}

/** Adds a block with `bitCount` correction bits to the run; returns whether the run has to end with it. */
function extendRun(bits: u64, bitCount: i32): bool {
  run += 1;
  while (bitCount > 0) {
    const partBits = min(bitCount, maxBits - pendingBits);
    bitCount -= partBits;
    pending = (pending << partBits) | (<u32>(bits >> bitCount) & ((1 << partBits) - 1));
    pendingBits += partBits;
    if (pendingBits === maxBits) keepPending();
  }
  return run === longestRun || keptRecords >= maxRecords;
}

function keepPending(): void {
  store<u32>(keptBuffer + ((<usize>keptRecords) << 2), onlyBits | (pendingBits << 16) | pending);
  keptRecords += 1;
  pending = 0;
  pendingBits = 0;
}

/** Writes the symbol of a run of at least one block to `to`; returns the address of the next record. */
function putRun(to: usize, table: u32, length: i32): usize {
  const size = 31 - clz(length);
  store<u32>(to, table | (size << 24) | (size << 16) | (length - (1 << size)));
  return to + 4;
}

/** Ends the run, if any, and writes it to `to` with its correction bits; returns the address of the next record. */
export function endRun(to: usize, table: u32): usize {
  if (run === 0) return to;
  to = putRun(to, table, run);
  if (pendingBits > 0) keepPending();
  const bytes = (<usize>keptRecords) << 2;
  memory.copy(to, keptBuffer, bytes);
  beginRun();
  return to + bytes;
}
