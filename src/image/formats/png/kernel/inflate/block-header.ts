/** Reads the header of a block: its type and its codes (RFC 1951 §3.2.3 to §3.2.7). */
import {
  alignToByte,
  badBlock,
  badCode,
  blockAt,
  blockCost,
  codedBlock,
  codesCost,
  distanceMaskAt,
  distanceRootBits,
  distanceTable,
  dropBits,
  isFixedAt,
  isLastAt,
  literalMaskAt,
  literalRootBits,
  literalTable,
  peekBits,
  sound,
  storedAt,
  storedBlock,
  symbolsCostShift,
  takeBits,
  takeCredit,
} from './cursor';

/** The order in which the lengths of the code length code are stored (RFC 1951 §3.2.7). */
const lengthOrder: usize = memory.data<u8>([
  16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15,
]);
const lengthSymbols: i32 = 19;
const lengthRootBits: i32 = 7;

const fixedLiterals: i32 = 288;
const fixedDistances: i32 = 32;
const endOfBlock: i32 = 256;

/** A code length for each symbol, those of distances right after those of literals. */
const lengths: usize = memory.data(288 + 32, 4);
const lengthTable: usize = memory.data(128 * 4, 4);

/** Reads the header of the next block. Returns a status. */
export function beginBlock(cursor: usize): i32 {
  store<i32>(cursor, takeBits(cursor, 1), isLastAt);
  const type = takeBits(cursor, 2);
  if (type === 3) return badBlock;
  const status = takeCredit(cursor, blockCost);
  if (status !== sound) return status;
  if (type === 0) return beginStored(cursor);
  store<i32>(cursor, codedBlock, blockAt);
  store<i32>(cursor, type === 1 ? 1 : 0, isFixedAt);
  return type === 1 ? useFixedCodes() : readCodes(cursor);
}

function beginStored(cursor: usize): i32 {
  alignToByte(cursor);
  const length = takeBits(cursor, 16);
  if (takeBits(cursor, 16) !== (~length & 0xffff)) return badBlock;
  alignToByte(cursor);
  store<i32>(cursor, length, storedAt);
  store<i32>(cursor, storedBlock, blockAt);
  return sound;
}

/** The tables of the fixed codes (RFC 1951 §3.2.6), whose longest codes have 9 and 5 bits; all cursors share them. */
export const fixedLiteralTable: usize = memory.data(4 << 9, 4);
export const fixedDistanceTable: usize = memory.data(4 << 5, 4);
export const fixedLiteralMask: u32 = (1 << 9) - 1;
export const fixedDistanceMask: u32 = (1 << 5) - 1;
let areFixedBuilt: bool = false;

function useFixedCodes(): i32 {
  if (areFixedBuilt) return sound;
  areFixedBuilt = true;
  memory.fill(lengths, 8, 144);
  memory.fill(lengths + 144, 9, 112);
  memory.fill(lengths + 256, 7, 24);
  memory.fill(lengths + 280, 8, 8);
  memory.fill(lengths + fixedLiterals, 5, fixedDistances);
  buildTable(lengths, fixedLiterals, literalKind, true, literalRootBits, fixedLiteralTable);
  const distances = lengths + fixedLiterals;
  return buildTable(
    distances,
    fixedDistances,
    distanceKind,
    true,
    distanceRootBits,
    fixedDistanceTable,
  );
}

function readCodes(cursor: usize): i32 {
  const literals = takeBits(cursor, 5) + 257;
  const distances = takeBits(cursor, 5) + 1;
  const number = takeBits(cursor, 4) + 4;
  if (literals > 286 || distances > 30) return badCode;
  memory.fill(lengths, 0, lengthSymbols);
  for (let i = 0; i < number; i += 1) {
    store<u8>(lengths + load<u8>(lengthOrder + i), <u8>takeBits(cursor, 3));
  }
  if (
    buildTable(lengths, lengthSymbols, lengthKind, false, lengthRootBits, lengthTable) !== sound ||
    readLengths(cursor, literals + distances) !== sound ||
    load<u8>(lengths + endOfBlock) === 0
  ) {
    return badCode;
  }
  const status = takeCredit(cursor, codesCost + (codedSymbols >> symbolsCostShift));
  return status === sound ? buildTables(cursor, literals, distances) : status;
}

/** Number of symbols that have a code, after `readLengths`. */
let codedSymbols: i32 = 0;

/** Reads the lengths of both codes as one sequence: repetitions may cross the border. */
function readLengths(cursor: usize, number: i32): i32 {
  const mask = builtMask;
  codedSymbols = 0;
  for (let at = 0; at < number; ) {
    const bits: u32 = peekBits(cursor, lengthRootBits);
    const entry = load<u32>(lengthTable + ((<usize>(bits & mask)) << 2));
    if ((entry & isSpecial) !== 0) return badCode;
    dropBits(cursor, entry & 15);
    const symbol = <i32>(entry >> 16);
    if (symbol < 16) {
      store<u8>(lengths + at, <u8>symbol);
      if (symbol !== 0) codedSymbols += 1;
      at += 1;
      continue;
    }
    if (symbol === 16 && at === 0) return badCode;
    const value: u8 = symbol === 16 ? load<u8>(lengths + at - 1) : 0;
    const times =
      symbol === 16
        ? 3 + takeBits(cursor, 2)
        : symbol === 17
          ? 3 + takeBits(cursor, 3)
          : 11 + takeBits(cursor, 7);
    if (at + times > number) return badCode;
    memory.fill(lengths + at, value, times);
    if (value !== 0) codedSymbols += times;
    at += times;
  }
  return sound;
}

function buildTables(cursor: usize, literals: i32, distances: i32): i32 {
  const table = cursor + literalTable;
  let status = buildTable(lengths, literals, literalKind, true, literalRootBits, table);
  if (status !== sound) return status;
  store<u32>(cursor, builtMask, literalMaskAt);
  status = buildTable(
    lengths + literals,
    distances,
    distanceKind,
    true,
    distanceRootBits,
    cursor + distanceTable,
  );
  store<u32>(cursor, builtMask, distanceMaskAt);
  return status;
}

// Tables to decode the prefix codes of RFC 1951 §3.2.2: one lookup by the next bits, and a second one if the code is
// longer.
//
// An entry holds, from its lowest bits up: 8 bits for the number of bits it consumes, 4 bits for the length of its code
// alone, 4 flags, and a value of 16 bits:
// - `isLiteral`: a literal, or a code length;
// - no flag: the smallest length or distance, to which the bits consumed beyond the code are added;
// - `isSpecial` and `isLink`: the entry where the second table begins, and its number of bits in place of the code's;
// - `isSpecial` and `isEnd`: the end of a block; `isSpecial` alone: no symbol.

export const isLiteral: u32 = 1 << 15;
export const isSpecial: u32 = 1 << 14;
export const isLink: u32 = 1 << 13;
export const isEnd: u32 = 1 << 12;

/** Kinds of codes. */
const literalKind: i32 = 0;
const distanceKind: i32 = 1;
const lengthKind: i32 = 2;

/** Longest code in bits (RFC 1951 §3.2.7). */
const longest: i32 = 15;
const endOfBlockSymbol: i32 = 256;

/** Base length and extra bits of symbols 257 to 285, and likewise for distances (RFC 1951 §3.2.5). */
const baseLengths: usize = memory.data<u16>([
  3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131,
  163, 195, 227, 258,
]);
const lengthBits: usize = memory.data<u8>([
  0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0,
]);
const baseDistances: usize = memory.data<u16>([
  1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049,
  3073, 4097, 6145, 8193, 12289, 16385, 24577,
]);
const distanceBits: usize = memory.data<u8>([
  0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13,
]);

/**
 * The number of codes of each length, the start of the symbols of each length, and all symbols in the order of their
 * codes.
 */
const counts: usize = memory.data(2 * 16, 4);
const starts: usize = memory.data(2 * 17, 4);
const symbols: usize = memory.data(2 * 288, 4);

/** The mask of the table built last: the number of entries of the first lookup, minus 1. */
let builtMask: u32 = 0;

/**
 * Builds the table of a code. As in zlib, the code must be complete; only if `mayBeSingle`, there may be a single code
 * of one bit, or none at all.
 *
 * @param lengths a byte per symbol, 0 if it has no code
 * @param rootBits maximum bits of the first lookup
 * @returns `sound` or `badCode`
 */
function buildTable(
  lengths: usize,
  number: i32,
  kind: i32,
  mayBeSingle: bool,
  rootBits: i32,
  table: usize,
): i32 {
  const most = sortSymbols(lengths, number);
  let unused = 1;
  for (let length = 1; length <= longest; length += 1) {
    unused = 2 * unused - countOf(length);
    if (unused < 0) return badCode;
  }
  if (unused > 0 && !(mayBeSingle && most <= 1)) return badCode;
  const root = min(most, rootBits);
  builtMask = (1 << root) - 1;
  fillTable(kind, most, root, table);
  return sound;
}

/** @returns the length of the longest code */
function sortSymbols(lengths: usize, number: i32): i32 {
  memory.fill(counts, 0, 2 * 16);
  for (let symbol = nextCoded(lengths, 0, number); symbol < number; ) {
    const at = counts + ((<usize>load<u8>(lengths + symbol)) << 1);
    store<u16>(at, load<u16>(at) + 1);
    symbol = nextCoded(lengths, symbol + 1, number);
  }
  let most = 0;
  store<u16>(starts, 0, 2);
  for (let length = 1; length <= longest; length += 1) {
    const at = starts + (length << 1);
    store<u16>(at, load<u16>(at) + <u16>countOf(length), 2);
    if (countOf(length) > 0) most = length;
  }
  for (let symbol = nextCoded(lengths, 0, number); symbol < number; ) {
    const length = load<u8>(lengths + symbol);
    const at = starts + ((<usize>length) << 1);
    const place = load<u16>(at);
    store<u16>(symbols + ((<usize>place) << 1), <u16>symbol);
    store<u16>(at, place + 1);
    symbol = nextCoded(lengths, symbol + 1, number);
  }
  return most;
}

/** The first symbol from `symbol` on that has a code; `number` or more if there is none. */
function nextCoded(lengths: usize, symbol: i32, number: i32): i32 {
  while (symbol < number && load<u8>(lengths + symbol) === 0) {
    symbol += symbol + 8 <= number && load<u64>(lengths + symbol) === 0 ? 8 : 1;
  }
  return symbol;
}

function countOf(length: i32): i32 {
  return load<u16>(counts + (length << 1));
}

/**
 * Iterates over the codes in order. Codes are stored with their highest bit first, so counting starts at the other end;
 * and a table for patterns of some bits consists of two copies of that for one bit less.
 */
function fillTable(kind: i32, most: i32, root: i32, table: usize): void {
  store<u32>(table, isSpecial);
  let reversed: u32 = 0;
  let symbol = symbols;
  for (let length = 1; length <= root; length += 1) {
    const half = (<usize>1) << (length - 1);
    memory.copy(table + (half << 2), table, half << 2);
    for (let left = countOf(length); left > 0; left -= 1, symbol += 2) {
      store<u32>(table + ((<usize>reversed) << 2), entryOf(kind, load<u16>(symbol), length));
      reversed = nextReversed(reversed, length);
    }
  }
  const further = most - root;
  const rootMask: u32 = (1 << root) - 1;
  let free: u32 = 1 << root;
  for (let length = root + 1; length <= most; length += 1) {
    for (let left = countOf(length); left > 0; left -= 1, symbol += 2) {
      const rootEntry = table + ((<usize>(reversed & rootMask)) << 2);
      if ((load<u32>(rootEntry) & isLink) === 0) {
        store<u32>(rootEntry, (free << 16) | isSpecial | isLink | (further << 8));
        free += 1 << further;
      }
      const second = table + ((<usize>(load<u32>(rootEntry) >> 16)) << 2);
      const entry = entryOf(kind, load<u16>(symbol), length);
      for (let at = reversed >> root; at < (<u32>1) << further; at += 1 << (length - root)) {
        store<u32>(second + ((<usize>at) << 2), entry);
      }
      reversed = nextReversed(reversed, length);
    }
  }
}

/** The code after a code of `length` bits, both with their bits reversed. */
function nextReversed(code: u32, length: i32): u32 {
  let bit: u32 = 1 << (length - 1);
  while ((code & bit) !== 0) bit >>= 1;
  return bit === 0 ? 0 : (code & (bit - 1)) | bit;
}

function entryOf(kind: i32, symbol: i32, length: i32): u32 {
  const code: u32 = length;
  if (kind === distanceKind) {
    if (symbol > 29) return isSpecial;
    const extra: u32 = load<u8>(distanceBits + symbol);
    return ((<u32>load<u16>(baseDistances + (symbol << 1))) << 16) | (code << 8) | (code + extra);
  }
  if (kind === lengthKind || symbol < endOfBlockSymbol) {
    return ((<u32>symbol) << 16) | isLiteral | code;
  }
  if (symbol === endOfBlockSymbol) return isSpecial | isEnd | code;
  if (symbol > 285) return isSpecial;
  const extra: u32 = load<u8>(lengthBits + symbol - 257);
  const base: u32 = load<u16>(baseLengths + ((symbol - 257) << 1));
  return (base << 16) | (code << 8) | (code + extra);
}
