/**
 * The boolean entropy encoder (RFC 6386 §7). Bits are listed with their probabilities, and encoded in batches, so that
 * the encoder's state can be kept in local variables.
 *
 * Output is in 32-bit words. A carry may propagate into complete words, so the last one that can absorb a carry is
 * held, together with the number of following words that consist only of ones.
 */
import { allocate } from '../../../../wasm/assembly/memory';
import { pieceBytes } from '../pieces';
import { beginString, endString, growString } from './coded-strings';

/** Number of entries in the list, u16 each: the probability of 0, and the bit in bit 8. */
const listEntries: usize = 1024;
/** Number of entries that always fit after calling `listEnd`; a block takes at most 16 × 19 + 1. */
const spareEntries: usize = 320;
/** The bit of an entry. */
export const one: u32 = 0x100;
/** Probability of one half. */
export const even: u32 = 128;

let list: usize = 0;
let listed: usize = 0;

/** The string to write. */
let string: usize = 0;
/** Position of its next word, and the end of the piece. */
let next: usize = 0;
let end: usize = 0;
/** Bytes in full pieces. */
let fullBytes: u32 = 0;
let isFull: bool = false;

/** Lower end of the interval, with the bits that are not output yet; the lowest eight have the weight of `range`. */
let low: u64 = 0;
/** Number of bits above those eight, not counting a carry. */
let held: i32 = 0;
/** Width of the interval, 128 to 255. */
let range: u32 = 255;
/** The word that is held for a carry, and the number of words of ones after it. */
let waiting: u32 = 0;
let hasWaiting: bool = false;
let ones: u32 = 0;

/** Allocates the list; returns false if there is no memory. */
export function allocateBoolEncoder(): bool {
  list = allocate((listEntries + spareEntries) << 1);
  return list !== 0;
}

/** Starts writing a string of coded-strings.ts; returns false if there is no memory. */
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
 * Ends the string, with eight additional bits that decoders read ahead.
 * @returns false if memory was insufficient
 */
export function endBools(): bool {
  codeList();
  const bits = held + 8;
  const bytes = <u32>((bits + 7) >> 3);
  // At most 39 bits, and a carry above them.
  low <<= 63 - bits;
  emit(low >> 31);
  if (bits > 32) emit((low << 1) & 0xffffffff);
  settle(0);
  const padding = (bits > 32 ? 8 : 4) - bytes;
  if (!isFull) endString(string, fullBytes + <u32>(next - (end - pieceBytes)) - padding);
  return !isFull;
}

/** Number of coded bits so far, without those that decoders read ahead. */
export function codedBits(): u32 {
  codeList();
  const words = ones + (hasWaiting ? 1 : 0);
  return ((fullBytes + <u32>(next - (end - pieceBytes)) + 4 * words) << 3) + <u32>held;
}

/** Returns the end of the listed entries, where at least `spareEntries` more fit. */
export function listEnd(): usize {
  if (listed > list + (listEntries << 1)) codeList();
  return listed;
}

/** Sets the end of the listed entries. */
export function setListEnd(to: usize): void {
  listed = to;
}

/** Lists a bit; `probability` is that of 0 in 256ths. */
export function putBit(bit: u32, probability: u32): void {
  putEntry((bit << 8) | probability);
}

/** Lists an entry. */
export function putEntry(entry: u32): void {
  const to = listEnd();
  store<u16>(to, <u16>entry);
  listed = to + 2;
}

/** Lists a number with this many bits, most significant first. */
export function putNumber(value: u32, bits: i32): void {
  for (let i = bits - 1; i >= 0; i -= 1) putBit((value >> i) & 1, even);
}

/** Lists a flag and, if it is set, a number and its sign. */
export function putOptional(value: i32, bits: i32): void {
  putBit(value !== 0 ? 1 : 0, even);
  if (value === 0) return;
  putNumber(abs(value), bits);
  putBit(value < 0 ? 1 : 0, even);
}

/** Encodes the listed bits. */
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

/** Outputs a word, with a carry in bit 32. */
function emit(word: u64): void {
  if (word === 0xffffffff) {
    ones += 1;
    return;
  }
  settle(<u32>(word >> 32));
  waiting = <u32>word;
  hasWaiting = true;
}

/** Writes the held words, now that the carry is known. */
function settle(carry: u32): void {
  if (hasWaiting) write(waiting + carry);
  // With a carry, ones become zeros.
  for (; ones > 0; ones -= 1) write(carry - 1);
  hasWaiting = false;
}

function write(word: u32): void {
  if (next === end) move();
  if (isFull) return;
  store<u32>(next, bswap<u32>(word));
  next += 4;
}

/** Continues with another piece. */
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
