/**
 * Reads bits of a VP8L stream, least significant first (RFC 9649 §3.1). After the end of the data, zeros are read; that
 * this happened is detected afterwards.
 */
import { allocate } from '../../../../wasm/assembly/memory';
import { allocateWindow, losslessWindow, openWindow, slideWindow, windowEnd } from '../file-window';
import { sound, truncated } from './status';

/**
 * Maximum bytes of a symbol: four codes of 15 bits, or two of them with 10 and 18 extra bits (RFC 9649 §5.2).
 */
export const symbolBytes: u32 = 8;
/** Minimum number of symbols that can be decoded after `provide`. */
const providedSymbols: u32 = 128;
/** Bytes of a wide load, and of `bits`. */
export const loadBytes: u32 = 16;
const providedBytes: usize = symbolBytes * providedSymbols + loadBytes;

/** Buffer with the last bytes of the data, followed by zeros. */
let tail: usize = 0;
const tailBytes: usize = 3 * providedBytes;

/** Minimum length of the data, which is padded with zeros like libwebp's first window. */
const minBytes: usize = 8;

/** Next byte to read into `bits`. */
export let next: usize = 0;
/** End of the bytes that may be read. */
export let end: usize = 0;
/** Bits read ahead, the next one least significant; bits above the first `count` are undefined. */
export let bits: u64 = 0;
export let count: i32 = 0;

/** Start and end of the stream in the file. */
let streamStart: u32 = 0;
let streamStop: u32 = 0;
/** Address that the first byte would have if the whole stream were in memory. */
let origin: usize = 0;
/** Whether reading has reached `tail`. */
export let isTail: bool = false;
/** Length of the stream in bytes; known in the tail. */
let streamBytes: usize = 0;
/** Whether the zeros after the data have been used up, too. */
let isExhausted: bool = false;

/** @returns false if there is no memory */
export function allocateBits(): bool {
  tail = allocate(tailBytes);
  return tail !== 0 && allocateWindow(losslessWindow);
}

/** Goes to the first bit of the stream from `start` to `stop` in the file. */
export function openBits(start: u32, stop: u32): void {
  streamStart = start;
  streamStop = stop;
  seekBit(0);
}

/** Goes to bit `position` of the stream. */
export function seekBit(position: u64): void {
  const byte = <u32>(position >> 3);
  next = openWindow(losslessWindow, streamStart + byte, streamStop);
  origin = next - byte;
  end = windowEnd(losslessWindow);
  bits = 0;
  count = 0;
  isTail = false;
  isExhausted = false;
  provide();
  takeBits(<u32>position & 7);
}

/** Number of bits of the stream that have been read. */
export function bitPosition(): u64 {
  return ((<u64>(next - origin)) << 3) - count;
}

/** Whether bits after the end of the data were read. */
export function isOverrun(): bool {
  if (!isTail) return false;
  return isExhausted || bitPosition() > (<u64>max(streamBytes, minBytes)) << 3;
}

/**
 * Ensures that the bytes of `providedSymbols` are available.
 * @returns a status of status.ts
 */
export function provide(): i32 {
  if (end - next >= providedBytes) return sound;
  if (!isTail) {
    const at = slideWindow(losslessWindow, next);
    origin += at - next;
    next = at;
    end = windowEnd(losslessWindow);
    if (end - next >= providedBytes) return sound;
    enterTail();
  } else {
    // This far after the data, there are only zeros.
    isExhausted = true;
    next = end - providedBytes;
  }
  return isOverrun() ? truncated : sound;
}

function enterTail(): void {
  const rest = end - next;
  streamBytes = end - origin;
  memory.copy(tail, next, rest);
  memory.fill(tail + rest, 0, tailBytes - rest);
  origin += tail - next;
  next = tail;
  end = tail + tailBytes;
  isTail = true;
}

/** Stores the state that a hot loop has kept in local variables. */
export function setBits(newNext: usize, newBits: u64, newCount: i32): void {
  next = newNext;
  bits = newBits;
  count = newCount;
}

/** Returns the next bits, at most 32, without consuming them. */
export function peekBits(): u32 {
  if (count < 32) {
    if (end - next < providedBytes) provide();
    bits |= load<u64>(next) << count;
    next += (63 - count) >> 3;
    count |= 56;
  }
  return <u32>bits;
}

/** Consumes bits. */
export function dropBits(number: i32): void {
  bits >>= number;
  count -= number;
}

/** Reads a number with at most 24 bits. */
export function takeBits(number: i32): u32 {
  const value = peekBits() & ((1 << number) - 1);
  dropBits(number);
  return value;
}
