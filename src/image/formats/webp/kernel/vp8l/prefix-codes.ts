/**
 * Prefix codes and their decoding tables (RFC 9649 §6.2.1): a root table that is indexed by the next `rootBits` bits,
 * and second-level tables for longer codes.
 *
 * An entry has 16 bits: the symbol in the upper 12, the code length in the lower 4. If the length exceeds `rootBits`,
 * the entry refers to a second-level table: the excess is its number of index bits, and the upper 12 bits are its
 * offset from the table's start in units of 4 bytes. In second-level entries, the lower 4 bits are the number of bits
 * after those of the root.
 */
import { allocate } from '../../../../wasm/assembly/memory';
import { dropBits, peekBits, takeBits } from './bit-reader';
import { badCode, excessive, incomplete, outOfMemory, sound } from './status';

/** Maximum number of index bits of a root table. */
export const rootBits: i32 = 9;
/** Maximum code length in bits. */
const longest: i32 = 15;

/** Maximum number of symbols in an alphabet: green values, lengths and the largest color cache. */
const maxSymbols: usize = 256 + 24 + 2048;

/** Order of the lengths of the code length code. */
const lengthOrder: usize = memory.data<u8>([
  17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
]);
const lengthCodeSymbols: i32 = 19;
/** Code length that a repetition repeats if none has been read. */
const firstLength: u8 = 8;

/** Code length of each symbol: of the code length code, and of any other code, where it has one. */
const lengthLengths: usize = memory.data(19);
const lengths: usize = memory.data(maxSymbols);
/** The symbols that have a code, u16 in ascending order, and their number. */
const coded: usize = memory.data(maxSymbols * 2, 4);
let codedCount: i32 = 0;
/**
 * What further codes may cost, in symbols: reading a symbol of a code takes as long as decoding some pixels, and a
 * hostile stream defines thousands of them in a few bits. In encoders' streams, each is used by many pixels.
 */
let symbolsLeft: i32 = 0;
/** Symbols that cost as much as a code without any. */
const codeCost: i32 = 4;
/** Number of symbols for any picture, and log2 of the pixels for each further one. */
const initialSymbols: i32 = 1 << 16;
const pixelsPerSymbolShift: u32 = 2;

/** Begins to count the symbols of all codes, for a picture with this many pixels. */
export function beginCodes(pixels: u32): void {
  symbolsLeft = initialSymbols + (pixels >> pixelsPerSymbolShift);
}

/** Number of codes of each length, index of the first symbol of each length, and symbols in code order. */
const counts: usize = memory.data(16 * 2, 4);
const starts: usize = memory.data(17 * 2, 4);
const symbols: usize = memory.data(maxSymbols * 2, 4);
/**
 * Buffer for building a table. Second-level tables have no more entries than symbols, except for one that is shared by
 * codes of several lengths.
 */
const scratch: usize = memory.data(2 * (512 + maxSymbols + 128), 4);

/** The only symbol of the last code read, if there is one, which takes no bits; else -1. */
let soleSymbol: i32 = -1;
/** Table of the last code read, and the index mask of its root. */
let tableAt: usize = 0;
let tableMask: u32 = 0;

/** Length of the longest code, and size in bytes of the table in `scratch`. */
let most: i32 = 0;
let scratchBytes: usize = 0;

/**
 * Reads the code of an alphabet.
 *
 * @param isKept whether to allocate a table for it
 * @returns a status of status.ts
 */
function readCode(alphabet: i32, isKept: bool): i32 {
  if (takeBits(1)) readSimpleCode(alphabet);
  else {
    const status = readLengths(alphabet);
    if (status !== sound) return status;
  }
  if (!isCode(lengths)) return badCode;
  symbolsLeft -= codeCost + codedCount;
  if (symbolsLeft < 0) return excessive;
  if (!isKept) return sound;
  fillTable();
  tableAt = allocate(scratchBytes);
  if (tableAt === 0) return outOfMemory;
  memory.copy(tableAt, scratch, scratchBytes);
  return sound;
}

// Time depends on the symbols that have a code, not on the alphabet: a hostile stream has a code in four bits.

function clearCoded(): void {
  memory.fill(counts, 0, 16 * 2);
  codedCount = 0;
}

/** Gives a code to a symbol after all others. */
function addCoded(lengths: usize, symbol: i32, length: u8): void {
  store<u8>(lengths + symbol, length);
  store<u16>(coded + ((<usize>codedCount) << 1), <u16>symbol);
  codedCount += 1;
  const at = counts + ((<usize>length) << 1);
  store<u16>(at, load<u16>(at) + 1);
}

/**
 * Reads a code of one or two symbols (§6.2.1.1). A repeated symbol counts once, one outside the alphabet is ignored.
 */
function readSimpleCode(alphabet: i32): void {
  const isPair = takeBits(1);
  const first = <i32>takeBits(takeBits(1) ? 8 : 1);
  const second = isPair ? <i32>takeBits(8) : first;
  clearCoded();
  const low = min(first, second);
  const high = max(first, second);
  if (low < alphabet) addCoded(lengths, low, 1);
  if (high !== low && high < alphabet) addCoded(lengths, high, 1);
}

/** Reads coded code lengths (§6.2.1.2). Returns a status. */
function readLengths(alphabet: i32): i32 {
  const number = <i32>takeBits(4) + 4;
  memory.fill(lengthLengths, 0, lengthCodeSymbols);
  for (let i = 0; i < number; i += 1) {
    store<u8>(lengthLengths + load<u8>(lengthOrder + i), <u8>takeBits(3));
  }
  clearCoded();
  for (let symbol = 0; symbol < lengthCodeSymbols; symbol += 1) {
    const length = load<u8>(lengthLengths + symbol);
    if (length !== 0) addCoded(lengthLengths, symbol, length);
  }
  if (!isCode(lengthLengths)) return badCode;
  fillTable();
  clearCoded();
  let left = alphabet;
  if (takeBits(1)) {
    left = 2 + takeBits(2 + 2 * takeBits(3));
    if (left > alphabet) return badCode;
  }
  let before = firstLength;
  for (let at = 0; at < alphabet && left > 0; left -= 1) {
    const entry = load<u16>(scratch + ((<usize>(peekBits() & tableMask)) << 1));
    dropBits(entry & 15);
    const symbol = entry >> 4;
    if (symbol < 16) {
      if (symbol !== 0) {
        addCoded(lengths, at, <u8>symbol);
        before = <u8>symbol;
      }
      at += 1;
      continue;
    }
    const times =
      symbol === 16 ? 3 + takeBits(2) : symbol === 17 ? 3 + takeBits(3) : 11 + takeBits(7);
    if (at + <i32>times > alphabet) return badCode;
    if (symbol === 16) {
      for (let i = 0; i < <i32>times; i += 1) addCoded(lengths, at + i, before);
    }
    at += times;
  }
  return sound;
}

/**
 * Sorts the symbols of a code; returns whether it is valid: it must be complete, or have a single symbol of any length.
 */
function isCode(lengths: usize): bool {
  let used = 0;
  let number = 0;
  most = 0;
  store<u16>(starts, 0, 2);
  for (let length = 1; length <= longest; length += 1) {
    const ofLength = countOf(length);
    number += ofLength;
    used += ofLength << (longest - length);
    if (ofLength > 0) most = length;
    store<u16>(starts + (length << 1), <u16>number, 2);
  }
  if (number !== 1 && used !== 1 << longest) return false;
  sortSymbols(lengths);
  soleSymbol = number === 1 ? <i32>load<u16>(symbols) : -1;
  return true;
}

function sortSymbols(lengths: usize): void {
  for (let i = 0; i < codedCount; i += 1) {
    const symbol = load<u16>(coded + ((<usize>i) << 1));
    const at = starts + ((<usize>load<u8>(lengths + symbol)) << 1);
    const place = load<u16>(at);
    store<u16>(symbols + ((<usize>place) << 1), symbol);
    store<u16>(at, place + 1);
  }
}

function countOf(length: i32): i32 {
  return load<u16>(counts + (length << 1));
}

/**
 * Builds the table in `scratch`, code by code. Codes are stored most significant bit first, so they are incremented in
 * reversed bit order; the table for n bits is that for n − 1 bits, repeated.
 */
function fillTable(): void {
  if (soleSymbol >= 0) {
    store<u16>(scratch, <u16>(soleSymbol << 4));
    tableMask = 0;
    scratchBytes = 2;
    return;
  }
  const root = min(most, rootBits);
  tableMask = (1 << root) - 1;
  let reversed: u32 = 0;
  let symbol = symbols;
  for (let length = 1; length <= root; length += 1) {
    const half = (<usize>1) << (length - 1);
    memory.copy(scratch + (half << 1), scratch, half << 1);
    for (let left = countOf(length); left > 0; left -= 1, symbol += 2) {
      store<u16>(scratch + ((<usize>reversed) << 1), entryOf(symbol, length));
      reversed = nextReversed(reversed, length);
    }
  }
  scratchBytes = (<usize>2) << root;
  if (most > root) fillSecond(symbol, reversed);
}

/** @param symbol pointer to the first symbol with a code longer than the root; `reversed`: that code */
function fillSecond(symbol: usize, reversed: u32): void {
  let second: usize = 0;
  let secondBits = 0;
  let prefix: u32 = u32.MAX_VALUE;
  for (let length = rootBits + 1; length <= most; length += 1) {
    for (let left = countOf(length); left > 0; left -= 1, symbol += 2) {
      if ((reversed & tableMask) !== prefix) {
        prefix = reversed & tableMask;
        secondBits = bitsOfSecond(length, left);
        second = scratch + scratchBytes;
        const link = ((<u32>(scratchBytes >> 2)) << 4) | (rootBits + secondBits);
        store<u16>(scratch + ((<usize>prefix) << 1), <u16>link);
        scratchBytes += (<usize>2) << secondBits;
      }
      const entry = entryOf(symbol, length - rootBits);
      for (
        let at = reversed >> rootBits;
        at < (<u32>1) << secondBits;
        at += 1 << (length - rootBits)
      ) {
        store<u16>(second + ((<usize>at) << 1), entry);
      }
      reversed = nextReversed(reversed, length);
    }
  }
}

/** Index bits of a second-level table that begins with a code of `length`, of which `left` remain. */
function bitsOfSecond(length: i32, left: i32): i32 {
  let unused = (1 << (length - rootBits)) - left;
  while (unused > 0 && length < most) {
    length += 1;
    unused = (unused << 1) - countOf(length);
  }
  return length - rootBits;
}

/** The successor of a code with `length` bits, both in reversed bit order. */
function nextReversed(code: u32, length: i32): u32 {
  let bit: u32 = 1 << (length - 1);
  while ((code & bit) !== 0) bit >>= 1;
  return bit === 0 ? 0 : (code & (bit - 1)) | bit;
}

function entryOf(symbol: usize, length: i32): u16 {
  return (load<u16>(symbol) << 4) | <u16>length;
}

// Prefix code groups: the five codes for the pixels of a part of the picture (RFC 9649 §6.2.2). The entropy image maps
// tiles to groups; groups that it does not use are read and discarded.

/** Symbols of the green code: values, lengths, then entries of the color cache. */
export const greenValues: i32 = 256;
export const lengthSymbols: i32 = 24;
const distanceSymbols: i32 = 40;
/** Index of the last code in a group; the order is green, red, blue, alpha, distance. */
const distanceCode: i32 = 4;

/* Fields of a group: its tables, and the index mask of each root table. */
export const greenAt: usize = 0;
export const redAt: usize = 4;
export const blueAt: usize = 8;
export const alphaAt: usize = 12;
export const distanceAt: usize = 16;
export const maskAt: usize = 20;
/** Kind of the group, one of those below. */
export const kindAt: usize = 40;
/** The constant samples as a pixel: blue lowest, then green, red and alpha. */
export const literalAt: usize = 44;
const groupBytes: usize = 48;

/** All samples are coded. */
const fullKind: i32 = 0;
/** Alpha is constant. */
export const opaqueKind: i32 = 1;
/** Red, blue and alpha are constant. */
export const greenKind: i32 = 2;
/** All samples are constant: a pixel takes no bits. */
export const constantKind: i32 = 3;

let groups: usize = 0;

/** Whether all groups are of `greenKind` or `constantKind`, and whether they have the same literal. */
export let areGreen: bool = false;
export let areAlike: bool = false;
/** The shared literal, without green. */
export let sharedLiteral: u32 = 0;

export function groupAt(i: u32): usize {
  return groups + i * groupBytes;
}

/** @returns memory for this number of groups; 0 if there is none */
function allocateGroups(number: u32): usize {
  return allocate(number * groupBytes);
}

/** Number of groups in the stream, the next of them, their new numbers, and the number of those that are used. */
let statedGroups: u32 = 0;
let nextGroup: u32 = 0;
let numbers: usize = 0;
let usedGroups: u32 = 0;
/** Number of entries in the color cache; 0 without one. */
let cacheColors: i32 = 0;
/** Symbols that are read in a step. */
const stepSymbols: i32 = 1 << 16;

/**
 * Begins to read the codes of all groups.
 *
 * @param stated number of groups in the stream
 * @param newNumbers new numbers of groups as u32, starting from 1, 0 for unused groups; a null pointer if there is one
 *   group
 * @param used number of used groups
 * @param colors number of entries in the color cache; 0 without one
 * @returns `sound` or `outOfMemory`
 */
export function beginGroups(stated: u32, newNumbers: usize, used: u32, colors: i32): i32 {
  statedGroups = stated;
  nextGroup = 0;
  numbers = newNumbers;
  usedGroups = used;
  cacheColors = colors;
  groups = allocateGroups(used);
  return groups === 0 ? outOfMemory : sound;
}

/**
 * Goes on to read the codes of groups.
 * @returns a status of status.ts; `incomplete` if there are more
 */
export function readGroups(): i32 {
  const stop = symbolsLeft - stepSymbols;
  for (; nextGroup < statedGroups; nextGroup += 1) {
    if (symbolsLeft < stop) return incomplete;
    const number: u32 = numbers === 0 ? 1 : load<u32>(numbers + (nextGroup << 2));
    const status = number === 0 ? skipGroup() : readGroup(groupAt(number - 1));
    if (status !== sound) return status;
  }
  compareGroups();
  return sound;
}

/** Sets `areGreen`, `areAlike` and `sharedLiteral`. */
function compareGroups(): void {
  areGreen = true;
  areAlike = true;
  sharedLiteral = load<u32>(groups, literalAt) & 0xffff00ff;
  for (let i: u32 = 0; i < usedGroups; i += 1) {
    const isGreen = load<i32>(groupAt(i), kindAt) >= greenKind;
    areGreen = areGreen && isGreen;
    areAlike = areAlike && (load<u32>(groupAt(i), literalAt) & 0xffff00ff) === sharedLiteral;
  }
  areAlike = areAlike && areGreen;
}

function skipGroup(): i32 {
  for (let code = 0; code <= distanceCode; code += 1) {
    const status = readCode(alphabetOf(code), false);
    if (status !== sound) return status;
  }
  return sound;
}

function readGroup(group: usize): i32 {
  let literal: u32 = 0;
  let varying = 0;
  for (let code = 0; code <= distanceCode; code += 1) {
    const status = readCode(alphabetOf(code), true);
    if (status !== sound) return status;
    store<usize>(group + (code << 2), tableAt, greenAt);
    store<u32>(group + (code << 2), tableMask, maskAt);
    if (code === distanceCode) break;
    if (soleSymbol < 0 || soleSymbol >= greenValues) varying |= 1 << code;
    else literal |= (<u32>soleSymbol) << placeOf(code);
  }
  store<u32>(group, literal, literalAt);
  store<i32>(group, kindOf(varying), kindAt);
  return sound;
}

function alphabetOf(code: i32): i32 {
  if (code === 0) return greenValues + lengthSymbols + cacheColors;
  return code === distanceCode ? distanceSymbols : 256;
}

/** Bit position in a pixel of the sample of a code (green, red, blue, alpha). */
function placeOf(code: i32): i32 {
  if (code === 0) return 8;
  if (code === 1) return 16;
  return code === 2 ? 0 : 24;
}

/** @param varying mask of the codes with more than one value, from bit 0 */
function kindOf(varying: i32): i32 {
  if (varying === 0) return constantKind;
  if (varying === 1) return greenKind;
  return (varying & 8) === 0 ? opaqueKind : fullKind;
}
