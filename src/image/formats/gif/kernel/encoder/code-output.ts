/**
 * Codes as the data of a picture: bits from the lowest, in sub-blocks of up to 255 bytes (GIF89a §15, §22, appendix F).
 * They lie behind everything that is allocated.
 */
import { extendTo, reach, taken } from '../../../../wasm/assembly/memory';

/** Bytes of a sub-block, without the one that says how many there are. */
const blockBytes: usize = 255;
/** What is asked for at once. */
const stepBytes: usize = 16384;

let start: usize = 0;
let next: usize = 0;
/** Up to here there is room. */
let limit: usize = 0;
/** The byte of the current sub-block that says how many follow. */
let blockStart: usize = 0;
let bits: u32 = 0;
let count: i32 = 0;
let hasRoom: bool = true;

/** Begins the data with the bits of an index. */
export function beginOutput(minCodeSize: i32): void {
  start = taken();
  next = start;
  limit = start;
  bits = 0;
  count = 0;
  hasRoom = true;
  if (!provide()) return;
  store<u8>(next, <u8>minCodeSize);
  blockStart = next + 1;
  next += 2;
}

/** Writes the lowest `width` bits of a code. */
export function writeCode(code: i32, width: i32): void {
  bits |= (<u32>code) << count;
  count += width;
  while (count >= 8) {
    writeByte(bits);
    bits >>= 8;
    count -= 8;
  }
}

/** Ends the data; returns their length in bytes, 0 where there was no room for them. */
export function endOutput(): usize {
  if (count > 0) writeByte(bits);
  if (!hasRoom) return 0;
  const length = next - blockStart - 1;
  store<u8>(blockStart, <u8>length);
  if (length > 0) {
    store<u8>(next, 0);
    next += 1;
  }
  return next - start;
}

/** Bytes so far. */
export function outputBytes(): usize {
  return next - start;
}

/** Where the data begin. */
export function outputAt(): usize {
  return start;
}

function writeByte(byte: u32): void {
  if (next + 4 > limit && !provide()) return;
  store<u8>(next, <u8>byte);
  next += 1;
  if (next - blockStart > blockBytes) {
    store<u8>(blockStart, <u8>blockBytes);
    blockStart = next;
    next += 1;
  }
}

function provide(): bool {
  hasRoom = hasRoom && extendTo(next + stepBytes);
  if (!hasRoom) return false;
  limit = next + stepBytes;
  reach(limit);
  return true;
}
