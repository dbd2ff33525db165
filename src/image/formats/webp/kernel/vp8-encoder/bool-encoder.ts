/**
 * The boolean entropy encoder (RFC 6386 §7). Bits are listed with their probabilities, and encoded in batches, so that
 * the encoder's state can be kept in local variables.
 *
 * Output is in 32-bit words. A carry may propagate into complete words, so the last one that can absorb a carry is
 * held, together with the number of following words that consist only of ones.
 */
import { allocate } from '../../../../wasm/assembly/memory';
import { nextPiece, pieceBytes, returnPiece, takePiece } from '../pieces';

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

/** Starts writing a string of coded bytes; returns false if there is no memory. */
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

// Strings of coded bytes in pieces (see pieces.ts), which the host reads one by one as soon as they are complete. A
// piece that has been read is freed when the next one is requested.

/* Offsets of the fields of a string, u32 each. */
const firstAt: usize = 0;
/** The current piece of the writer. */
const lastAt: usize = 4;
/** The current piece of the host. */
const givenAt: usize = 8;
/** Bytes in the current piece of the host. */
const givenBytesAt: usize = 12;
/** Total bytes, known at the end. */
const lengthAt: usize = 16;
const isEndedAt: usize = 20;
/** Bytes in pieces that have been read. */
const takenAt: usize = 24;
const stringBytes: usize = 28;

/** The partition with the frame header and modes, and the token partition (RFC 6386 §9.5). */
export const firstPartition: usize = memory.data(stringBytes, 4);
export const tokenPartition: usize = memory.data(stringBytes, 4);

/** Resets both strings, without freeing them; for counting several times in one instance. */
export function forgetStrings(): void {
  memory.fill(firstPartition, 0, stringBytes);
  memory.fill(tokenPartition, 0, stringBytes);
}

/**
 * Starts a string anew.
 * @returns its first piece; 0 if there is no memory
 */
function beginString(string: usize): usize {
  dropString(string);
  const first = takePiece(0);
  store<u32>(string, first, firstAt);
  store<u32>(string, first, lastAt);
  return first;
}

/** Appends a piece to a string; returns 0 if there is no memory. */
function growString(string: usize): usize {
  const piece = takePiece(load<u32>(string, lastAt));
  if (piece === 0) return 0;
  // The host may have read all earlier pieces.
  if (load<u32>(string, firstAt) === 0) store<u32>(string, piece, firstAt);
  store<u32>(string, piece, lastAt);
  return piece;
}

/** Ends a string with this total length in bytes. */
function endString(string: usize, length: u32): void {
  store<u32>(string, length, lengthAt);
  store<u32>(string, 1, isEndedAt);
}

/** Length in bytes of a string that has ended; else 0. */
export function codedLength(string: usize): f64 {
  return <f64>load<u32>(string, lengthAt);
}

/**
 * The first piece of a string that has ended and has not been read by `nextCodedPiece`. This and the following pieces
 * (`nextPiece`) remain valid.
 */
export function firstCodedPiece(string: usize): usize {
  return load<u32>(string, firstAt);
}

/** Frees all pieces of a string. */
export function dropString(string: usize): void {
  const given: usize = load<u32>(string, givenAt);
  if (given !== 0) returnPiece(given);
  returnChain(load<u32>(string, firstAt));
  memory.fill(string, 0, stringBytes);
}

/** Frees a piece and all that follow. */
export function returnChain(first: usize): void {
  let piece = first;
  while (piece !== 0) {
    const next = nextPiece(piece);
    returnPiece(piece);
    piece = next;
  }
}

/**
 * Returns the next complete piece of a string, whose length is `codedPieceBytes`, and frees the previous one.
 *
 * @param string `firstPartition` or `tokenPartition`
 * @returns pointer to the piece; 0 if there is none yet, or none any more
 */
export function nextCodedPiece(string: usize): usize {
  const before: usize = load<u32>(string, givenAt);
  if (before !== 0) returnPiece(before);
  store<u32>(string, 0, givenAt);
  const piece: usize = load<u32>(string, firstAt);
  const isLast = piece === <usize>load<u32>(string, lastAt);
  if (piece === 0 || (isLast && load<u32>(string, isEndedAt) === 0)) return 0;
  const taken = load<u32>(string, takenAt);
  const bytes = isLast ? load<u32>(string, lengthAt) - taken : <u32>pieceBytes;
  store<u32>(string, <u32>nextPiece(piece), firstAt);
  store<u32>(string, piece, givenAt);
  store<u32>(string, bytes, givenBytesAt);
  store<u32>(string, taken + bytes, takenAt);
  return piece;
}

/** Length in bytes of the piece that `nextCodedPiece` has returned. */
export function codedPieceBytes(string: usize): u32 {
  return load<u32>(string, givenBytesAt);
}

// Costs of bits in the boolean entropy coder (RFC 6386 §7), in 256ths of a bit.
//
// The coder splits a range of 128 to 255 into integers, with the part for 0 rounded up, which deviates much from
// probabilities near 0 or 1. So costs are averaged over all ranges, whose frequency is about proportional to the
// inverse of their width.

/** Costs of zeros and of ones by the probability of 0 in 256ths, u16. */
const zeroCosts: usize = memory.data(512, 2);
const oneCosts: usize = memory.data(512, 2);
/** Binary logarithms of 1 to 255, f32. */
const logarithms: usize = memory.data(1024, 4);

/** Computes the costs. */
export function prepareBitCosts(): void {
  for (let i = 1; i < 256; i += 1) store<f32>(logarithms + (i << 2), Mathf.log2(<f32>i));
  for (let probability = 1; probability < 256; probability += 1) prepareCosts(probability);
}

function prepareCosts(probability: i32): void {
  let zeros: f32 = 0;
  let ones: f32 = 0;
  let weights: f32 = 0;
  for (let range = 128; range < 256; range += 1) {
    const split = 1 + (((range - 1) * probability) >> 8);
    const weight = <f32>1 / <f32>range;
    zeros += weight * (logarithm(range) - logarithm(split));
    ones += weight * (logarithm(range) - logarithm(range - split));
    weights += weight;
  }
  store<u16>(zeroCosts + (probability << 1), <u16>Mathf.round((<f32>256 * zeros) / weights));
  store<u16>(oneCosts + (probability << 1), <u16>Mathf.round((<f32>256 * ones) / weights));
}

function logarithm(value: i32): f32 {
  return load<f32>(logarithms + (value << 2));
}

/** Cost of a bit; `probability` is that of 0 in 256ths, 1 to 255. */
export function bitCost(bit: u32, probability: u32): u32 {
  return load<u16>((bit ? oneCosts : zeroCosts) + (probability << 1));
}

/** Cost of these numbers of zeros and ones. */
export function branchCost(zeros: u64, ones: u64, probability: u32): u64 {
  return zeros * <u64>bitCost(0, probability) + ones * <u64>bitCost(1, probability);
}

/** The probability of 0 for these numbers of zeros and ones, in 256ths, 1 to 255; 255 if both are 0. */
export function probabilityOf(zeros: u64, ones: u64): u32 {
  const total = zeros + ones;
  if (total === 0) return 255;
  const share = ((zeros << 8) + (total >> 1)) / total;
  return <u32>max<u64>(1, min<u64>(255, share));
}
