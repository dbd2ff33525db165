/**
 * A place in a zlib stream, with all that it takes to go on from there: one
 * block of memory, so that a copy of it is a snapshot. Places within the block
 * are kept as offsets.
 */
import { allocate } from '../../../shared/assembly/memory';
import { forkData } from './data-input';

/** How far back a match may reach (RFC 1951 §2). */
export const historyBytes: usize = 32768;
/**
 * Compressed bytes that are kept ahead, and the zeros behind the last ones, which wide loads may
 * reach.
 */
export const inputBytes: usize = 16384;
export const tailBytes: usize = 32;
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
