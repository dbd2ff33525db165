/** The beginning of a block: its type and its codes (RFC 1951 §3.2.3 to §3.2.7). */
import {
  alignToByte,
  badBlock,
  badCode,
  blockAt,
  codedBlock,
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
  takeBits,
} from './cursor';

/** In what order the lengths of the code length code come (RFC 1951 §3.2.7). */
const lengthOrder: usize = memory.data<u8>([
  16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15,
]);
const lengthSymbols: i32 = 19;
const lengthRootBits: i32 = 7;

const fixedLiterals: i32 = 288;
const fixedDistances: i32 = 32;
const endOfBlock: i32 = 256;

/** A code length for each symbol, those of distances right behind those of literals. */
const lengths: usize = memory.data(288 + 32, 4);
const lengthTable: usize = memory.data(128 * 4, 4);

/** Reads the beginning of the next block. Returns a status. */
export function beginBlock(cursor: usize): i32 {
  store<i32>(cursor, takeBits(cursor, 1), isLastAt);
  const type = takeBits(cursor, 2);
  if (type === 3) return badBlock;
  if (type === 0) return beginStored(cursor);
  store<i32>(cursor, codedBlock, blockAt);
  return type === 1 ? useFixedCodes(cursor) : readCodes(cursor);
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

function useFixedCodes(cursor: usize): i32 {
  if (load<i32>(cursor, isFixedAt)) return sound;
  memory.fill(lengths, 8, 144);
  memory.fill(lengths + 144, 9, 112);
  memory.fill(lengths + 256, 7, 24);
  memory.fill(lengths + 280, 8, 8);
  memory.fill(lengths + fixedLiterals, 5, fixedDistances);
  const status = buildTables(cursor, fixedLiterals, fixedDistances);
  store<i32>(cursor, 1, isFixedAt);
  return status;
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
  store<i32>(cursor, 0, isFixedAt);
  return buildTables(cursor, literals, distances);
}

/** Both codes' lengths in one row: repetitions go across the border. */
function readLengths(cursor: usize, number: i32): i32 {
  const mask = builtMask;
  for (let at = 0; at < number; ) {
    const bits: u32 = peekBits(cursor, lengthRootBits);
    const entry = load<u32>(lengthTable + ((<usize>(bits & mask)) << 2));
    if ((entry & isSpecial) !== 0) return badCode;
    dropBits(cursor, entry & 15);
    const symbol = <i32>(entry >> 16);
    if (symbol < 16) {
      store<u8>(lengths + at, <u8>symbol);
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

// Tables that decode the prefix codes of RFC 1951 §3.2.2: one look by the next bits, a second one where
// the code is longer.
//
// An entry holds, from its lowest bits up: 8 bits for how many bits it takes, 4 bits for its code's
// alone, 4 flags, and a value of 16 bits:
// - `isLiteral`: a literal, or a code length;
// - no flag: the least length or distance, to which the bits taken beyond the code's are added;
// - `isSpecial` and `isLink`: the entry where the second table begins, and its bits in place of the code's;
// - `isSpecial` and `isEnd`: the end of a block; `isSpecial` alone: nothing.

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

/** Symbols 257 to 285: least length and extra bits; and distances likewise (RFC 1951 §3.2.5). */
const leastLengths: usize = memory.data<u16>([
  3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131,
  163, 195, 227, 258,
]);
const lengthBits: usize = memory.data<u8>([
  0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0,
]);
const leastDistances: usize = memory.data<u16>([
  1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049,
  3073, 4097, 6145, 8193, 12289, 16385, 24577,
]);
const distanceBits: usize = memory.data<u8>([
  0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13,
]);

/**
 * How many codes there are of each length, where the symbols of each begin, and all symbols in the
 * order of their codes.
 */
const counts: usize = memory.data(2 * 16, 4);
const starts: usize = memory.data(2 * 17, 4);
const symbols: usize = memory.data(2 * 288, 4);

/** The mask of the table that was built last: how many entries the first look chooses from, less 1. */
let builtMask: u32 = 0;

/**
 * Builds the table of a code. As in zlib it must use all bit patterns; only where `mayBeSingle` may
 * there be one code of one bit, or none at all.
 *
 * @param lengths a byte for each symbol, 0 where it has no code
 * @param rootBits that the first look takes at most
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
  for (let symbol = 0; symbol < number; symbol += 1) {
    const at = counts + ((<usize>load<u8>(lengths + symbol)) << 1);
    store<u16>(at, load<u16>(at) + 1);
  }
  store<u16>(counts, 0);
  let most = 0;
  store<u16>(starts, 0, 2);
  for (let length = 1; length <= longest; length += 1) {
    const at = starts + (length << 1);
    store<u16>(at, load<u16>(at) + <u16>countOf(length), 2);
    if (countOf(length) > 0) most = length;
  }
  for (let symbol = 0; symbol < number; symbol += 1) {
    const length = load<u8>(lengths + symbol);
    if (length === 0) continue;
    const at = starts + ((<usize>length) << 1);
    const place = load<u16>(at);
    store<u16>(symbols + ((<usize>place) << 1), <u16>symbol);
    store<u16>(at, place + 1);
  }
  return most;
}

function countOf(length: i32): i32 {
  return load<u16>(counts + (length << 1));
}

/**
 * Goes through the codes in their order. The bits of a code come the highest first, so it is counted up
 * from the other end; and a table of all patterns of some bits is that of one bit less, twice.
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

/** The code after a code of `length` bits, both with their bits in reverse. */
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
    return ((<u32>load<u16>(leastDistances + (symbol << 1))) << 16) | (code << 8) | (code + extra);
  }
  if (kind === lengthKind || symbol < endOfBlockSymbol) {
    return ((<u32>symbol) << 16) | isLiteral | code;
  }
  if (symbol === endOfBlockSymbol) return isSpecial | isEnd | code;
  if (symbol > 285) return isSpecial;
  const extra: u32 = load<u8>(lengthBits + symbol - 257);
  const least: u32 = load<u16>(leastLengths + ((symbol - 257) << 1));
  return (least << 16) | (code << 8) | (code + extra);
}
