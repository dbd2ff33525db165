/**
 * Bit strings that grow alternately, least significant bit first (RFC 9649 §3.1). They are linked lists of pieces,
 * because the string of a bit is known long before its position in the file.
 */
import { nextPiece, pieceBytes, returnPiece, takePiece } from '../pieces';

/** Strings for everything before the codes, for the codes of all bands, and for the pixels of all bands. */
export const headString: i32 = 0;
export const codeString: i32 = 1;
export const pixelString: i32 = 2;
const stringCount: i32 = 3;

/**
 * State of each string that is not open: first piece, last piece, next byte, pending bits and their number, number of
 * bits in full pieces.
 */
const strings: usize = memory.data(32 * 3, 16);
const lastAt: usize = 4;
const nextAt: usize = 8;
const countAt: usize = 12;
const waitingAt: usize = 16;
const storedAt: usize = 24;

/** The open string: its address in `strings`, and its state. */
let open: usize = 0;
let last: usize = 0;
let next: usize = 0;
let waiting: u64 = 0;
let count: i32 = 0;
let stored: u64 = 0;

/** End of its last piece. */
let end: usize = 0;
/** Whether memory for a piece was lacking; further bits are discarded. */
let isFull: bool = false;

/** Starts with empty strings; the first one is open. */
export function beginStrings(): void {
  memory.fill(strings, 0, 32 * stringCount);
  isFull = false;
  open = strings;
  restore();
}

/** Opens a string for appending. */
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

/** Number of bits in the open string. */
function openBits(): u64 {
  if (last === 0) return count;
  return stored + ((<u64>(next - last)) << 3) + count;
}

/** Appends up to 32 bits; higher bits of `bits` must be zero. */
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

/** Appends a piece. */
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

/**
 * Appends the next bits of another string to the open one, at most this many pieces, which are freed.
 * @returns whether bits are left
 */
export function join(number: i32, most: i32): bool {
  const other = strings + ((<usize>number) << 5);
  const otherLast: usize = load<u32>(other, lastAt);
  let piece: usize = load<u32>(other);
  for (; piece !== 0 && most > 0; most -= 1) {
    const stop = piece === otherLast ? <usize>load<u32>(other, nextAt) : piece + pieceBytes;
    for (let at = piece; at < stop; at += 4) putBits(load<u32>(at), 32);
    const following = nextPiece(piece);
    returnPiece(piece);
    piece = following;
  }
  store<u32>(other, <u32>piece);
  if (piece !== 0) return true;
  putBits(load<u32>(other, waitingAt), load<i32>(other, countAt));
  memory.fill(other, 0, 32);
  return false;
}

/**
 * Ends the open string, padded with zeros to a whole byte.
 * @returns its first piece; 0 if memory was insufficient
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

/** Length in bytes of the finished string. */
export let finishedBytes: u64 = 0;
