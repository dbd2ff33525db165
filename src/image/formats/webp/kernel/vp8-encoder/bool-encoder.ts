/**
 * The boolean entropy encoder (RFC 6386 §7). Bits are listed with their probabilities first, and coded some
 * hundreds at a time, so that the coder's state stays in locals.
 *
 * Coded bits leave as words of 32. A carry may run back through words that are complete already: the last of
 * them waits for that, together with all words of ones behind it, which are only counted.
 */
import { allocate } from '../../../../wasm/assembly/memory';
import { pieceBytes } from '../pieces';
import { beginString, endString, growString } from './coded-strings';

/** Entries of the list, a u16 each: the probability of 0, and in bit 8 the bit. */
const listEntries: usize = 1024;
/** As many more fit whenever `listEnd` has been asked: what a block takes at most is 16 × 19 + 1. */
const spareEntries: usize = 320;
/** The bit of an entry. */
export const one: u32 = 0x100;
/** Probability of a bit that is as often 0 as 1. */
export const even: u32 = 128;

let list: usize = 0;
let listed: usize = 0;

/** The string that is written to. */
let string: usize = 0;
/** Where its next word goes, and the end of the piece. */
let next: usize = 0;
let end: usize = 0;
/** Bytes in pieces that are full. */
let fullBytes: u32 = 0;
let isFull: bool = false;

/** Bottom of the interval: bits that have not left yet, the lowest eight of the weight of `range`. */
let low: u64 = 0;
/** How many of them are above those eight. A carry may stand above them. */
let held: i32 = 0;
/** Width of the interval, 128 to 255. */
let range: u32 = 255;
/** The word that waits for a carry, and how many words of ones wait behind it. */
let waiting: u32 = 0;
let hasWaiting: bool = false;
let ones: u32 = 0;

/** Allocates the list; false if there is no room. */
export function allocateBoolEncoder(): bool {
  list = allocate((listEntries + spareEntries) << 1);
  return list !== 0;
}

/** Begins to write a string of coded-strings.ts anew; false if there is no room. */
export function beginBools(to: usize): bool {
  string = to;
  listed = list;
  next = beginString(to);
  end = next + pieceBytes;
  fullBytes = 0;
  isFull = next === 0;
  low = 0;
  held = 0;
  range = 255;
  hasWaiting = false;
  ones = 0;
  return !isFull;
}

/**
 * Ends the string: with eight bits beyond those that tell the last bit, which decoders look at.
 * @returns false if it had no room
 */
export function endBools(): bool {
  codeList();
  const bits = held + 8;
  const bytes = <u32>((bits + 7) >> 3);
  // 39 bits at most, and a carry in front of them
  low <<= 63 - bits;
  emit(low >> 31);
  if (bits > 32) emit((low << 1) & 0xffffffff);
  settle(0);
  const padding = (bits > 32 ? 8 : 4) - bytes;
  if (!isFull) endString(string, fullBytes + <u32>(next - (end - pieceBytes)) - padding);
  return !isFull;
}

/** Behind the entries that are listed; `spareEntries` more fit. */
export function listEnd(): usize {
  if (listed > list + (listEntries << 1)) codeList();
  return listed;
}

/** Notes that entries up to `to` have been listed, no more than fit. */
export function setListEnd(to: usize): void {
  listed = to;
}

/** Lists a bit that is 0 with a probability in 256ths. */
export function putBit(bit: u32, probability: u32): void {
  putEntry((bit << 8) | probability);
}

/** Lists an entry. */
export function putEntry(entry: u32): void {
  const to = listEnd();
  store<u16>(to, <u16>entry);
  listed = to + 2;
}

/** Lists a number of so many bits, the highest first. */
export function putNumber(value: u32, bits: i32): void {
  for (let i = bits - 1; i >= 0; i -= 1) putBit((value >> i) & 1, even);
}

/** Lists a flag, and where that is set a number and its sign. */
export function putOptional(value: i32, bits: i32): void {
  putBit(value !== 0 ? 1 : 0, even);
  if (value === 0) return;
  putNumber(abs(value), bits);
  putBit(value < 0 ? 1 : 0, even);
}

/** Codes what is listed. */
function codeList(): void {
  let bottom = low;
  let above = held;
  let width = range;
  for (let at = list; at < listed; at += 2) {
    const entry: u32 = load<u16>(at);
    const split = 1 + (((width - 1) * (entry & 0xff)) >> 8);
    const isOne = entry >= one;
    bottom += select<u64>(split, 0, isOne);
    width = select<u32>(width - split, split, isOne);
    const shift = clz<u32>(width) - 24;
    width <<= shift;
    bottom <<= shift;
    above += shift;
    if (above >= 32) {
      above -= 32;
      emit(bottom >> (above + 8));
      bottom &= ((<u64>256) << above) - 1;
    }
  }
  low = bottom;
  held = above;
  range = width;
  listed = list;
}

/** Lets a word leave, with a carry in bit 32. */
function emit(word: u64): void {
  if (word === 0xffffffff) {
    ones += 1;
    return;
  }
  settle(<u32>(word >> 32));
  waiting = <u32>word;
  hasWaiting = true;
}

/** Writes the words that wait, since the carry is known. */
function settle(carry: u32): void {
  if (hasWaiting) write(waiting + carry);
  // with a carry, ones become zeros
  for (; ones > 0; ones -= 1) write(carry - 1);
  hasWaiting = false;
}

function write(word: u32): void {
  if (next === end) move();
  if (isFull) return;
  store<u32>(next, bswap<u32>(word));
  next += 4;
}

/** Goes on with another piece. */
function move(): void {
  if (isFull) return;
  const piece = growString(string);
  if (piece === 0) {
    isFull = true;
    return;
  }
  fullBytes += <u32>pieceBytes;
  next = piece;
  end = piece + pieceBytes;
}
