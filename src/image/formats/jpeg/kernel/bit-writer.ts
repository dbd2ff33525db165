/** The result: segments that the host writes, and entropy-coded data between them (ITU-T T.81 §F.1.2.3). */
import { extendTo, reach, room, taken } from '../../../wasm/assembly/memory';
import { hasFf } from './bit-reader';

let start: usize = 0;
/** Behind the last byte that has been written. */
let next: usize = 0;
/** Behind the last byte that the result may have. */
let end: usize = 0;
/** Behind the last byte that the memory may have. */
let memoryEnd: usize = 0;
let isFull: bool = false;

/** Bits that are not written yet, the last one in the lowest place; those above them mean nothing. */
let waiting: u64 = 0;
/** How many more bits fit in with them. */
let free: i32 = 64;

/**
 * Begins a result of at most `maxBytes` bytes behind all that is allocated. Nothing
 * may be allocated until it has been taken.
 * @returns false if there is no room at all
 */
export function beginOutput(maxBytes: u32): bool {
  start = taken();
  memoryEnd = start + room();
  end = start + min(<usize>maxBytes, room());
  next = start;
  isFull = false;
  waiting = 0;
  free = 64;
  return end > start;
}

export function outputAt(): usize {
  return start;
}

/** Whole bytes that have been written. */
export function outputLength(): u32 {
  return <u32>(next - start);
}

/** Goes back to where the result begins, once the host has taken what has been written. */
export function restartOutput(): void {
  next = start;
}

/** Whether the result would not fit, so that more of it is no use. */
export function outputIsFull(): bool {
  return isFull;
}

/**
 * Takes `length` bytes for a segment, between scans.
 * @returns where the host writes them, or 0 where they do not fit
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

/** Writes records of symbols (see symbols.ts), whose codes are in tables one after the other. */
export function writeRecords(records: usize, recordsEnd: usize, codes: usize): void {
  if (isFull || isBeyond((recordsEnd - records) >> 2)) return;
  let to = next;
  let held = waiting;
  let left = free;
  let shortest: u32 = 1;
  for (let at = records; at < recordsEnd; at += 4) {
    const record = load<u32>(at);
    const entry = load<u32>(codes + ((record >> 18) & 0x3ffc));
    shortest = min(shortest, entry);
    const extra = <i32>((record >> 16) & 15);
    const size = <i32>((entry >> 16) & 31) + extra;
    const bits = ((<u64>(entry & 0xffff)) << extra) | (record & 0xffff);
    left -= size;
    if (left >= 0) {
      held = (held << size) | bits;
    } else {
      const word = (held << (size + left)) | (bits >> -left);
      if (hasFf(word)) {
        to = storeStuffed(to, word, 8);
      } else {
        store<u64>(to, bswap<u64>(word));
        to += 8;
      }
      held = bits;
      left += 64;
    }
  }
  if (shortest === 0) fail(missingCode);
  next = to;
  waiting = held;
  free = left;
  if (to > end) isFull = true;
}

/** Ends a scan: fills its last byte with ones. */
export function flushBits(): void {
  if (isFull || isBeyond(0)) return;
  const bits = 64 - free;
  const bytes = (bits + 7) >> 3;
  if (bytes > 0) {
    // ones behind the bits, all of them in the highest places
    const word = (waiting << free) | (((<u64>1) << free) - 1);
    next = storeStuffed(next, word, bytes);
  }
  waiting = 0;
  free = 64;
  if (next > end) isFull = true;
}

/** Whether memory might end before so many records do; otherwise it is there. */
function isBeyond(records: usize): bool {
  const most = bytesOfRecords(records);
  if (memoryEnd - next < most || !extendTo(next + most)) isFull = true;
  else reach(next + most);
  return isFull;
}

/** The most that records come to, of 31 bits each, every byte of them stuffed, with the bits that wait. */
export function bytesOfRecords(records: usize): usize {
  return (records + 2) << 3;
}

/** Stores the first bytes of a word, and a zero behind each that is FF (T.81 §B.1.1.5). */
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

/* Why coefficients could not be coded; the first reason of a run is kept. */

export const codable: i32 = 0;
/** An AC coefficient beyond ±1023: Huffman coding of 8-bit samples has no size above 10 (ITU-T T.81 table F.2). */
export const wideCoefficient: i32 = 1;
/** A DC difference beyond ±2047: no size above 11 (T.81 table F.1). */
export const wideDifference: i32 = 2;
/** A symbol was to be written for which the host has given no code. */
export const missingCode: i32 = 3;

let reason: i32 = codable;

export function beginFailure(): void {
  reason = codable;
}

export function fail(why: i32): void {
  if (reason === codable) reason = why;
}

/** @returns `codable`, `wideCoefficient`, `wideDifference` or `missingCode` */
export function codingFailure(): i32 {
  return reason;
}
