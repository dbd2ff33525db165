/**
 * Bits of the compressed data outside the loop that decodes symbols, the lowest of each byte first
 * (RFC 1951 §3.1.1).
 */
import {
  bitsAt,
  countAt,
  endAt,
  idAt,
  inputBytes,
  inputStart,
  isExhaustedAt,
  nextAt,
  tailBytes,
} from './cursor';
import { readData } from './data-input';

/** Compressed bytes that have to lie ahead before a symbol is decoded, but at the end of the data. */
export const lookahead: i32 = 16;

/** Sees to it that `lookahead` bytes are there, as far as there are any. */
export function provideInput(cursor: usize): void {
  if (load<i32>(cursor, isExhaustedAt)) return;
  const next = load<i32>(cursor, nextAt);
  const rest = load<i32>(cursor, endAt) - next;
  if (rest >= lookahead) return;
  const start = cursor + inputStart;
  memory.copy(start, cursor + next, rest);
  let filled = rest;
  while (filled < <i32>inputBytes) {
    const got = readData(load<i32>(cursor, idAt), start + filled, <i32>inputBytes - filled);
    if (got <= 0) {
      store<i32>(cursor, 1, isExhaustedAt);
      memory.fill(start + filled, 0, tailBytes);
      break;
    }
    filled += got;
  }
  store<i32>(cursor, <i32>inputStart, nextAt);
  store<i32>(cursor, <i32>inputStart + filled, endAt);
}

/** The next bits, 16 at most, without taking them; behind the data they are zeros. */
export function peekBits(cursor: usize, number: i32): i32 {
  if (load<i32>(cursor, countAt) < number) fill(cursor);
  return <i32>(load<u64>(cursor, bitsAt) & (((<u64>1) << number) - 1));
}

/** Takes bits that have been looked at. */
export function dropBits(cursor: usize, number: i32): void {
  store<u64>(cursor, load<u64>(cursor, bitsAt) >> number, bitsAt);
  store<i32>(cursor, load<i32>(cursor, countAt) - number, countAt);
}

/** The next bits, 16 at most, as a number. */
export function takeBits(cursor: usize, number: i32): i32 {
  const value = peekBits(cursor, number);
  dropBits(cursor, number);
  return value;
}

/** Goes to the next whole byte: nothing is read ahead then. */
export function alignToByte(cursor: usize): void {
  const unread = load<i32>(cursor, countAt) >> 3;
  store<i32>(cursor, load<i32>(cursor, nextAt) - unread, nextAt);
  store<u64>(cursor, 0, bitsAt);
  store<i32>(cursor, 0, countAt);
}

/** Whether bits have been used that the data do not have. */
export function isOverrun(cursor: usize): bool {
  const unread = load<i32>(cursor, countAt) >> 3;
  return load<i32>(cursor, nextAt) - unread > load<i32>(cursor, endAt);
}

/** Reads ahead until 56 bits are there. */
function fill(cursor: usize): void {
  provideInput(cursor);
  const next = load<i32>(cursor, nextAt);
  const count = load<i32>(cursor, countAt);
  // further behind the data than the zeros reach it makes no difference what is read
  if (next <= load<i32>(cursor, endAt) + 24) {
    const word = load<u64>(cursor + next);
    store<u64>(cursor, load<u64>(cursor, bitsAt) | (word << count), bitsAt);
  }
  store<i32>(cursor, next + ((63 - count) >> 3), nextAt);
  store<i32>(cursor, count | 56, countAt);
}
