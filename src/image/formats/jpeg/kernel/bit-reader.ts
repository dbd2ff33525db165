/**
 * Reads entropy-coded bits of a file that the host holds, through a sliding window in the kernel's memory (ITU-T T.81
 * §F.2.2.5, byte stuffing §B.1.1.5). Several scans can be read alternately, each with its own cursor.
 */
import { allocate } from '../../../wasm/assembly/memory';

/**
 * Copies bytes of the file, starting at `position`, to `to`.
 * @returns the number of bytes copied, at most `length`; fewer only at the end of the file
 */
declare function readFile(position: u32, to: usize, length: u32): u32;

/** Size of a cursor's window in bytes. */
const windowBytes: usize = 65536;
/** Bytes after the data in the window: markers, so that reading stops, and padding for wide loads. */
const tailBytes: usize = 32;
/**
 * More bytes than an MCU can have without fill bytes: ten blocks of 64 codes of 16 bits, each followed by 15 bits, with
 * every byte stuffed.
 */
const maxMcuBytes: usize = 8192;

const cursorBytes: usize = 64;
const cursors: usize = memory.data(256);

/** The window of the active cursor: its first byte, the end of its data, and the file position of that end. */
let base: usize = 0;
let end: usize = 0;
let endPosition: u32 = 0;
/** Whether the data in the window extend to the end of the file. */
let hasFileEnd: bool = false;

/** The next byte to read. */
export let next: usize = 0;
/** Bits that have been read ahead, the first one in the most significant bit, followed by zeros. */
export let bits: u64 = 0;
/** Number of bits that have been read ahead. */
export let count: i32 = 0;
/** Number of zero bits that have been appended since the data ended. */
export let paddingBits: i32 = 0;
/** Record of the active cursor, or 0. */
let active: usize = 0;

/** Allocates the windows of `cursorCount` cursors, 1 to 4; false if memory runs out. */
export function allocateCursors(cursorCount: i32): bool {
  for (let i = 0; i < cursorCount; i += 1) {
    const window = allocate(windowBytes + tailBytes);
    if (window === 0) return false;
    store<usize>(cursors + cursorBytes * i, window, 0);
  }
  active = 0;
  return true;
}

/** Moves cursor `i` to a file position and makes it the active one. */
export function openCursor(i: i32, position: u32): void {
  saveCursor();
  active = cursors + cursorBytes * i;
  base = load<usize>(active, 0);
  end = base;
  next = base;
  endPosition = position;
  hasFileEnd = false;
  dropBits();
  slide();
}

/** Makes cursor `i` the active one, at the position where it was left. */
export function enterCursor(i: i32): void {
  const at = cursors + cursorBytes * i;
  if (at === active) return;
  saveCursor();
  active = at;
  base = load<usize>(at, 0);
  end = load<usize>(at, 4);
  next = load<usize>(at, 8);
  endPosition = load<u32>(at, 12);
  bits = load<u64>(at, 16);
  count = load<i32>(at, 24);
  paddingBits = load<i32>(at, 28);
  hasFileEnd = load<bool>(at, 32);
}

function saveCursor(): void {
  if (active === 0) return;
  store<usize>(active, end, 4);
  store<usize>(active, next, 8);
  store<u32>(active, endPosition, 12);
  store<u64>(active, bits, 16);
  store<i32>(active, count, 24);
  store<i32>(active, paddingBits, 28);
  store<bool>(active, hasFileEnd, 32);
}

/** Ensures that the window has all bytes that the next MCU can have, as far as the file has them. */
export function ensureMcuBytes(): void {
  if (end - next < maxMcuBytes && !hasFileEnd) slide();
}

/** Moves the window forward so that it begins with the next byte to read. */
function slide(): void {
  const rest = end - next;
  memory.copy(base, next, rest);
  next = base;
  const requested = <u32>(windowBytes - rest);
  const received = readFile(endPosition, base + rest, requested);
  end = base + rest + received;
  endPosition += received;
  hasFileEnd = received < requested;
  // EOI markers, in case the data have no marker at their end
  for (let at: usize = 0; at < tailBytes; at += 2) store<u16>(end + at, 0xd9ff);
}

/** Stores the state that a hot loop has kept in local variables. */
export function setBits(newNext: usize, newBits: u64, newCount: i32): void {
  next = newNext;
  bits = newBits;
  count = newCount;
}

/** Discards the bits that have been read ahead. */
export function dropBits(): void {
  bits = 0;
  count = 0;
  paddingBits = 0;
}

/**
 * Reads ahead until there are at least 56 bits; after a marker they are zeros. Like libjpeg, treats a run of FF bytes
 * followed by 00 as one data byte FF.
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
    // fill bytes can make an MCU longer than `maxMcuBytes`
    if (next >= end && !hasFileEnd) slide();
    let byte: u64 = load<u8>(next);
    if (byte !== 0xff) {
      next += 1;
    } else {
      if (!skipStuffed()) {
        paddingBits += 8;
        byte = 0;
      }
    }
    bits |= byte << (56 - count);
    count += 8;
  }
}

/** A word whose bytes are all 01. */
const ones: u64 = <u64>0x01010101 | ((<u64>0x01010101) << 32);

/** Whether any of the eight bytes of a word is FF. */
export function hasFf(word: u64): bool {
  const inverted = ~word;
  return ((inverted - ones) & ~inverted & (ones << 7)) !== 0;
}

/** Skips FF…FF 00; false at any other marker, with `next` at its last FF. */
function skipStuffed(): bool {
  skipFillBytes();
  while (next + 1 >= end && !hasFileEnd) {
    slide();
    skipFillBytes();
  }
  if (next + 1 >= end || load<u8>(next + 1) !== 0) return false;
  next += 2;
  return true;
}

/** Moves to the last byte of a run of FF: the others are fill bytes. */
function skipFillBytes(): void {
  let at = next + 1;
  while (at < end && load<u8>(at) === 0xff) at += 1;
  next = at - 1;
}

/** Whether bits beyond the end of the data have been consumed. */
export function isOverrun(): bool {
  return count < paddingBits;
}

/**
 * Skips restart marker RSTm with m = `n` mod 8 (T.81 §B.2.1, §F.2.2.5); false if it is missing. Up to eight surplus
 * bytes before it are skipped, which libjpeg does not notice either.
 */
export function takeRestart(n: i32): bool {
  dropBits();
  ensureMcuBytes();
  let skipped = 0;
  while (load<u8>(next) !== 0xff || load<u8>(next + 1) === 0) {
    next += load<u8>(next) === 0xff ? 2 : 1;
    skipped += 1;
    if (skipped > 8) return false;
  }
  while (load<u8>(next) === 0xff) {
    next += 1;
    if (next >= end) {
      if (hasFileEnd) return false;
      slide();
    }
  }
  if (<i32>load<u8>(next) !== 0xd0 + (n & 7)) return false;
  next += 1;
  return true;
}
