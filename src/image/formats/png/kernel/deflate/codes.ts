/** The Huffman codes of a block, and how a dynamic block states them. */
import { putBits } from './bit-output';
import { distanceSymbols, literalSymbols } from './symbols';

// Lengths of codes, limited (RFC 1951 §3.2.2, §3.2.7): Huffman's algorithm
// in place over sorted counts (Moffat and Katajainen 1995), then lengths above
// the limit are shortened at the least cost to the others.

/** Symbols that have a code: count << 9 | symbol, sorted; 288 × u32. */
const sorted: usize = memory.data(1152, 16);
/** Counts of the sorted symbols, then parents, then depths: 288 × u32. */
const tree: usize = memory.data(1152, 16);
/** How many codes there are of each length: 32 × u32. */
const ofLength: usize = memory.data(128, 16);

/**
 * Sets the length of each symbol's code.
 * @param counts `symbols` × u32, below 2 ** 23 each
 * @param lengths `symbols` × u8, 0 for a symbol without a code; a single code has one bit
 * @param limit the most bits of a code
 */
export function codeLengths(counts: usize, symbols: i32, limit: i32, lengths: usize): void {
  memory.fill(lengths, 0, symbols);
  let used = 0;
  for (let symbol = 0; symbol < symbols; symbol += 1) {
    const count = load<u32>(counts + ((<usize>symbol) << 2));
    if (count === 0) continue;
    store<u32>(sorted + ((<usize>used) << 2), (count << 9) | symbol);
    used += 1;
  }
  if (used === 0) return;
  if (used === 1) {
    store<u8>(lengths + (load<u32>(sorted) & 511), 1);
    return;
  }
  sort(used);
  for (let i = 0; i < used; i += 1) {
    store<u32>(tree + ((<usize>i) << 2), load<u32>(sorted + ((<usize>i) << 2)) >> 9);
  }
  joinLeast(used);
  countDepths(used, limit);
  // the rarest symbols have the longest codes
  for (let length = limit, i = 0; length > 0; length -= 1) {
    for (let left = load<u32>(ofLength + ((<usize>length) << 2)); left > 0; left -= 1, i += 1) {
      store<u8>(lengths + (load<u32>(sorted + ((<usize>i) << 2)) & 511), <u8>length);
    }
  }
}

/** Shell's sort, since the symbols are few. */
function sort(used: i32): void {
  for (
    let gap = used > 40 ? 40 : 1;
    gap > 0;
    gap = gap === 1 ? 0 : gap === 40 ? 13 : gap === 13 ? 4 : 1
  ) {
    for (let i = gap; i < used; i += 1) {
      const value = load<u32>(sorted + ((<usize>i) << 2));
      let j = i;
      for (; j >= gap; j -= gap) {
        const other = load<u32>(sorted + ((<usize>(j - gap)) << 2));
        if (other <= value) break;
        store<u32>(sorted + ((<usize>j) << 2), other);
      }
      store<u32>(sorted + ((<usize>j) << 2), value);
    }
  }
}

/** Joins the two least weights until one is left; `tree` then has each inner node's parent. */
function joinLeast(used: i32): void {
  let leaf = 0;
  let inner = 0;
  for (let made = 0; made < used - 1; made += 1) {
    let weight: u32 = 0;
    for (let side = 0; side < 2; side += 1) {
      const innerAt = tree + ((<usize>inner) << 2);
      const leafAt = tree + ((<usize>leaf) << 2);
      if (leaf >= used || (inner < made && load<u32>(innerAt) < load<u32>(leafAt))) {
        weight += load<u32>(innerAt);
        store<u32>(innerAt, made);
        inner += 1;
      } else {
        weight += load<u32>(leafAt);
        leaf += 1;
      }
    }
    store<u32>(tree + ((<usize>made) << 2), weight);
  }
}

/** Counts the leaves of each depth, none deeper than `limit`. */
function countDepths(used: i32, limit: i32): void {
  memory.fill(ofLength, 0, 128);
  const root = used - 2;
  store<u32>(tree + ((<usize>root) << 2), 0);
  // inner nodes of one depth after the other, from the root on
  for (let node = root - 1; node >= 0; node -= 1) {
    const at = tree + ((<usize>node) << 2);
    store<u32>(at, load<u32>(tree + ((<usize>load<u32>(at)) << 2)) + 1);
  }
  let places = 1;
  let depth = 0;
  let node = root;
  /** How much of the space of codes of `limit` bits is taken. */
  let taken = 0;
  while (places > 0) {
    let inner = 0;
    for (; node >= 0 && load<u32>(tree + ((<usize>node) << 2)) === depth; node -= 1) inner += 1;
    const leaves = places - inner;
    const length = min(depth, limit);
    const at = ofLength + ((<usize>length) << 2);
    store<u32>(at, load<u32>(at) + leaves);
    taken += leaves << (limit - length);
    places = inner << 1;
    depth += 1;
  }
  shorten(taken, limit);
}

/** Makes room for codes that were cut off: a shorter one becomes two, one of them for a cut one. */
function shorten(taken: i32, limit: i32): void {
  const longest = ofLength + ((<usize>limit) << 2);
  for (let excess = taken - (1 << limit); excess > 0; excess -= 1) {
    let length = limit - 1;
    while (load<u32>(ofLength + ((<usize>length) << 2)) === 0) length -= 1;
    const at = ofLength + ((<usize>length) << 2);
    store<u32>(at, load<u32>(at) - 1);
    store<u32>(at, load<u32>(at, 4) + 2, 4);
    store<u32>(longest, load<u32>(longest) - 1);
  }
}

// The head of a dynamic block: lengths of its codes, run by run (RFC 1951 §3.2.7).
// Runs are cut by a shortest path, with costs out of the code that the cut before had.

const runSymbols: i32 = 19;
const repeatSymbol: i32 = 16;
const shortZerosSymbol: i32 = 17;
const longZerosSymbol: i32 = 18;
const maxRunBits: i32 = 7;
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
    codeLengths(runCounts, runSymbols, maxRunBits, runLengths);
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
  const bits = length === 0 ? maxRunBits : length;
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
