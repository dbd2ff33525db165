/**
 * The zlib stream as it is written: bits from the lowest place up (RFC 1951 §3.1.1). It stays in the
 * kernel's memory, whole, or passes through a window there that the host drains.
 */
import { allocate, room } from '../../../../wasm/assembly/memory';

/** Takes the next bytes of a drained stream; the kernel writes over them afterwards. */
declare function takeOutput(at: usize, length: u32): void;

/** Bytes of a drained stream that are held until the host takes them. */
const windowBytes: usize = 65536;
/** Bytes by which the memory of a stream that stays there grows. */
const pieceBytes: usize = 1 << 18;

let isDrained: bool = false;
/** Bytes that the host has taken. */
let drained: usize = 0;
/** Bytes that the stream may have. */
let limit: usize = 0;

let start: usize = 0;
/** Behind the last whole byte that has been written. */
let next: usize = 0;
/** Behind the last byte that may be written before the window is drained. */
let end: usize = 0;
let isFull: bool = false;
/** Bits that are not written yet, fewer than 32 between calls. */
let waiting: u64 = 0;
let waitingBits: i32 = 0;

/** Bytes behind the end that a store of a word may reach. */
const slack: usize = 8;

/** Says whether the host drains the streams that begin from now on. */
export function drainOutput(isWanted: bool): void {
  isDrained = isWanted;
}

/**
 * Begins a stream of at most `maxBytes` bytes, behind all that is allocated. One that stays in memory
 * may have no more than there is room for, either.
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

/** Where the stream begins, or the window that it is drained from. */
export function outputAt(): usize {
  return start;
}

/** Whole bytes that have been written. */
export function outputLength(): i32 {
  return <i32>(drained + (next - start));
}

/** Whether the stream has outgrown what it may have; what is put then goes nowhere. */
export function outputIsFull(): bool {
  return isFull;
}

/** Puts at most 32 bits; those of `bits` above them are zeros. */
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

/** Fills up the byte that was begun with zeros, and writes what waits. */
export function alignOutput(): void {
  waitingBits = (waitingBits + 7) & ~7;
  storeLast();
}

/** Ends the stream: the host takes what it has not taken yet, unless that is in vain. */
export function endOutput(): void {
  if (isDrained && !isFull && next > start) drain();
}

/** Writes the whole bytes that wait one by one, since the end may be near. */
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

/** Makes way for more bytes at the end; false if the stream may have no more. */
function makeWay(): bool {
  if (drained + (next - start) === limit) return false;
  if (!isDrained) return extend();
  drain();
  return true;
}

/** Takes another piece of memory, which follows the last one since nothing else is allocated meanwhile. */
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
