/** The zlib stream as it is written: bits from the lowest place up (RFC 1951 §3.1.1). */
import { allocate, room } from '../../../../wasm/assembly/memory';

let start: usize = 0;
/** Behind the last whole byte that has been written. */
let next: usize = 0;
/** Behind the last byte that the stream may have. */
let end: usize = 0;
let isFull: bool = false;
/** Bits that are not written yet, fewer than 32 between calls. */
let waiting: u64 = 0;
let waitingBits: i32 = 0;

/** Bytes behind the end that a store of a word may reach. */
const slack: usize = 8;

/**
 * Begins a stream of at most `maxBytes` bytes, or of as many as there is room for,
 * behind all that is allocated.
 * @returns false where there is no room at all
 */
export function beginOutput(maxBytes: u32): bool {
  const space = room();
  if (space <= slack) return false;
  const bytes = min(<usize>maxBytes, space - slack);
  start = allocate(bytes + slack);
  next = start;
  end = start + bytes;
  isFull = false;
  waiting = 0;
  waitingBits = 0;
  return start !== 0;
}

export function outputAt(): usize {
  return start;
}

/** Whole bytes that have been written. */
export function outputLength(): i32 {
  return <i32>(next - start);
}

/** Whether the stream has outgrown what it may have; what is put then goes nowhere. */
export function outputIsFull(): bool {
  return isFull;
}

/** Puts at most 32 bits; those of `bits` above them are zeros. */
export function putBits(bits: u32, count: i32): void {
  waiting |= (<u64>bits) << waitingBits;
  waitingBits += count;
  if (waitingBits < 32) return;
  if (next + 4 > end) {
    storeLast();
    return;
  }
  store<u32>(next, <u32>waiting);
  next += 4;
  waiting >>= 32;
  waitingBits -= 32;
}

/** Fills up the byte that was begun with zeros, and writes what waits. */
export function alignOutput(): void {
  waitingBits = (waitingBits + 7) & ~7;
  storeLast();
}

/** Writes the whole bytes that wait one by one, since the end may be near. */
function storeLast(): void {
  for (; waitingBits >= 8; waitingBits -= 8) {
    if (next < end) {
      store<u8>(next, <u8>waiting);
      next += 1;
    } else {
      isFull = true;
    }
    waiting >>= 8;
  }
}
