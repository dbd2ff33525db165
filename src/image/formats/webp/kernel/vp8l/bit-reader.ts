/**
 * Bits of a VP8L stream, the lowest of each byte first (RFC 9649 §3.1). Behind the end of the data they are
 * zeros, and it is noticed afterwards that they were used.
 */
import { allocate } from '../../../../wasm/assembly/memory';
import { allocateWindow, losslessWindow, openWindow, slideWindow, windowEnd } from '../file-window';
import { sound, truncated } from './status';

/**
 * What a symbol takes at most, in bytes: four codes of 15 bits, or two of them with 10 and 18 bits
 * after them (RFC 9649 §5.2).
 */
export const symbolBytes: u32 = 8;
/** Symbols that can be decoded after `provide`, at least. */
const providedSymbols: u32 = 128;
/** What a wide load reads, and bytes that have been taken into `bits`. */
export const loadBytes: u32 = 16;
const providedBytes: usize = symbolBytes * providedSymbols + loadBytes;

/** The last bytes of the data, and zeros behind them. */
let tail: usize = 0;
const tailBytes: usize = 3 * providedBytes;

/** libwebp always has eight bytes in its first window, zeros where the data are shorter. */
const leastBytes: usize = 8;

/** Next byte to be taken into `bits`. */
export let next: usize = 0;
/** Behind the last byte that may be taken. */
export let end: usize = 0;
/** Bits that have been read ahead, the next one lowest. What is above `count` of them does not count. */
export let bits: u64 = 0;
export let count: i32 = 0;

/** First byte of the stream in the file, and behind its last. */
let streamStart: u32 = 0;
let streamStop: u32 = 0;
/** The address that the stream's first byte would have, were all of it in memory. */
let origin: usize = 0;
/** What is read lies in `tail`. */
export let isTail: bool = false;
/** Bytes of the stream; known in the tail. */
let streamBytes: usize = 0;
/** Even the zeros behind the data have been used up. */
let isSpent: bool = false;

/** @returns false if there is no room */
export function allocateBits(): bool {
  tail = allocate(tailBytes);
  return tail !== 0 && allocateWindow(losslessWindow);
}

/** Goes to the first bit of the stream that lies in the file from `start` up to `stop`. */
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
  isSpent = false;
  provide();
  takeBits(<u32>position & 7);
}

/** How many bits of the stream have been taken. */
export function bitPosition(): u64 {
  return ((<u64>(next - origin)) << 3) - count;
}

/** Whether bits were taken that the data do not have. */
export function isOverrun(): bool {
  if (!isTail) return false;
  return isSpent || bitPosition() > (<u64>max(streamBytes, leastBytes)) << 3;
}

/**
 * Sees to it that the bytes of `providedSymbols` lie ahead.
 * @returns a status
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
    // so far behind the data there is nothing but zeros
    isSpent = true;
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

/** Writes the reader's state back that a hot loop has kept in locals. */
export function setBits(newNext: usize, newBits: u64, newCount: i32): void {
  next = newNext;
  bits = newBits;
  count = newCount;
}

/** The next bits, 32 at most, without taking them. */
export function peekBits(): u32 {
  if (count < 32) {
    if (end - next < providedBytes) provide();
    bits |= load<u64>(next) << count;
    next += (63 - count) >> 3;
    count |= 56;
  }
  return <u32>bits;
}

/** Takes bits that have been looked at. */
export function dropBits(number: i32): void {
  bits >>= number;
  count -= number;
}

/** The next bits, 24 at most, as a number. */
export function takeBits(number: i32): u32 {
  const value = peekBits() & ((1 << number) - 1);
  dropBits(number);
  return value;
}
