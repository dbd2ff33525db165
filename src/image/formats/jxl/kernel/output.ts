/** The codestream: bits from the lowest of each byte on, in sections that end at whole bytes (ISO/IEC 18181-1 §C.3). */
import { extendTo, reach, room, taken } from '../../../wasm/assembly/memory';

let start: usize = 0;
/** Behind the last byte that has been written. */
let next: usize = 0;
/** Behind the last byte that the result may have. */
let end: usize = 0;
let isFull: bool = false;

/** Bits that are not written yet, the first one in the lowest place; zeros above them. */
let waiting: u64 = 0;
let waitingCount: i32 = 0;

/**
 * Begins a result of at most `maxBytes` bytes behind all that is allocated. Nothing may be allocated until it has been
 * taken.
 * @returns false if there is no room at all
 */
export function beginCodestream(maxBytes: u32): bool {
  start = taken();
  next = start;
  end = start + min(<usize>maxBytes, room());
  isFull = false;
  waiting = 0;
  waitingCount = 0;
  return end > start;
}

/** Where the result begins. */
export function codestreamAt(): usize {
  return start;
}

/** Whole bytes that have been written. */
export function codestreamLength(): u32 {
  return <u32>(next - start);
}

/** Bits that have been written behind the last whole byte. */
export function looseBits(): i32 {
  return waitingCount;
}

/** Whether the result would not fit, so that more of it is no use. */
export function codestreamIsFull(): bool {
  return isFull;
}

/** Writes the lowest `count` bits of a value, at most 32; those above them are zeros. */
export function putBits(value: u32, count: i32): void {
  waiting |= (<u64>value) << waitingCount;
  waitingCount += count;
  if (waitingCount < 32) return;
  if (!hasRoom(4)) return;
  store<u32>(next, <u32>waiting);
  next += 4;
  waiting >>= 32;
  waitingCount -= 32;
}

/** Writes whole words, the first at `from`. */
export function putWords(from: usize, to: usize): void {
  if (!hasRoom(to - from)) return;
  let at = next;
  let held = waiting;
  const count = waitingCount;
  for (; from < to; from += 4) {
    held |= (<u64>load<u32>(from)) << count;
    store<u32>(at, <u32>held);
    at += 4;
    held >>= 32;
  }
  next = at;
  waiting = held;
}

/** Ends a section: fills its last byte with zeros. */
export function endSection(): void {
  const bytes: usize = (waitingCount + 7) >> 3;
  if (!hasRoom(bytes)) return;
  for (let i: usize = 0; i < bytes; i += 1) {
    store<u8>(next + i, <u8>(waiting >> (i << 3)));
  }
  next += bytes;
  waiting = 0;
  waitingCount = 0;
}

/** Makes sure that so many bytes fit, which are written next; what does not fit is dropped. */
function hasRoom(bytes: usize): bool {
  if (isFull || bytes > end - next || !extendTo(next + bytes)) {
    isFull = true;
    waiting = 0;
    waitingCount = 0;
    return false;
  }
  reach(next + bytes);
  return true;
}
