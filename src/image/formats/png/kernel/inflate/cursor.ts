/**
 * A read position in a zlib stream, with the complete decoder state: one block of memory, so that a copy of it is a
 * snapshot. Positions within the block are stored as offsets.
 */
import { allocate } from '../../../../wasm/assembly/memory';

/**
 * Copies the next bytes of a cursor's stream to `to`; the compressed data stay with the host.
 * @param id the cursor's number, in order of allocation
 * @returns their number: at least one and at most `length`, or 0 at the end
 */
declare function readData(id: i32, to: usize, length: i32): i32;

/** Moves cursor `to` to the position of cursor `from`; if both are the same, moves it to the beginning. */
export declare function forkData(from: i32, to: i32): void;

/** Maximum distance of a match (RFC 1951 §2). */
export const historyBytes: usize = 32768;
/** Compressed bytes that are read ahead, and zeros after the last ones, for wide loads. */
const inputBytes: usize = 16384;
const tailBytes: usize = 32;
/** Inflated bytes: the history, and as many new ones. */
export const windowBytes: usize = 2 * historyBytes;
/** Maximum bytes written beyond the window: a match of 258 bytes, in steps of 16, and whatever precedes it. */
const slackBytes: usize = 320;

/** Bits of the first lookup in a table. */
export const literalRootBits: i32 = 11;
export const distanceRootBits: i32 = 9;
/**
 * Entries of 4 bytes: those of the root and, for longer codes, a table of all their further bits for each prefix. At
 * least two codes share a prefix, so there are at most half as many tables as symbols.
 */
const literalEntries: usize = 2048 + 144 * 16;
const distanceEntries: usize = 512 + 16 * 64;

/** Fields of the state, as offsets. */
export const idAt: usize = 0;
export const statusAt: usize = 4;
/** The next input byte that is not in `bits`, and the end of the input. */
export const nextAt: usize = 8;
export const endAt: usize = 12;
/** Bits read ahead, the next one lowest, and their number. */
export const bitsAt: usize = 16;
export const countAt: usize = 24;
/** Whether the input contains the last byte of the data. */
export const isExhaustedAt: usize = 28;
/** End of the inflated bytes, and of those that have been returned. */
export const outAt: usize = 32;
export const givenAt: usize = 36;
/** `noBlock`, `storedBlock` or `codedBlock`. */
export const blockAt: usize = 40;
export const isLastAt: usize = 44;
/** Remaining bytes of a stored block. */
export const storedAt: usize = 48;
/** Adler-32 of the inflated bytes. */
export const adlerAt: usize = 52;
/** Number of entries of a table's first lookup, minus 1. */
export const literalMaskAt: usize = 56;
export const distanceMaskAt: usize = 60;
/** Whether the current block has the fixed codes. */
export const isFixedAt: usize = 64;
/** What further blocks may cost (`takeCredit`). */
export const creditAt: usize = 68;
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

/** @returns a new cursor, not open yet, or 0 if memory runs out */
export function allocateCursor(): usize {
  const cursor = allocate(cursorBytes);
  if (cursor === 0) return 0;
  store<i32>(cursor, cursors, idAt);
  cursors += 1;
  return cursor;
}

/** Moves cursor `to` to the position of `from`. */
export function copyCursor(from: usize, to: usize): void {
  const id = load<i32>(to, idAt);
  memory.copy(to, from, cursorBytes);
  store<i32>(to, id, idAt);
  forkData(load<i32>(from, idAt), id);
}

// Access to bits outside the loop that decodes symbols, the lowest of each byte first (RFC 1951 §3.1.1).

/** Compressed bytes that must be available before a symbol is decoded, except at the end of the data. */
export const lookahead: i32 = 16;

/** Makes `lookahead` bytes available, if there are as many. */
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
  addCredit(cursor, filled - rest);
  store<i32>(cursor, <i32>inputStart, nextAt);
  store<i32>(cursor, <i32>inputStart + filled, endAt);
}

// Blocks take time however few bytes they have or inflate to: building the tables of one takes as long as inflating
// some kilobytes. So each takes credit, which grows with the bytes that are read and inflated. That leaves room for the
// shortest blocks of encoders, such as rows of a few pixels that are flushed one by one, and bounds the time per byte.

/** Credit for the first blocks. */
export const initialCredit: i32 = 1 << 14;
/**
 * Credit for a block, in bytes: of any type; further, with codes of its own; and for two symbols of these, each of which
 * should occur at least once.
 */
export const blockCost: i32 = 2;
export const codesCost: i32 = 30;
export const symbolsCostShift: i32 = 1;
/** log2 of the inflated bytes that count as much as one that is read. */
export const inflatedCreditShift: i32 = 6;

/** Gives credit for this many bytes that were read. */
export function addCredit(cursor: usize, bytes: i32): void {
  store<i32>(cursor, load<i32>(cursor, creditAt) + bytes, creditAt);
}

/** Takes the credit for a block; returns `sound` or `excessive`. */
export function takeCredit(cursor: usize, cost: i32): i32 {
  const left = load<i32>(cursor, creditAt) - cost;
  store<i32>(cursor, left, creditAt);
  return left < 0 ? excessive : sound;
}

/** Returns the next bits, 16 at most, without consuming them; after the data they are zeros. */
export function peekBits(cursor: usize, number: i32): i32 {
  if (load<i32>(cursor, countAt) < number) readAhead(cursor);
  return <i32>(load<u64>(cursor, bitsAt) & (((<u64>1) << number) - 1));
}

/** Consumes bits that have been peeked at. */
export function dropBits(cursor: usize, number: i32): void {
  store<u64>(cursor, load<u64>(cursor, bitsAt) >> number, bitsAt);
  store<i32>(cursor, load<i32>(cursor, countAt) - number, countAt);
}

/** Consumes the next bits, 16 at most, and returns them as a number. */
export function takeBits(cursor: usize, number: i32): i32 {
  const value = peekBits(cursor, number);
  dropBits(cursor, number);
  return value;
}

/** Moves to the next whole byte, without any bits read ahead. */
export function alignToByte(cursor: usize): void {
  const unread = load<i32>(cursor, countAt) >> 3;
  store<i32>(cursor, load<i32>(cursor, nextAt) - unread, nextAt);
  store<u64>(cursor, 0, bitsAt);
  store<i32>(cursor, 0, countAt);
}

/** Whether more bits have been consumed than the data have. */
export function isOverrun(cursor: usize): bool {
  const unread = load<i32>(cursor, countAt) >> 3;
  return load<i32>(cursor, nextAt) - unread > load<i32>(cursor, endAt);
}

/** Reads ahead until 56 bits are available; after the data they are zeros. */
export function readAhead(cursor: usize): void {
  provideInput(cursor);
  const next = load<i32>(cursor, nextAt);
  const count = load<i32>(cursor, countAt);
  // Beyond the padding after the data, it does not matter what is read.
  if (next <= load<i32>(cursor, endAt) + 24) {
    const word = load<u64>(cursor + next);
    store<u64>(cursor, load<u64>(cursor, bitsAt) | (word << count), bitsAt);
  }
  store<i32>(cursor, next + ((63 - count) >> 3), nextAt);
  store<i32>(cursor, count | 56, countAt);
}

// Status of reading; anything but `sound` means that the data are damaged.

export const sound: i32 = 0;
/** The compressed data end before their stream does. */
export const truncated: i32 = 1;
/** The data do not begin with a zlib header, or require a dictionary. */
export const badHeader: i32 = 2;
/** A block of an unknown type, or a stored block with a damaged length. */
export const badBlock: i32 = 3;
/** The code lengths of a block do not form valid prefix codes. */
export const badCode: i32 = 4;
/** Bits without a symbol, or a length or distance that does not exist. */
export const badSymbol: i32 = 5;
/** A match that begins before the first byte. */
export const badDistance: i32 = 6;
/** The stream holds fewer bytes than requested. */
export const missing: i32 = 7;
/** The stream holds more bytes than requested. */
export const surplus: i32 = 8;
/** The Adler-32 does not match the bytes. */
export const badChecksum: i32 = 9;
/** A row has a filter that does not exist. */
export const badFilter: i32 = 10;
/** There are far more blocks than any encoder writes; nothing else is known to be wrong. */
export const excessive: i32 = 11;
