/**
 * Strings of bits that grow in turns, the lowest bit of each byte first (RFC 9649 §3.1). They are chains of pieces:
 * of which string a bit is becomes known long before its place in the file.
 */
import { nextPiece, pieceBytes, returnPiece, takePiece } from '../pieces';

/** What comes before the codes, the codes of all bands, and the pixels of all bands. */
export const headString: i32 = 0;
export const codeString: i32 = 1;
export const pixelString: i32 = 2;
const stringCount: i32 = 3;

/**
 * Of each string that is not open: its first piece, its last, the next byte there, bits that wait and their number,
 * and how many bits lie in full pieces.
 */
const strings: usize = memory.data(32 * 3, 16);
const lastAt: usize = 4;
const nextAt: usize = 8;
const countAt: usize = 12;
const waitingAt: usize = 16;
const storedAt: usize = 24;

/** The string that is open: where it lies in `strings`, and the same as there. */
let open: usize = 0;
let last: usize = 0;
let next: usize = 0;
let waiting: u64 = 0;
let count: i32 = 0;
let stored: u64 = 0;

/** Behind the last byte of its last piece. */
let end: usize = 0;
/** There was no room for a piece: what is put then goes nowhere. */
let isFull: bool = false;

/** Begins with empty strings, the first of them open. */
export function beginStrings(): void {
  memory.fill(strings, 0, 32 * stringCount);
  isFull = false;
  open = strings;
  restore();
}

/** Opens a string, behind whose end bits are put from now on. */
export function openString(number: i32): void {
  save();
  open = strings + ((<usize>number) << 5);
  restore();
}

function save(): void {
  store<u32>(open, <u32>last, lastAt);
  store<u32>(open, <u32>next, nextAt);
  store<i32>(open, count, countAt);
  store<u64>(open, waiting, waitingAt);
  store<u64>(open, stored, storedAt);
}

function restore(): void {
  last = load<u32>(open, lastAt);
  next = load<u32>(open, nextAt);
  count = load<i32>(open, countAt);
  waiting = load<u64>(open, waitingAt);
  stored = load<u64>(open, storedAt);
  end = last + pieceBytes;
}

/** Bits of the string that is open. */
export function openBits(): u64 {
  if (last === 0) return count;
  return stored + ((<u64>(next - last)) << 3) + count;
}

/** Puts at most 32 bits; those of `bits` above them are zeros. */
export function putBits(bits: u32, number: i32): void {
  waiting |= (<u64>bits) << count;
  count += number;
  if (count >= 32) putWord();
}

function putWord(): void {
  if (last === 0 || next === end) {
    if (!extend()) {
      waiting >>= 32;
      count -= 32;
      return;
    }
  }
  store<u32>(next, <u32>waiting);
  next += 4;
  waiting >>= 32;
  count -= 32;
}

/** Takes another piece. */
function extend(): bool {
  const piece = isFull ? 0 : takePiece(last);
  if (piece === 0) {
    isFull = true;
    return false;
  }
  if (last === 0) store<u32>(open, <u32>piece);
  else stored += (<u64>pieceBytes) << 3;
  last = piece;
  next = piece;
  end = piece + pieceBytes;
  return true;
}

/** Moves all bits of another string behind the one that is open; its pieces serve again. */
export function join(number: i32): void {
  const other = strings + ((<usize>number) << 5);
  const otherLast: usize = load<u32>(other, lastAt);
  let piece: usize = load<u32>(other);
  while (piece !== 0) {
    const stop = piece === otherLast ? <usize>load<u32>(other, nextAt) : piece + pieceBytes;
    for (let at = piece; at < stop; at += 4) putBits(load<u32>(at), 32);
    const following = nextPiece(piece);
    returnPiece(piece);
    piece = following;
  }
  putBits(load<u32>(other, waitingAt), load<i32>(other, countAt));
  memory.fill(other, 0, 32);
}

/**
 * Ends the string that is open with zeros up to the next whole byte.
 * @returns its first piece, 0 where it has none for lack of room
 */
export function finishString(): usize {
  const bytes = (openBits() + 7) >> 3;
  while (count > 0) {
    count = max(count, 32);
    putWord();
  }
  finishedBytes = isFull ? 0 : bytes;
  return isFull ? 0 : <usize>load<u32>(open);
}

/** Bytes of the string that was finished. */
export let finishedBytes: u64 = 0;
