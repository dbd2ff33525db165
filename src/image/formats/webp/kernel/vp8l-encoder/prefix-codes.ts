/**
 * Prefix codes (RFC 9649 §6.2.1): their lengths out of counts, their bits, and how they are stated. Lengths come from
 * Huffman's algorithm in place over sorted counts (Moffat and Katajainen 1995); those above the limit are shortened at
 * the least cost to the others.
 */
import { allocate } from '../../../../wasm/assembly/memory';
import { putBits } from './bit-strings';
import { mostSymbols } from './symbols';

/** Longest code in bits, and that of the code of code lengths. */
export const longest: i32 = 15;
const longestOfLengths: i32 = 7;

const symbolBits: u32 = 11;
/** Symbols that have a code: count << 11 | symbol, sorted. */
let sorted: usize = 0;
/** Counts of the sorted symbols, then parents, then depths. */
let tree: usize = 0;
/** How many codes there are of each length. */
const ofLength: usize = memory.data(32 * 4, 16);

/** Allocates 42 KiB; false where there is no room. */
export function allocatePrefixCodes(): bool {
  const bytes = ((<usize>mostSymbols) << 2) + 16;
  const at = allocate(5 * bytes);
  sorted = at;
  tree = at + bytes;
  reaches = at + 2 * bytes;
  bitsFrom = at + 3 * bytes;
  steps = at + 4 * bytes;
  return at !== 0;
}

/**
 * Sets the length of each symbol's code.
 *
 * @param counts `symbols` × u32, below 2^21 each
 * @param lengths `symbols` × u8, 0 for a symbol without a code; a single code has one bit
 * @returns how many symbols have a code
 */
export function codeLengths(counts: usize, symbols: i32, limit: i32, lengths: usize): i32 {
  memory.fill(lengths, 0, symbols);
  let used = 0;
  for (let symbol = 0; symbol < symbols; symbol += 1) {
    const count = load<u32>(counts + ((<usize>symbol) << 2));
    if (count === 0) continue;
    store<u32>(sorted + ((<usize>used) << 2), (count << symbolBits) | symbol);
    used += 1;
  }
  if (used === 0) return 0;
  if (used === 1) {
    store<u8>(lengths + symbolAt(0), 1);
    return 1;
  }
  sort(used);
  for (let i = 0; i < used; i += 1) {
    const at = (<usize>i) << 2;
    store<u32>(tree + at, load<u32>(sorted + at) >> symbolBits);
  }
  joinLeast(used);
  countDepths(used, limit);
  // the rarest symbols have the longest codes
  for (let length = limit, i = 0; length > 0; length -= 1) {
    for (let left = codesOf(length); left > 0; left -= 1, i += 1) {
      store<u8>(lengths + symbolAt(i), <u8>length);
    }
  }
  return used;
}

function symbolAt(i: i32): usize {
  return load<u32>(sorted + ((<usize>i) << 2)) & ((1 << symbolBits) - 1);
}

function codesOf(length: i32): i32 {
  return load<i32>(ofLength + ((<usize>length) << 2));
}

/** Shell's sort, since the symbols are few. */
function sort(used: i32): void {
  let gap = 1;
  while (gap < used / 3) gap = 3 * gap + 1;
  for (; gap > 0; gap /= 3) {
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
  memory.fill(ofLength, 0, 32 * 4);
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
  // how much of the space of codes of `limit` bits is taken
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
  const longestAt = ofLength + ((<usize>limit) << 2);
  for (let excess = taken - (1 << limit); excess > 0; excess -= 1) {
    let length = limit - 1;
    while (codesOf(length) === 0) length -= 1;
    const at = ofLength + ((<usize>length) << 2);
    store<u32>(at, load<u32>(at) - 1);
    store<u32>(at, load<u32>(at, 4) + 2, 4);
    store<u32>(longestAt, load<u32>(longestAt) - 1);
  }
}

/** Where the codes of each length begin. */
const firstCodes: usize = memory.data(16 * 4, 16);

/**
 * Assigns codes in their order, their bits turned around as they are written.
 * @param codes `symbols` × u32 of code | length << 16; all zeros where there is one symbol, which takes no bits
 */
export function assignCodes(lengths: usize, symbols: i32, used: i32, codes: usize): void {
  if (used < 2) {
    memory.fill(codes, 0, (<usize>symbols) << 2);
    return;
  }
  memory.fill(ofLength, 0, 32 * 4);
  for (let symbol = 0; symbol < symbols; symbol += 1) {
    const at = ofLength + ((<usize>load<u8>(lengths + symbol)) << 2);
    store<u32>(at, load<u32>(at) + 1);
  }
  let code: u32 = 0;
  for (let length = 1; length < 16; length += 1) {
    store<u32>(firstCodes + ((<usize>length) << 2), code);
    code = (code + codesOf(length)) << 1;
  }
  for (let symbol = 0; symbol < symbols; symbol += 1) {
    const length: i32 = load<u8>(lengths + symbol);
    if (length === 0) {
      store<u32>(codes + ((<usize>symbol) << 2), 0);
      continue;
    }
    const next = firstCodes + ((<usize>length) << 2);
    const value = load<u32>(next);
    store<u32>(next, value + 1);
    store<u32>(codes + ((<usize>symbol) << 2), turned(value, length) | (length << 16));
  }
}

function turned(code: u32, length: i32): u32 {
  let bits = ((code & 0x5555) << 1) | ((code >> 1) & 0x5555);
  bits = ((bits & 0x3333) << 2) | ((bits >> 2) & 0x3333);
  bits = ((bits & 0x0f0f) << 4) | ((bits >> 4) & 0x0f0f);
  return (((bits & 0x00ff) << 8) | (bits >> 8)) >> (16 - length);
}

// How a code is stated: one or two symbols as they are, or lengths run by run.
// Runs are cut by a shortest path, with costs out of the code that the cut before had.

const runSymbols: i32 = 19;
const repeatSymbol: i32 = 16;
const shortZerosSymbol: i32 = 17;
const longZerosSymbol: i32 = 18;
const cuts: i32 = 3;

/** The order in which the lengths of the run code are written. */
const order: usize = memory.data<u8>([
  17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
]);
/** The code length that a repetition repeats before there is one. */
const firstRepeated: i32 = 8;

/** How far equal lengths reach from each on, and the last length before that is not 0, << 16. */
const reachBits: i32 = 16;
let reaches: usize = 0;
/** Bits from each length on to the end, u32. */
let bitsFrom: usize = 0;
/** The step chosen at each length: symbol | lengths that it covers << 8. */
let steps: usize = 0;
const runCounts: usize = memory.data(76, 16);
const runLengths: usize = memory.data(32, 16);
const runCodes: usize = memory.data(76, 16);

/**
 * States a code.
 * @param used how many of its symbols have a length
 */
export function putCode(lengths: usize, symbols: i32, used: i32): void {
  if (used <= 2 && putSimpleCode(lengths, symbols, used)) return;
  let number = symbols;
  while (load<u8>(lengths + number - 1) === 0) number -= 1;
  planRuns(lengths, number);
  const runUsed = cutAll(lengths, number);
  putBits(0, 1);
  let stated = runSymbols;
  while (stated > 4 && load<u8>(runLengths + load<u8>(order + stated - 1)) === 0) stated -= 1;
  putBits(stated - 4, 4);
  for (let i = 0; i < stated; i += 1) putBits(load<u8>(runLengths + load<u8>(order + i)), 3);
  assignCodes(runLengths, runSymbols, runUsed, runCodes);
  putNumberOfRuns(number, symbols);
  for (let i = 0; i < number; ) i += putRun(load<u32>(steps + ((<usize>i) << 2)));
}

/** One symbol below 256, or two, or none at all; false where that does not do. */
function putSimpleCode(lengths: usize, symbols: i32, used: i32): bool {
  let first = 0;
  let second = 0;
  for (let symbol = symbols - 1, seen = 0; symbol >= 0 && seen < used; symbol -= 1) {
    if (load<u8>(lengths + symbol) === 0) continue;
    second = first;
    first = symbol;
    seen += 1;
  }
  if (max(first, second) > 255) return false;
  putBits(1, 1);
  putBits(used === 2 ? 1 : 0, 1);
  putBits(first > 1 ? 1 : 0, 1);
  putBits(first, first > 1 ? 8 : 1);
  if (used === 2) putBits(second, 8);
  return true;
}

/** Says after how many runs lengths end, where that takes fewer bits than zeros up to the last symbol. */
function putNumberOfRuns(number: i32, symbols: i32): void {
  let runs = 0;
  for (let i = 0; i < number; runs += 1) i += <i32>(load<u32>(steps + ((<usize>i) << 2)) >> 8);
  if (number === symbols) {
    putBits(0, 1);
    return;
  }
  putBits(1, 1);
  const above = max(runs, 2) - 2;
  const pairs = above < 4 ? 1 : (33 - clz(above)) >> 1;
  putBits(pairs - 1, 3);
  putBits(above, pairs << 1);
}

/** Puts a run, and returns how many lengths it covers. */
function putRun(step: u32): i32 {
  const symbol = <i32>(step & 255);
  const covered = step >> 8;
  const code = load<u32>(runCodes + ((<usize>symbol) << 2));
  putBits(code & 0xffff, code >> 16);
  if (symbol === repeatSymbol) putBits(covered - 3, 2);
  else if (symbol === shortZerosSymbol) putBits(covered - 3, 3);
  else if (symbol === longZerosSymbol) putBits(covered - 11, 7);
  return <i32>covered;
}

/** Finds how far equal lengths reach, and what a repetition would repeat at each. */
function planRuns(lengths: usize, number: i32): void {
  let before = firstRepeated;
  for (let i = 0; i < number; i += 1) {
    store<i32>(reaches + ((<usize>i) << 2), before << reachBits);
    const length: i32 = load<u8>(lengths + i);
    if (length !== 0) before = length;
  }
  let reach = 0;
  for (let i = number - 1; i >= 0; i -= 1) {
    const same = i + 1 < number && load<u8>(lengths + i) === load<u8>(lengths + i, 1);
    reach = same ? reach + 1 : 1;
    const at = reaches + ((<usize>i) << 2);
    store<i32>(at, load<i32>(at) | reach);
  }
}

/** Cuts runs until their code suits them; returns how many of its symbols are used. */
function cutAll(lengths: usize, number: i32): i32 {
  memory.fill(runLengths, 4, runSymbols);
  let used = 0;
  for (let cut = 0; cut < cuts; cut += 1) {
    cutRuns(lengths, number);
    countRuns(number);
    used = codeLengths(runCounts, runSymbols, longestOfLengths, runLengths);
  }
  return used;
}

function runBits(symbol: i32): u32 {
  const length = <u32>load<u8>(runLengths + symbol);
  // a symbol that the last cut had no use for can still be had
  const bits = length === 0 ? longestOfLengths : length;
  if (symbol < repeatSymbol) return bits;
  return bits + (symbol === repeatSymbol ? 2 : symbol === shortZerosSymbol ? 3 : 7);
}

/** Finds the cheapest steps through all lengths, from the last one back. */
function cutRuns(lengths: usize, number: i32): void {
  store<u32>(bitsFrom + ((<usize>number) << 2), 0);
  for (let i = number - 1; i >= 0; i -= 1) {
    const at = bitsFrom + ((<usize>i) << 2);
    const length = <i32>load<u8>(lengths + i);
    const plan = load<i32>(reaches + ((<usize>i) << 2));
    const reach = plan & ((1 << reachBits) - 1);
    const repeated = plan >> reachBits;
    let bits = runBits(length) + load<u32>(at, 4);
    let step = length | (1 << 8);
    if (reach >= 3 && (length === 0 || length === repeated)) {
      const symbol = length === 0 ? shortZerosSymbol : repeatSymbol;
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
