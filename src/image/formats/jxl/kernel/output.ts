/** Writer of the codestream: bits from least to most significant, in byte-aligned sections (ISO/IEC 18181-1 §C.3). */
import { extendTo, reach, room, taken } from '../../../wasm/assembly/memory';

let start: usize = 0;
/** End of the written bytes. */
let next: usize = 0;
/** Maximum end of the result. */
let end: usize = 0;
let isFull: bool = false;

/** Bits that are not written yet, the first one least significant; zeros above. */
let waiting: u64 = 0;
let waitingCount: i32 = 0;

/**
 * Begins a result of at most `maxBytes` bytes after all allocated memory. Nothing may be allocated until it has been
 * read.
 * @returns false if there is no memory
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

/** Pointer to the result. */
export function codestreamAt(): usize {
  return start;
}

/** Number of whole bytes written. */
export function codestreamLength(): u32 {
  return <u32>(next - start);
}

/** Number of bits written after the last whole byte. */
export function looseBits(): i32 {
  return waitingCount;
}

/** Whether the result has exceeded its maximum length, so that writing more is useless. */
export function codestreamIsFull(): bool {
  return isFull;
}

/** Writes the lowest `count` bits of a value, at most 32; higher bits must be zero. */
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

/** Writes the 32-bit words from `from` to `to`. */
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

/** Ends a section: pads its last byte with zeros. */
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

/** Ensures room for the next bytes; returns false if they do not fit, and all further output is dropped. */
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
