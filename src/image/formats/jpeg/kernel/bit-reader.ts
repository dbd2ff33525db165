/**
 * Entropy-coded bits out of a file that stays where it is: a window of it lies
 * in the kernel's memory and moves on (ITU-T T.81 §F.2.2.5, byte stuffing §B.1.1.5).
 * Several scans can be read in turns, each with a cursor of its own.
 */
import { allocate } from '../../../wasm/assembly/memory';

/**
 * Copies bytes of the file, from `position` on, to `to`.
 * @returns how many there were, at most `length`
 */
declare function readFile(position: u32, to: usize, length: u32): u32;

/** Bytes of the file in a cursor's window. */
const windowBytes: usize = 65536;
/** Behind the end of the file: markers, so that reading stops, and room for wide loads. */
const tailBytes: usize = 32;
/**
 * More than an MCU can take without fill bytes: ten blocks of 64 codes, of 16
 * bits with 15 bits after each, all of them stuffed.
 */
export const maxMcuBytes: usize = 8192;

const cursorBytes: usize = 64;
const cursors: usize = memory.data(256);

/** The window: its first byte, the end of the file's bytes in it, and whose file position that is. */
let base: usize = 0;
let end: usize = 0;
let endPosition: u32 = 0;
let isWhole: bool = false;

/** Next byte to be read. */
export let next: usize = 0;
/** Bits that have been read ahead, the first in the highest place, zeros behind them. */
export let bits: u64 = 0;
/** How many of them there are. */
export let count: i32 = 0;
/** How many of them are made up, since the data had ended. */
export let invented: i32 = 0;
let active: usize = 0;

/** Allocates the windows of `number` cursors, 1 to 4; false if there is no room. */
export function allocateCursors(number: i32): bool {
  for (let i = 0; i < number; i += 1) {
    const window = allocate(windowBytes + tailBytes);
    if (window === 0) return false;
    store<usize>(cursors + cursorBytes * i, window, 0);
  }
  active = 0;
  return true;
}

/** Puts cursor `i` at a byte of the file, and makes it the one that is read with. */
export function openCursor(i: i32, position: u32): void {
  leaveCursor();
  active = cursors + cursorBytes * i;
  base = load<usize>(active, 0);
  end = base;
  next = base;
  endPosition = position;
  isWhole = false;
  dropBits();
  slide();
}

/** Goes on with cursor `i`. */
export function enterCursor(i: i32): void {
  const at = cursors + cursorBytes * i;
  if (at === active) return;
  leaveCursor();
  active = at;
  base = load<usize>(at, 0);
  end = load<usize>(at, 4);
  next = load<usize>(at, 8);
  endPosition = load<u32>(at, 12);
  bits = load<u64>(at, 16);
  count = load<i32>(at, 24);
  invented = load<i32>(at, 28);
  isWhole = load<bool>(at, 32);
}

function leaveCursor(): void {
  if (active === 0) return;
  store<usize>(active, end, 4);
  store<usize>(active, next, 8);
  store<u32>(active, endPosition, 12);
  store<u64>(active, bits, 16);
  store<i32>(active, count, 24);
  store<i32>(active, invented, 28);
  store<bool>(active, isWhole, 32);
}

/** Sees to it that all bytes that an MCU can take are in the window, as far as the file has them. */
export function provideMcu(): void {
  if (end - next < maxMcuBytes && !isWhole) slide();
}

/** Moves the window on, so that it begins with the next byte. */
function slide(): void {
  const rest = end - next;
  memory.copy(base, next, rest);
  next = base;
  const wanted = <u32>(windowBytes - rest);
  const got = readFile(endPosition, base + rest, wanted);
  end = base + rest + got;
  endPosition += got;
  isWhole = got < wanted;
  // a marker ends the data, where nothing else does
  for (let at: usize = 0; at < tailBytes; at += 2) store<u16>(end + at, 0xd9ff);
}

/** Writes the reader's state back that a hot loop has kept in locals. */
export function setBits(newNext: usize, newBits: u64, newCount: i32): void {
  next = newNext;
  bits = newBits;
  count = newCount;
}

/** Forgets what has been read ahead. */
export function dropBits(): void {
  bits = 0;
  count = 0;
  invented = 0;
}

/**
 * Reads ahead until there are more than 56 bits; behind a marker they are
 * zeros. As libjpeg, takes several FF followed by 00 for one byte of data.
 */
export function fill(): void {
  const word = load<u64>(next);
  if (!hasFf(word)) {
    bits |= bswap<u64>(word) >> count;
    next += (63 - count) >> 3;
    count |= 56;
    return;
  }
  while (count <= 56) {
    // fill bytes can make an MCU longer than what has been provided for
    if (next >= end && !isWhole) slide();
    let byte: u64 = load<u8>(next);
    if (byte !== 0xff) {
      next += 1;
    } else {
      if (!isStuffed()) {
        invented += 8;
        byte = 0;
      }
    }
    bits |= byte << (56 - count);
    count += 8;
  }
}

/** 01 in each byte of a word. */
const ones: u64 = <u64>0x01010101 | ((<u64>0x01010101) << 32);

/** Whether one of eight bytes is FF. */
export function hasFf(word: u64): bool {
  const inverted = ~word;
  return ((inverted - ones) & ~inverted & (ones << 7)) !== 0;
}

/** Steps over FF…FF 00; false at any other marker, before its last FF. */
function isStuffed(): bool {
  skipFill();
  while (next + 1 >= end && !isWhole) {
    slide();
    skipFill();
  }
  if (next + 1 >= end || load<u8>(next + 1) !== 0) return false;
  next += 2;
  return true;
}

/** Moves on to the last FF of a run: of fill bytes one says as much as all. */
function skipFill(): void {
  let at = next + 1;
  while (at < end && load<u8>(at) === 0xff) at += 1;
  next = at - 1;
}

/** Whether bits have been used that the data did not have. */
export function isOverrun(): bool {
  return count < invented;
}

/**
 * Steps over the restart marker number `n`, of which the lower three bits count (T.81 §B.2.1, §F.2.2.5); false if it is
 * not there. Up to eight bytes before it may be left over, which is what libjpeg does not notice either.
 */
export function takeRestart(n: i32): bool {
  dropBits();
  provideMcu();
  let left = 0;
  while (load<u8>(next) !== 0xff || load<u8>(next + 1) === 0) {
    next += load<u8>(next) === 0xff ? 2 : 1;
    left += 1;
    if (left > 8) return false;
  }
  while (load<u8>(next) === 0xff) {
    next += 1;
    if (next >= end) {
      if (isWhole) return false;
      slide();
    }
  }
  if (<i32>load<u8>(next) !== 0xd0 + (n & 7)) return false;
  next += 1;
  return true;
}
