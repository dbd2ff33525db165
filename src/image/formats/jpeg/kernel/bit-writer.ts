/** Writes the result: the host's segments, and entropy-coded data between them (ITU-T T.81 §F.1.2.3). */
import { extendTo, reach, room, taken } from '../../../wasm/assembly/memory';
import { hasFf } from './bit-reader';

let start: usize = 0;
/** End of the bytes that have been written. */
let next: usize = 0;
/** End of the memory that the result may occupy. */
let end: usize = 0;
/** End of the memory that may be used. */
let memoryEnd: usize = 0;
let isFull: bool = false;

/** Bits that are not yet written, the last one in the least significant bit; the bits above them are undefined. */
let pendingBits: u64 = 0;
/** Number of further bits that fit in `pendingBits`. */
let freeBits: i32 = 64;

/**
 * Begins a result of at most `maxBytes` bytes after all allocated memory. Nothing may be allocated until it has been
 * taken.
 * @returns false if no memory is left
 */
export function beginOutput(maxBytes: u32): bool {
  start = taken();
  memoryEnd = start + room();
  end = start + min(<usize>maxBytes, room());
  next = start;
  isFull = false;
  pendingBits = 0;
  freeBits = 64;
  return end > start;
}

export function outputAt(): usize {
  return start;
}

/** Number of whole bytes that have been written. */
export function outputLength(): u32 {
  return <u32>(next - start);
}

/** Resets the result to its beginning after the host has taken the bytes written so far. */
export function restartOutput(): void {
  next = start;
}

/** Whether the result does not fit, so that writing more is pointless. */
export function outputIsFull(): bool {
  return isFull;
}

/**
 * Reserves `length` bytes for a segment between scans.
 * @returns a pointer at which the host writes them, or 0 if they do not fit
 */
export function reserveOutput(length: u32): usize {
  if (isFull || <usize>length > end - next) {
    isFull = true;
    return 0;
  }
  const at = next;
  if (!extendTo(at + length)) {
    isFull = true;
    return 0;
  }
  next += length;
  reach(next);
  return at;
}

/** Writes records of symbols (see symbols.ts); `codes` points to the contiguous code tables. */
export function writeRecords(records: usize, recordsEnd: usize, codes: usize): void {
  if (isFull || isOutOfRoom((recordsEnd - records) >> 2)) return;
  let to = next;
  let pending = pendingBits;
  let free = freeBits;
  let minEntry: u32 = 1;
  for (let at = records; at < recordsEnd; at += 4) {
    const record = load<u32>(at);
    const entry = load<u32>(codes + ((record >> 18) & 0x3ffc));
    minEntry = min(minEntry, entry);
    const extra = <i32>((record >> 16) & 15);
    const size = <i32>((entry >> 16) & 31) + extra;
    const bits = ((<u64>(entry & 0xffff)) << extra) | (record & 0xffff);
    free -= size;
    if (free >= 0) {
      pending = (pending << size) | bits;
    } else {
      const word = (pending << (size + free)) | (bits >> -free);
      if (hasFf(word)) {
        to = storeStuffed(to, word, 8);
      } else {
        store<u64>(to, bswap<u64>(word));
        to += 8;
      }
      pending = bits;
      free += 64;
    }
  }
  if (minEntry === 0) fail(missingCode);
  next = to;
  pendingBits = pending;
  freeBits = free;
  if (to > end) isFull = true;
}

/** Ends a scan: pads its last byte with ones. */
export function flushBits(): void {
  if (isFull || isOutOfRoom(0)) return;
  const bits = 64 - freeBits;
  const bytes = (bits + 7) >> 3;
  if (bytes > 0) {
    // shifted to the most significant bits and followed by ones
    const word = (pendingBits << freeBits) | (((<u64>1) << freeBits) - 1);
    next = storeStuffed(next, word, bytes);
  }
  pendingBits = 0;
  freeBits = 64;
  if (next > end) isFull = true;
}

/** Whether memory may not suffice for this number of records; otherwise makes it available. */
function isOutOfRoom(records: usize): bool {
  const maxBytes = bytesOfRecords(records);
  if (memoryEnd - next < maxBytes || !extendTo(next + maxBytes)) isFull = true;
  else reach(next + maxBytes);
  return isFull;
}

/** Upper bound of the bytes of records, 31 bits each with every byte stuffed, including the bits not yet written. */
export function bytesOfRecords(records: usize): usize {
  return (records + 2) << 3;
}

/** Stores the first bytes of a word, with a zero byte after each FF (T.81 §B.1.1.5). */
function storeStuffed(to: usize, word: u64, bytes: i32): usize {
  for (; bytes > 0; bytes -= 1) {
    const byte = <u8>(word >> 56);
    store<u8>(to, byte);
    to += 1;
    if (byte === 0xff) {
      store<u8>(to, 0);
      to += 1;
    }
    word <<= 8;
  }
  return to;
}

/* Reasons why coefficients cannot be coded; the first one of a run is kept. */

export const codable: i32 = 0;
/** An AC coefficient beyond ±1023: Huffman coding of 8-bit samples has no category above 10 (ITU-T T.81 table F.2). */
export const wideCoefficient: i32 = 1;
/** A DC difference beyond ±2047: there is no category above 11 (T.81 table F.1). */
export const wideDifference: i32 = 2;
/** A symbol for which the host has provided no code. */
const missingCode: i32 = 3;

let reason: i32 = codable;

export function beginFailure(): void {
  reason = codable;
}

export function fail(newReason: i32): void {
  if (reason === codable) reason = newReason;
}

/** @returns `codable`, `wideCoefficient`, `wideDifference` or `missingCode` */
export function codingFailure(): i32 {
  return reason;
}
