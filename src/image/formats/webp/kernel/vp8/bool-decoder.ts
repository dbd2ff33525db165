/**
 * The boolean entropy decoder (RFC 6386 §7) for up to nine partitions, which can be switched.
 *
 * The next bits are the most significant ones of a 64-bit word; eight of them are compared with the split of the range.
 * The range is normalized to 128 … 255 before a bit is read, not after. So only bits that were needed are consumed, and
 * a partition that is truncated by a single byte is detected.
 */
import { openWindow, slideWindow, windowEnd } from '../file-window';

/** Bits of the partition, most significant first. */
export let value: u64 = 0;
/** Number of bits in `value`. */
export let held: i32 = 0;
/** Width of the interval, 1 to 255. */
export let range: u32 = 255;
/** Total number of zero bits appended after the end of the partition. */
let paddingBits: i32 = 0;
/**
 * Mask for the bits of the partition: all ones, or 0 if the first byte is 255, with which no encoder begins. In that
 * case the value exceeds the range, and all bits decode as true; masking further bits keeps the value exactly at the
 * end of the range.
 */
let mask: u64 = 0;
/** Next byte, and the end of the bytes in the window. */
let next: usize = 0;
let end: usize = 0;
let window: i32 = 0;

const stateBytes: usize = 32;
const states: usize = memory.data(9 * stateBytes, 8);

/** Starts the partition from `start` to `stop` in the file, with window `i`, 0 to 8. */
export function openPartition(i: i32, start: u32, stop: u32): void {
  window = i;
  next = openWindow(i, start, stop);
  end = windowEnd(i);
  const isBeyond = next < end && load<u8>(next) === 255;
  mask = isBeyond ? 0 : ~(<u64>0);
  value = isBeyond ? (<u64>255) << 56 : 0;
  held = 0;
  range = 255;
  paddingBits = 0;
  fill();
}

/** Saves the state of the partition until it is entered again. */
export function leavePartition(): void {
  const state = states + stateBytes * window;
  store<u64>(state, value, 0);
  store<i32>(state, held, 8);
  store<u32>(state, range, 12);
  store<i32>(state, paddingBits, 16);
  store<usize>(state, next, 20);
  store<u64>(state, mask, 24);
}

/** Continues with partition `i`. */
export function enterPartition(i: i32): void {
  const state = states + stateBytes * i;
  window = i;
  value = load<u64>(state, 0);
  held = load<i32>(state, 8);
  range = load<u32>(state, 12);
  paddingBits = load<i32>(state, 16);
  next = load<usize>(state, 20);
  mask = load<u64>(state, 24);
  end = windowEnd(i);
}

/** Whether the last bit needed a byte after the end of the partition. */
export function isOverrun(): bool {
  return held - paddingBits < 8;
}

/** Stores the state that a hot loop has kept in local variables. */
export function setState(newValue: u64, newHeld: i32, newRange: u32): void {
  value = newValue;
  held = newHeld;
  range = newRange;
}

/** Reads ahead until at least 48 bits are held; zeros after the end. */
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
      paddingBits += 8;
    }
    held += 8;
  }
}

/* The steps of reading a bit, for loops that keep the state in local variables. */

/** Number of bits by which the range has to be shifted to reach 128 or more. */
export function shiftOf(narrowed: u32): i32 {
  return clz<u32>(narrowed) - 24;
}

/** The part of a normalized range that means false. */
export function splitOf(scaled: u32, probability: u32): u32 {
  return 1 + (((scaled - 1) * probability) >> 8);
}

/** Reads a bit whose probability of being false is given in 256ths. */
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

/** Reads a bit with a probability of one half. */
export function readFlag(): bool {
  return readBit(128);
}

/** Reads a number with this many bits, most significant first. */
export function readNumber(bits: i32): i32 {
  let number = 0;
  for (let i = 0; i < bits; i += 1) number = (number << 1) | <i32>readFlag();
  return number;
}

/** Reads a number with this many bits, followed by its sign. */
export function readSigned(bits: i32): i32 {
  const magnitude = readNumber(bits);
  return readFlag() ? -magnitude : magnitude;
}

/** Reads a flag and, if it is set, a signed number; else returns 0. */
export function readOptional(bits: i32): i32 {
  return readFlag() ? readSigned(bits) : 0;
}
