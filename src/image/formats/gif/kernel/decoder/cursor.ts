/**
 * A place in the LZW data of a picture, with all that it takes to go on from there: one block of memory, so that a copy
 * of it is a snapshot. Places within the block are kept as offsets.
 */
import { allocate } from '../../../../wasm/assembly/memory';

/**
 * Copies the next bytes of a cursor's data to `to`; the file stays with the host.
 * @param id the cursor's number, in the order in which cursors were allocated
 * @returns how many there were: at least one and at most `length`, and 0 behind the last
 */
export declare function readData(id: i32, to: usize, length: i32): i32;

/** Lets cursor `to` go on where cursor `from` is; with both the same number, begins anew. */
export declare function forkData(from: i32, to: i32): void;

/** Codes have 12 bits at most (GIF89a appendix F). */
export const codeCount: usize = 4096;

/** Fields of the state, as offsets. */
export const idAt: usize = 0;
export const statusAt: usize = 4;
/** The next byte of the input that is not among `bits`, and the end of the input. */
export const nextAt: usize = 8;
export const endAt: usize = 12;
/** Bits read ahead, the next one lowest, and how many of them count. */
export const bitsAt: usize = 16;
export const countAt: usize = 24;
/** Nothing follows: the data, or their codes, are over. */
export const isOverAt: usize = 28;
/** Bits of the next code. */
export const widthAt: usize = 32;
/** The code that the next entry of the table gets. */
export const freeAt: usize = 36;
/** The code before; -1 behind a clear code. */
export const previousAt: usize = 40;
/** End of the indices, and of those that have been given out. */
export const outAt: usize = 44;
export const givenAt: usize = 48;
const stateBytes: usize = 64;

/**
 * The table: of each code, its string's length less 1, the last up to 8 of its indices, and the code of the string before
 * those, so that strings are written by 8 at once. The last part has `(length - 1) % 8 + 1` indices.
 */
export const lengthTable: usize = stateBytes;
export const prefixTable: usize = lengthTable + 2 * codeCount;
export const suffixTable: usize = prefixTable + 2 * codeCount;
/** First indices of all strings. */
export const firstTable: usize = suffixTable + 8 * codeCount;
export const inputStart: usize = firstTable + codeCount;
export const inputBytes: usize = 4096;
/** Behind the input, which wide loads may reach. */
const tailBytes: usize = 16;
export const outStart: usize = inputStart + inputBytes + tailBytes;

/** A string's indices, at most, and what is written beyond them by 8 at once. */
const stringBytes: usize = codeCount + 8;

/** Bytes of all indices that are held beside the row that is given out. */
const slackBytes: usize = 4 * stringBytes;

let cursors: i32 = 0;
let outBytes: usize = 0;
let cursorBytes: usize = 0;

/** Begins with no cursors, for rows of so many indices. */
export function beginCursors(width: i32): void {
  cursors = 0;
  outBytes = <usize>width + slackBytes;
  cursorBytes = outStart + outBytes;
}

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

/** Makes room for `count` indices and one more string behind those that have been given out, which may go. */
export function provideOutput(cursor: usize, count: usize): void {
  const out = load<u32>(cursor, outAt);
  const given = load<u32>(cursor, givenAt);
  if (given + count + stringBytes <= outStart + outBytes) return;
  memory.copy(cursor + outStart, cursor + given, out - given);
  store<u32>(cursor, outStart, givenAt);
  store<u32>(cursor, outStart + (out - given), outAt);
}

/** Puts more data behind what is left of the input; false if nothing is left at all. */
export function provideInput(cursor: usize): bool {
  const next = load<u32>(cursor, nextAt);
  const rest = load<u32>(cursor, endAt) - next;
  const start = cursor + inputStart;
  memory.copy(start, cursor + next, rest);
  const got = readData(load<i32>(cursor, idAt), start + rest, <i32>(inputBytes - rest));
  store<u32>(cursor, inputStart, nextAt);
  store<u32>(cursor, inputStart + rest + max(got, 0), endAt);
  return rest + max(got, 0) > 0;
}
