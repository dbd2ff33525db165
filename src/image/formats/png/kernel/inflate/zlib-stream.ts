/** A zlib stream (RFC 1950), inflated as its bytes are asked for. */
import { adler32 } from '../adler32';
import { beginBlock } from './block-header';
import { decodeSymbols } from './coded-block';
import {
  adlerAt,
  alignToByte,
  allocateCursor,
  badChecksum,
  badHeader,
  bitsAt,
  blockAt,
  countAt,
  endAt,
  forkData,
  givenAt,
  historyBytes,
  idAt,
  inputStart,
  isExhaustedAt,
  isFixedAt,
  isLastAt,
  isOverrun,
  missing,
  nextAt,
  noBlock,
  outAt,
  provideInput,
  sound,
  statusAt,
  storedAt,
  storedBlock,
  surplus,
  takeBits,
  truncated,
  windowBytes,
  windowStart,
} from './cursor';

/**
 * Puts a cursor at the beginning of its stream, and reads the header (RFC 1950 §2.2). Returns a
 * status.
 */
export function openStream(cursor: usize): i32 {
  const id = load<i32>(cursor, idAt);
  forkData(id, id);
  store<i32>(cursor, sound, statusAt);
  store<u32>(cursor, inputStart, nextAt);
  store<u32>(cursor, inputStart, endAt);
  store<u64>(cursor, 0, bitsAt);
  store<i32>(cursor, 0, countAt);
  store<i32>(cursor, 0, isExhaustedAt);
  store<u32>(cursor, windowStart, outAt);
  store<u32>(cursor, windowStart, givenAt);
  store<i32>(cursor, noBlock, blockAt);
  store<i32>(cursor, 0, isLastAt);
  store<i32>(cursor, 0, isFixedAt);
  store<u32>(cursor, 1, adlerAt);
  const method = takeBits(cursor, 8);
  const flags = takeBits(cursor, 8);
  const isHeader = (method & 15) === 8 && method >> 4 <= 7 && ((method << 8) | flags) % 31 === 0;
  // deflate, a window up to 32 KiB, its check bits, and no preset dictionary
  const status = isHeader && (flags & 0x20) === 0 ? sound : badHeader;
  store<i32>(cursor, status, statusAt);
  return status;
}

/** Copies the next bytes, exactly so many, to `to`. Returns a status. */
export function readBytes(cursor: usize, to: usize, length: usize): i32 {
  while (length > 0) {
    const count = provideBytes(cursor, length);
    if (count === 0) return load<i32>(cursor, statusAt) || missing;
    const given = load<u32>(cursor, givenAt);
    memory.copy(to, cursor + given, count);
    store<u32>(cursor, given + count, givenAt);
    to += count;
    length -= count;
  }
  return sound;
}

/** Goes on by so many bytes, as far as there are any. Returns how many there were. */
export function skipBytes(cursor: usize, length: u64): u64 {
  let left = length;
  while (left > 0) {
    const count = provideBytes(cursor, <usize>min<u64>(left, windowBytes));
    if (count === 0) break;
    store<u32>(cursor, load<u32>(cursor, givenAt) + <u32>count, givenAt);
    left -= count;
  }
  return length - left;
}

/**
 * Makes sure that nothing follows but the right checksum. Bytes behind it are not looked at, as in zlib
 * and libpng. Returns a status.
 */
export function endStream(cursor: usize): i32 {
  if (provideBytes(cursor, 1) > 0) return surplus;
  if (load<i32>(cursor, statusAt) !== sound) return load<i32>(cursor, statusAt);
  alignToByte(cursor);
  let stored: u32 = 0;
  for (let i = 0; i < 4; i += 1) stored = (stored << 8) | takeBits(cursor, 8);
  if (isOverrun(cursor)) return truncated;
  return stored === load<u32>(cursor, adlerAt) ? sound : badChecksum;
}

/** How many of so many bytes lie ready; 0 behind the last one and before damage. */
function provideBytes(cursor: usize, length: usize): usize {
  const ready = load<u32>(cursor, outAt) - load<u32>(cursor, givenAt);
  if (ready > 0) return min(ready, length);
  if (load<i32>(cursor, statusAt) !== sound) return 0;
  store<i32>(cursor, inflate(cursor), statusAt);
  return min<usize>(load<u32>(cursor, outAt) - load<u32>(cursor, givenAt), length);
}

/** Inflates until the window is full, where all of it has been given out. Returns a status. */
function inflate(cursor: usize): i32 {
  const start = cursor + windowStart;
  const stop = <u32>(windowStart + windowBytes);
  let from = load<u32>(cursor, outAt);
  if (from > windowStart + historyBytes) {
    memory.copy(start, cursor + from - historyBytes, historyBytes);
    from = windowStart + historyBytes;
    store<u32>(cursor, from, outAt);
    store<u32>(cursor, from, givenAt);
  }
  let status = sound;
  while (load<u32>(cursor, outAt) < stop) {
    const block = load<i32>(cursor, blockAt);
    if (block === noBlock) {
      if (load<i32>(cursor, isLastAt)) break;
      status = beginBlock(cursor);
    } else {
      provideInput(cursor);
      status = block === storedBlock ? copyStored(cursor, stop) : decodeSymbols(cursor);
    }
    if (status === sound && isOverrun(cursor)) status = truncated;
    if (status !== sound) break;
  }
  const length = load<u32>(cursor, outAt) - from;
  store<u32>(cursor, adler32(load<u32>(cursor, adlerAt), cursor + from, length), adlerAt);
  return status;
}

/** As much of a stored block (RFC 1951 §3.2.4) as the input and the window have room for. */
function copyStored(cursor: usize, stop: u32): i32 {
  const next = load<u32>(cursor, nextAt);
  const out = load<u32>(cursor, outAt);
  const left = load<u32>(cursor, storedAt);
  const count = min(min(left, stop - out), load<u32>(cursor, endAt) - next);
  memory.copy(cursor + out, cursor + next, count);
  store<u32>(cursor, next + count, nextAt);
  store<u32>(cursor, out + count, outAt);
  store<u32>(cursor, left - count, storedAt);
  if (count === left) store<i32>(cursor, noBlock, blockAt);
  else if (count === 0 && load<i32>(cursor, isExhaustedAt)) return truncated;
  return sound;
}

/**
 * How many bytes a zlib stream unpacks to, up to its end or damage, and no further than to `limit`; 0 where
 * it is none, or where there is no room for a cursor.
 */
export function unpackedBytes(limit: u32): u32 {
  const cursor = allocateCursor();
  if (cursor === 0 || openStream(cursor) !== sound) return 0;
  return <u32>skipBytes(cursor, limit);
}
