/**
 * The head of a dynamic block: lengths of its codes, run by run (RFC 1951 §3.2.7).
 * Runs are cut by a shortest path, with costs out of the code that the cut before had.
 */

import { putBits } from './bit-output';
import { codeLengths } from './code-lengths';
import { distanceSymbols, literalSymbols } from './symbols';

const runSymbols: i32 = 19;
const repeatSymbol: i32 = 16;
const shortZerosSymbol: i32 = 17;
const longZerosSymbol: i32 = 18;
const mostRunBits: i32 = 7;
const cuts: i32 = 3;

/** Lengths of both codes, one behind the other, with one more that differs from all. */
const lengths: usize = memory.data(320, 16);
/** How far equal lengths reach from each on. */
const reaches: usize = memory.data(1280, 16);
/** Bits from each length on to the end, u32. */
const bitsFrom: usize = memory.data(1280, 16);
/** The step chosen at each length: symbol | lengths that it covers << 8. */
const steps: usize = memory.data(1280, 16);
const runCounts: usize = memory.data(76, 16);
const runLengths: usize = memory.data(32, 16);
const runCodes: usize = memory.data(76, 16);
/** The order in which the lengths of the run code are written. */
const order: usize = memory.data<u8>([
  16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15,
]);

let literalNumber: i32 = 0;
let distanceNumber: i32 = 0;
let runNumber: i32 = 0;

/**
 * Plans the head for these codes.
 * @param literals lengths of 286 codes
 * @param distances lengths of 30 codes
 * @returns its bits, without the three of the block
 */
export function planCodeTables(literals: usize, distances: usize): u32 {
  literalNumber = literalSymbols;
  while (literalNumber > 257 && load<u8>(literals + literalNumber - 1) === 0) literalNumber -= 1;
  distanceNumber = distanceSymbols;
  while (distanceNumber > 1 && load<u8>(distances + distanceNumber - 1) === 0) distanceNumber -= 1;
  const number = literalNumber + distanceNumber;
  memory.copy(lengths, literals, literalNumber);
  memory.copy(lengths + literalNumber, distances, distanceNumber);
  let reach: u32 = 0;
  for (let i = number - 1; i >= 0; i -= 1) {
    const same = i + 1 < number && load<u8>(lengths + i) === load<u8>(lengths + i, 1);
    reach = same ? reach + 1 : 1;
    store<u32>(reaches + ((<usize>i) << 2), reach);
  }
  memory.fill(runLengths, 4, runSymbols);
  for (let cut = 0; cut < cuts; cut += 1) {
    cutRuns(number);
    countRuns(number);
    codeLengths(runCounts, runSymbols, mostRunBits, runLengths);
  }
  runNumber = runSymbols;
  while (runNumber > 4 && load<u8>(runLengths + load<u8>(order + runNumber - 1)) === 0)
    runNumber -= 1;
  let bits: u32 = 14 + 3 * runNumber;
  for (let symbol = 0; symbol < runSymbols; symbol += 1) {
    bits += load<u32>(runCounts + ((<usize>symbol) << 2)) * runBits(symbol);
  }
  return bits;
}

/** Writes the head that was planned last. */
export function writeCodeTables(): void {
  putBits(literalNumber - 257, 5);
  putBits(distanceNumber - 1, 5);
  putBits(runNumber - 4, 4);
  for (let i = 0; i < runNumber; i += 1) putBits(load<u8>(runLengths + load<u8>(order + i)), 3);
  assignCodes(runLengths, runSymbols, runCodes);
  const number = literalNumber + distanceNumber;
  for (let i = 0; i < number; ) {
    const step = load<u32>(steps + ((<usize>i) << 2));
    const symbol = <i32>(step & 255);
    const covered = step >> 8;
    const code = load<u32>(runCodes + ((<usize>symbol) << 2));
    putBits(code & 0xffff, code >> 16);
    if (symbol === repeatSymbol) putBits(covered - 3, 2);
    else if (symbol === shortZerosSymbol) putBits(covered - 3, 3);
    else if (symbol === longZerosSymbol) putBits(covered - 11, 7);
    i += <i32>covered;
  }
}

/**
 * Assigns codes in their order (RFC 1951 §3.2.2), their bits turned around as they are written.
 * @param codes `symbols` × u32 of code | length << 16
 */
export function assignCodes(codeLengths: usize, symbols: i32, codes: usize): void {
  let code: u32 = 0;
  for (let length = 1; length < 16; length += 1) {
    for (let symbol = 0; symbol < symbols; symbol += 1) {
      if (load<u8>(codeLengths + symbol) !== length) continue;
      store<u32>(codes + ((<usize>symbol) << 2), turned(code, length) | (length << 16));
      code += 1;
    }
    code <<= 1;
  }
}

function turned(code: u32, length: i32): u32 {
  let bits: u32 = 0;
  for (let i = 0; i < length; i += 1, code >>= 1) bits = (bits << 1) | (code & 1);
  return bits;
}

function runBits(symbol: i32): u32 {
  const length = <u32>load<u8>(runLengths + symbol);
  // a symbol that the last cut had no use for can still be had
  const bits = length === 0 ? mostRunBits : length;
  if (symbol < repeatSymbol) return bits;
  return bits + (symbol === repeatSymbol ? 2 : symbol === shortZerosSymbol ? 3 : 7);
}

/** Finds the cheapest steps through all lengths, from the last one back. */
function cutRuns(number: i32): void {
  store<u32>(bitsFrom + ((<usize>number) << 2), 0);
  for (let i = number - 1; i >= 0; i -= 1) {
    const at = bitsFrom + ((<usize>i) << 2);
    const length = <i32>load<u8>(lengths + i);
    const reach = load<i32>(reaches + ((<usize>i) << 2));
    let bits = runBits(length) + load<u32>(at, 4);
    let step = length | (1 << 8);
    const symbol = length === 0 ? shortZerosSymbol : repeatSymbol;
    const isRun = length === 0 || (i > 0 && load<u8>(lengths + i - 1) === length);
    if (isRun && reach >= 3) {
      const most = min(reach, length === 0 ? 10 : 6);
      for (let covered = max(3, most - 3); covered <= most; covered += 1) {
        const other = runBits(symbol) + load<u32>(at + ((<usize>covered) << 2));
        if (other < bits) {
          bits = other;
          step = symbol | (covered << 8);
        }
      }
    }
    if (length === 0 && reach >= 11) {
      const most = min(reach, 138);
      for (let covered = max(11, most - 3); covered <= most; covered += 1) {
        const other = runBits(longZerosSymbol) + load<u32>(at + ((<usize>covered) << 2));
        if (other < bits) {
          bits = other;
          step = longZerosSymbol | (covered << 8);
        }
      }
    }
    store<u32>(at, bits);
    store<u32>(steps + ((<usize>i) << 2), step);
  }
}

function countRuns(number: i32): void {
  memory.fill(runCounts, 0, 76);
  for (let i = 0; i < number; ) {
    const step = load<u32>(steps + ((<usize>i) << 2));
    const at = runCounts + ((<usize>(step & 255)) << 2);
    store<u32>(at, load<u32>(at) + 1);
    i += <i32>(step >> 8);
  }
}
