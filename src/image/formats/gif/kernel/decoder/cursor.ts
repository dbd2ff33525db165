/**
 * A read position in the LZW data of a picture, with the complete decoder state: one block of memory, so that a copy of
 * it is a snapshot. Positions within the block are stored as offsets.
 */
import { allocate } from '../../../../wasm/assembly/memory';

/**
 * Copies the next bytes of a cursor's data to `to`; the file stays with the host.
 * @param id the cursor's number, in order of allocation
 * @returns their number: at least one and at most `length`, or 0 at the end
 */
declare function readData(id: i32, to: usize, length: i32): i32;

/** Moves cursor `to` to the position of cursor `from`; if both are the same, moves it to the beginning. */
export declare function forkData(from: i32, to: i32): void;

/** Codes have 12 bits at most (GIF89a appendix F). */
export const codeCount: usize = 4096;

/** Fields of the state, as offsets. */
export const idAt: usize = 0;
export const statusAt: usize = 4;
/** The next input byte that is not in `bits`, and the end of the input. */
export const nextAt: usize = 8;
export const endAt: usize = 12;
/** Bits read ahead, the next one lowest, and their number. */
export const bitsAt: usize = 16;
export const countAt: usize = 24;
/** Nothing follows: the data or the codes have ended. */
export const isOverAt: usize = 28;
/** Bits of the next code. */
export const widthAt: usize = 32;
/** The code of the next table entry. */
export const freeAt: usize = 36;
/** The previous code; -1 after a clear code. */
export const previousAt: usize = 40;
/** End of the decoded indices, and of those that have been returned. */
export const outAt: usize = 44;
export const givenAt: usize = 48;
const stateBytes: usize = 64;

/**
 * The code table: for each code, the length of its string minus 1, its last up to 8 indices, and the code of the prefix
 * before those, so that strings are written 8 indices at a time. The last part has `(length - 1) % 8 + 1` indices.
 */
export const lengthTable: usize = stateBytes;
export const prefixTable: usize = lengthTable + 2 * codeCount;
export const suffixTable: usize = prefixTable + 2 * codeCount;
/** First index of each string. */
export const firstTable: usize = suffixTable + 8 * codeCount;
const inputStart: usize = firstTable + codeCount;
const inputBytes: usize = 4096;
/** Padding after the input, for wide loads. */
const tailBytes: usize = 16;
export const outStart: usize = inputStart + inputBytes + tailBytes;

/** Maximum number of indices in a string, plus the excess of writing 8 at a time. */
const stringBytes: usize = codeCount + 8;

/** Bytes of buffered indices besides the row that is returned. */
const slackBytes: usize = 4 * stringBytes;

let cursors: i32 = 0;
let outBytes: usize = 0;
let cursorBytes: usize = 0;

/** Removes all cursors, and sets the number of indices in a row. */
export function beginCursors(width: i32): void {
  cursors = 0;
  outBytes = <usize>width + slackBytes;
  cursorBytes = outStart + outBytes;
}

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

/**
 * Makes room for `count` indices and one more string after the indices not yet returned; returned ones may be dropped.
 */
export function provideOutput(cursor: usize, count: usize): void {
  const out = load<u32>(cursor, outAt);
  const given = load<u32>(cursor, givenAt);
  if (given + count + stringBytes <= outStart + outBytes) return;
  memory.copy(cursor + outStart, cursor + given, out - given);
  store<u32>(cursor, outStart, givenAt);
  store<u32>(cursor, outStart + (out - given), outAt);
}

/** Appends more data to the remaining input; false if no input is left at all. */
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
