/**
 * The boolean entropy decoder (RFC 6386 §7), over up to nine partitions in turns.
 *
 * The next bits stand at the top of a word of 64, of which eight are compared with the split of the range.
 * The range is brought back to 128 … 255 before a bit is read, not after: so the bits that are used up are
 * those that the bits read so far have needed, and a partition that is too short by a single byte shows.
 */
import { openWindow, slideWindow, windowEnd } from '../file-window';

/** Bits of the partition, the first in the highest place. */
export let value: u64 = 0;
/** How many of them have been read ahead. */
export let held: i32 = 0;
/** Width of the interval, 1 to 255. */
export let range: u32 = 255;
/** How many bits were made up, since the partition had ended. */
let invented: i32 = 0;
/**
 * 0 where the first byte is 255, which nothing that was coded begins with, otherwise all bits set: the bits of
 * the partition that count. Its value is beyond the range then and stays there, so that all is true; without
 * the bits that follow, it stands at the range's very end.
 */
let mask: u64 = 0;
/** Next byte, and the end of those in the window. */
let next: usize = 0;
let end: usize = 0;
let window: i32 = 0;

const stateBytes: usize = 32;
const states: usize = memory.data(9 * stateBytes, 8);

/** Begins with the partition from `start` up to `stop` of the file, whose window is `i`, 0 to 8. */
export function openPartition(i: i32, start: u32, stop: u32): void {
  window = i;
  next = openWindow(i, start, stop);
  end = windowEnd(i);
  const isBeyond = next < end && load<u8>(next) === 255;
  mask = isBeyond ? 0 : ~(<u64>0);
  value = isBeyond ? (<u64>255) << 56 : 0;
  held = 0;
  range = 255;
  invented = 0;
  fill();
}

/** Puts aside where the partition stands, until it is entered again. */
export function leavePartition(): void {
  const state = states + stateBytes * window;
  store<u64>(state, value, 0);
  store<i32>(state, held, 8);
  store<u32>(state, range, 12);
  store<i32>(state, invented, 16);
  store<usize>(state, next, 20);
  store<u64>(state, mask, 24);
}

/** Goes on with partition `i`. */
export function enterPartition(i: i32): void {
  const state = states + stateBytes * i;
  window = i;
  value = load<u64>(state, 0);
  held = load<i32>(state, 8);
  range = load<u32>(state, 12);
  invented = load<i32>(state, 16);
  next = load<usize>(state, 20);
  mask = load<u64>(state, 24);
  end = windowEnd(i);
}

/** Whether the last bit took a byte that the partition does not have. */
export function isOverrun(): bool {
  return held - invented < 8;
}

/** Writes the state back that a hot loop has kept in locals. */
export function setState(newValue: u64, newHeld: i32, newRange: u32): void {
  value = newValue;
  held = newHeld;
  range = newRange;
}

/** Reads ahead until 48 bits or more are held; zeros behind the end. */
export function fill(): void {
  if (next + 8 > end) {
    fillSlowly();
    return;
  }
  value |= (bswap<u64>(load<u64>(next)) & mask) >> held;
  next += (63 - held) >> 3;
  held |= 56;
}

function fillSlowly(): void {
  next = slideWindow(window, next);
  end = windowEnd(window);
  while (held <= 48) {
    if (next < end) {
      value |= (<u64>load<u8>(next) & mask) << (56 - held);
      next += 1;
    } else {
      invented += 8;
    }
    held += 8;
  }
}

/* The steps of reading a bit, for loops that keep the state in locals. */

/** Bits by which the range has to be shifted to be 128 or more. */
export function shiftOf(narrowed: u32): i32 {
  return clz<u32>(narrowed) - 24;
}

/** The part of a range of 128 or more that means false. */
export function splitOf(scaled: u32, probability: u32): u32 {
  return 1 + (((scaled - 1) * probability) >> 8);
}

/** Reads a bit that is false with a probability in 256ths. */
export function readBit(probability: u32): bool {
  const shift = shiftOf(range);
  const scaled = range << shift;
  value <<= shift;
  held -= shift;
  if (held < 8) fill();
  const split = splitOf(scaled, probability);
  const limit = (<u64>split) << 56;
  if (value < limit) {
    range = split;
    return false;
  }
  range = scaled - split;
  value -= limit;
  return true;
}

/** Reads a bit that is as often true as false. */
export function readFlag(): bool {
  return readBit(128);
}

/** Reads a number of so many bits, the highest first. */
export function readNumber(bits: i32): i32 {
  let number = 0;
  for (let i = 0; i < bits; i += 1) number = (number << 1) | <i32>readFlag();
  return number;
}

/** Reads a number of so many bits and its sign. */
export function readSigned(bits: i32): i32 {
  const magnitude = readNumber(bits);
  return readFlag() ? -magnitude : magnitude;
}

/** Reads a number with its sign where a flag says that there is one; else 0. */
export function readOptional(bits: i32): i32 {
  return readFlag() ? readSigned(bits) : 0;
}
