/** Inflates a zlib stream (RFC 1950) on demand. */
import { adler32 } from '../adler32';
import { beginBlock } from './block-header';
import { decodeLastSymbols, decodeSymbols } from './coded-block';
import {
  addCredit,
  adlerAt,
  alignToByte,
  allocateCursor,
  badChecksum,
  badHeader,
  bitsAt,
  blockAt,
  countAt,
  creditAt,
  endAt,
  forkData,
  givenAt,
  historyBytes,
  idAt,
  inflatedCreditShift,
  initialCredit,
  inputStart,
  isExhaustedAt,
  isFixedAt,
  isLastAt,
  isOverrun,
  lookahead,
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

/** Takes the next bytes of a stream that is unpacked; the kernel overwrites them afterwards. */
declare function takeUnpacked(at: usize, length: u32): void;

/** Moves a cursor to the beginning of its stream, and reads the header (RFC 1950 §2.2). Returns a status. */
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
  store<i32>(cursor, initialCredit, creditAt);
  store<u32>(cursor, 1, adlerAt);
  const method = takeBits(cursor, 8);
  const flags = takeBits(cursor, 8);
  const isHeader = (method & 15) === 8 && method >> 4 <= 7 && ((method << 8) | flags) % 31 === 0;
  // Deflate, a window of up to 32 KiB, correct check bits, and no preset dictionary.
  const status = isHeader && (flags & 0x20) === 0 ? sound : badHeader;
  store<i32>(cursor, status, statusAt);
  return status;
}

/** Copies exactly `length` further bytes to `to`. Returns a status. */
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

/** Skips up to `length` bytes. Returns how many there were. */
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
 * Checks that nothing follows but the correct checksum. Bytes after it are ignored, as in zlib and libpng. Returns a
 * status.
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

/** Number of available bytes at `givenAt`, at most `length`; 0 after the last one and before damage. */
function provideBytes(cursor: usize, length: usize): usize {
  const ready = load<u32>(cursor, outAt) - load<u32>(cursor, givenAt);
  if (ready > 0) return min(ready, length);
  if (load<i32>(cursor, statusAt) !== sound) return 0;
  store<i32>(cursor, inflate(cursor), statusAt);
  return min<usize>(load<u32>(cursor, outAt) - load<u32>(cursor, givenAt), length);
}

/** Inflates until the window is full; all earlier bytes must have been returned. Returns a status. */
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
      const isAtEnd = load<u32>(cursor, nextAt) + lookahead > load<u32>(cursor, endAt);
      if (block === storedBlock) status = copyStored(cursor, stop);
      else status = isAtEnd ? decodeLastSymbols(cursor) : decodeSymbols(cursor);
    }
    if (status === sound && isOverrun(cursor)) status = truncated;
    if (status !== sound) break;
  }
  const length = load<u32>(cursor, outAt) - from;
  addCredit(cursor, length >> inflatedCreditShift);
  store<u32>(cursor, adler32(load<u32>(cursor, adlerAt), cursor + from, length), adlerAt);
  return status;
}

/** Copies as much of a stored block (RFC 1951 §3.2.4) as the input and the window allow. */
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
 * Inflates a zlib stream up to its end or damage, and at most `limit` bytes, which the host takes piece by piece. Returns
 * their number; 0 if it is not a zlib stream, or memory runs out.
 */
export function unpack(limit: u32): u32 {
  const cursor = allocateCursor();
  status = cursor === 0 ? missing : openStream(cursor);
  if (status !== sound) return 0;
  let left = limit;
  while (left > 0) {
    const count = <u32>provideBytes(cursor, left);
    if (count === 0) break;
    const given = load<u32>(cursor, givenAt);
    takeUnpacked(cursor + given, count);
    store<u32>(cursor, given + count, givenAt);
    left -= count;
  }
  status = endStream(cursor);
  return limit - left;
}

let status: i32 = sound;

/** How the last `unpack` ended: `sound` if that was the whole stream. */
export function unpackedStatus(): i32 {
  return status;
}
