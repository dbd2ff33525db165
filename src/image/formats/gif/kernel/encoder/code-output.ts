/**
 * Packs codes into the data of a picture: lowest bits first, in sub-blocks of up to 255 bytes (GIF89a §15, §22,
 * appendix F). The data lie after all allocated memory.
 */
import { extendTo, reach, taken } from '../../../../wasm/assembly/memory';

/** Bytes of a sub-block, without its length byte. */
const blockBytes: usize = 255;
/** Bytes of memory requested at a time. */
const stepBytes: usize = 16384;

let start: usize = 0;
let next: usize = 0;
/** End of the available memory. */
let limit: usize = 0;
/** The length byte of the current sub-block. */
let blockStart: usize = 0;
let bits: u32 = 0;
let count: i32 = 0;
let hasRoom: bool = true;

/** Begins the data with the minimum code size. */
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

/** Ends the data; returns their length in bytes, 0 if memory ran out. */
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

/** Bytes written so far. */
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
