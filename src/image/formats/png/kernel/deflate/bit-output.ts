/**
 * Writes the bits of the zlib stream, from the lowest bit up (RFC 1951 §3.1.1). The stream either stays in the kernel's
 * memory as a whole, or passes through a window there that the host drains.
 */
import { allocate, room } from '../../../../wasm/assembly/memory';

/** Takes the next bytes of a drained stream; the kernel overwrites them afterwards. */
declare function takeOutput(at: usize, length: u32): void;

/** Bytes of a drained stream that are held until the host takes them. */
const windowBytes: usize = 65536;
/** Bytes by which the memory of a stream that is not drained grows. */
const pieceBytes: usize = 1 << 18;

let isDrained: bool = false;
/** Bytes that the host has taken. */
let drained: usize = 0;
/** Maximum bytes of the stream. */
let limit: usize = 0;

let start: usize = 0;
/** After the last whole byte written. */
let next: usize = 0;
/** End of the memory that can be written before the window is drained. */
let end: usize = 0;
let isFull: bool = false;
/** Bits not yet written, fewer than 32 between calls. */
let waiting: u64 = 0;
let waitingBits: i32 = 0;

/** Bytes after the end that a store of a word may overwrite. */
const slack: usize = 8;

/** Sets whether the host drains the streams begun from now on. */
export function drainOutput(isWanted: bool): void {
  isDrained = isWanted;
}

/**
 * Begins a stream of at most `maxBytes` bytes, after all allocated memory. A stream that is not drained is also limited
 * by the available memory.
 * @returns false if there is no room at all
 */
export function beginOutput(maxBytes: u32): bool {
  const space = room();
  if (space <= slack) return false;
  limit = isDrained ? <usize>maxBytes : min(<usize>maxBytes, space - slack);
  const held = isDrained ? windowBytes : min(limit, pieceBytes);
  start = allocate(held + slack);
  next = start;
  end = start + min(held, limit);
  drained = 0;
  isFull = false;
  waiting = 0;
  waitingBits = 0;
  return start !== 0;
}

/** Start of the stream, or of the window that it is drained from. */
export function outputAt(): usize {
  return start;
}

/** Number of whole bytes written. */
export function outputLength(): i32 {
  return <i32>(drained + (next - start));
}

/** Whether the stream has exceeded its limit; further bits are discarded. */
export function outputIsFull(): bool {
  return isFull;
}

/** Writes at most 32 bits; the bits of `bits` above them must be 0. */
export function putBits(bits: u32, count: i32): void {
  waiting |= (<u64>bits) << waitingBits;
  waitingBits += count;
  if (waitingBits < 32) return;
  if (next + 4 > end) {
    storeLast();
    return;
  }
  store<u32>(next, <u32>waiting);
  next += 4;
  waiting >>= 32;
  waitingBits -= 32;
}

/** Pads the current byte with zeros, and writes the pending bits. */
export function alignOutput(): void {
  waitingBits = (waitingBits + 7) & ~7;
  storeLast();
}

/** Ends the stream: the host takes the remaining bytes, unless the stream is too long. */
export function endOutput(): void {
  if (isDrained && !isFull && next > start) drain();
}

/** Writes the pending whole bytes one by one, since the end may be near. */
function storeLast(): void {
  for (; waitingBits >= 8; waitingBits -= 8) {
    if (next < end || makeWay()) {
      store<u8>(next, <u8>waiting);
      next += 1;
    } else {
      isFull = true;
    }
    waiting >>= 8;
  }
}

/** Makes room for more bytes at the end; false if the stream has reached its limit. */
function makeWay(): bool {
  if (drained + (next - start) === limit) return false;
  if (!isDrained) return extend();
  drain();
  return true;
}

/** Allocates another piece of memory, which is adjacent to the last one since nothing else is allocated meanwhile. */
function extend(): bool {
  const length = next - start;
  const more = min(limit - length, pieceBytes);
  if (allocate(more) === 0) return false;
  end = next + more;
  return true;
}

function drain(): void {
  const length = next - start;
  takeOutput(start, <u32>length);
  drained += length;
  next = start;
  end = start + min(windowBytes, limit - drained);
}
