/**
 * A place in a zlib stream, with all that it takes to go on from there: one
 * block of memory, so that a copy of it is a snapshot. Places within the block
 * are kept as offsets.
 */
import { allocate } from '../../../../wasm/assembly/memory';

/**
 * Copies the next bytes of a cursor's stream to `to`; the compressed data stay with the host.
 * @param id the cursor's number, in the order in which cursors were allocated
 * @returns how many there were: at least one and at most `length`, and 0 behind the last
 */
declare function readData(id: i32, to: usize, length: i32): i32;

/** Lets cursor `to` go on where cursor `from` is; with both the same number, begins anew. */
export declare function forkData(from: i32, to: i32): void;

/** How far back a match may reach (RFC 1951 §2). */
export const historyBytes: usize = 32768;
/**
 * Compressed bytes that are kept ahead, and the zeros behind the last ones, which wide loads may
 * reach.
 */
const inputBytes: usize = 16384;
const tailBytes: usize = 32;
/** Inflated bytes: the history, and as many that are new. */
export const windowBytes: usize = 2 * historyBytes;
/**
 * What is written beyond the window at most: a match of 258 bytes, by 16 at once, and what comes
 * before it.
 */
const slackBytes: usize = 320;

/** Bits that the first look into a table takes. */
export const literalRootBits: i32 = 11;
export const distanceRootBits: i32 = 9;
/**
 * Entries of 4 bytes: those of the root and, where codes are longer, a table of all their further bits
 * for each beginning. At least two codes share one, so there are half as many as symbols at most.
 */
const literalEntries: usize = 2048 + 144 * 16;
const distanceEntries: usize = 512 + 16 * 64;

/** Fields of the state, as offsets. */
export const idAt: usize = 0;
export const statusAt: usize = 4;
/** The next byte of the input that is not among `bits`, and the end of the input. */
export const nextAt: usize = 8;
export const endAt: usize = 12;
/** Bits read ahead, the next one lowest, and how many of them count. */
export const bitsAt: usize = 16;
export const countAt: usize = 24;
/** The input holds the last byte of the data. */
export const isExhaustedAt: usize = 28;
/** End of the inflated bytes, and of those that have been given out. */
export const outAt: usize = 32;
export const givenAt: usize = 36;
/** `noBlock`, `storedBlock` or `codedBlock`. */
export const blockAt: usize = 40;
export const isLastAt: usize = 44;
/** Bytes of a stored block that are left. */
export const storedAt: usize = 48;
/** Adler-32 of the inflated bytes. */
export const adlerAt: usize = 52;
/** How many entries of a table the first look chooses from, less 1. */
export const literalMaskAt: usize = 56;
export const distanceMaskAt: usize = 60;
/** The tables are those of the fixed codes. */
export const isFixedAt: usize = 64;
const stateBytes: usize = 80;

export const noBlock: i32 = 0;
export const storedBlock: i32 = 1;
export const codedBlock: i32 = 2;

export const literalTable: usize = stateBytes;
export const distanceTable: usize = literalTable + 4 * literalEntries;
export const inputStart: usize = distanceTable + 4 * distanceEntries;
export const windowStart: usize = inputStart + inputBytes + tailBytes;
/** Bytes of a cursor. */
const cursorBytes: usize = windowStart + windowBytes + slackBytes;

let cursors: i32 = 0;

/** @returns a new cursor, not open yet, or 0 where there is no room */
export function allocateCursor(): usize {
  const cursor = allocate(cursorBytes);
  if (cursor === 0) return 0;
  store<i32>(cursor, cursors, idAt);
  cursors += 1;
  return cursor;
}

/** Puts cursor `to` where `from` is. */
export function copyCursor(from: usize, to: usize): void {
  const id = load<i32>(to, idAt);
  memory.copy(to, from, cursorBytes);
  store<i32>(to, id, idAt);
  forkData(load<i32>(from, idAt), id);
}

// Bits of the compressed data outside the loop that decodes symbols, the lowest of each byte first
// (RFC 1951 §3.1.1).

/** Compressed bytes that have to lie ahead before a symbol is decoded, but at the end of the data. */
export const lookahead: i32 = 16;

/** Sees to it that `lookahead` bytes are there, as far as there are any. */
export function provideInput(cursor: usize): void {
  if (load<i32>(cursor, isExhaustedAt)) return;
  const next = load<i32>(cursor, nextAt);
  const rest = load<i32>(cursor, endAt) - next;
  if (rest >= lookahead) return;
  const start = cursor + inputStart;
  memory.copy(start, cursor + next, rest);
  let filled = rest;
  while (filled < <i32>inputBytes) {
    const got = readData(load<i32>(cursor, idAt), start + filled, <i32>inputBytes - filled);
    if (got <= 0) {
      store<i32>(cursor, 1, isExhaustedAt);
      memory.fill(start + filled, 0, tailBytes);
      break;
    }
    filled += got;
  }
  store<i32>(cursor, <i32>inputStart, nextAt);
  store<i32>(cursor, <i32>inputStart + filled, endAt);
}

/** The next bits, 16 at most, without taking them; behind the data they are zeros. */
export function peekBits(cursor: usize, number: i32): i32 {
  if (load<i32>(cursor, countAt) < number) fill(cursor);
  return <i32>(load<u64>(cursor, bitsAt) & (((<u64>1) << number) - 1));
}

/** Takes bits that have been looked at. */
export function dropBits(cursor: usize, number: i32): void {
  store<u64>(cursor, load<u64>(cursor, bitsAt) >> number, bitsAt);
  store<i32>(cursor, load<i32>(cursor, countAt) - number, countAt);
}

/** The next bits, 16 at most, as a number. */
export function takeBits(cursor: usize, number: i32): i32 {
  const value = peekBits(cursor, number);
  dropBits(cursor, number);
  return value;
}

/** Goes to the next whole byte: nothing is read ahead then. */
export function alignToByte(cursor: usize): void {
  const unread = load<i32>(cursor, countAt) >> 3;
  store<i32>(cursor, load<i32>(cursor, nextAt) - unread, nextAt);
  store<u64>(cursor, 0, bitsAt);
  store<i32>(cursor, 0, countAt);
}

/** Whether bits have been used that the data do not have. */
export function isOverrun(cursor: usize): bool {
  const unread = load<i32>(cursor, countAt) >> 3;
  return load<i32>(cursor, nextAt) - unread > load<i32>(cursor, endAt);
}

/** Reads ahead until 56 bits are there. */
function fill(cursor: usize): void {
  provideInput(cursor);
  const next = load<i32>(cursor, nextAt);
  const count = load<i32>(cursor, countAt);
  // further behind the data than the zeros reach it makes no difference what is read
  if (next <= load<i32>(cursor, endAt) + 24) {
    const word = load<u64>(cursor + next);
    store<u64>(cursor, load<u64>(cursor, bitsAt) | (word << count), bitsAt);
  }
  store<i32>(cursor, next + ((63 - count) >> 3), nextAt);
  store<i32>(cursor, count | 56, countAt);
}

// How reading went; anything but `sound` means that the data are damaged.

export const sound: i32 = 0;
/** The compressed data end before their stream does. */
export const truncated: i32 = 1;
/** What begins the data is not a zlib header, or asks for a dictionary. */
export const badHeader: i32 = 2;
/** A block of an unknown type, or a stored one whose length is damaged. */
export const badBlock: i32 = 3;
/** The lengths of a block's prefix codes make no codes. */
export const badCode: i32 = 4;
/** Bits that stand for no symbol, or a length or distance that does not exist. */
export const badSymbol: i32 = 5;
/** A match that begins before the first byte. */
export const badDistance: i32 = 6;
/** The stream holds fewer bytes than were asked for. */
export const missing: i32 = 7;
/** The stream holds more bytes than were asked for. */
export const surplus: i32 = 8;
/** The Adler-32 is not that of the bytes. */
export const badChecksum: i32 = 9;
/** A row has a filter that does not exist. */
export const badFilter: i32 = 10;
