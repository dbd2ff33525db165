/**
 * LZW decoder for codes of up to 12 bits (GIF89a appendix F). A full table stays unchanged until a clear code. Like
 * browsers, it accepts data that do not begin with a clear code, and ignores excess indices after those of the picture.
 */
import {
  bitsAt,
  codeCount,
  countAt,
  endAt,
  firstTable,
  forkData,
  freeAt,
  givenAt,
  idAt,
  isOverAt,
  lengthTable,
  nextAt,
  outAt,
  outStart,
  prefixTable,
  previousAt,
  provideInput,
  provideOutput,
  statusAt,
  suffixTable,
  widthAt,
} from './cursor';

/** Results of decoding; anything but `sound` means that the data are damaged. */

export const sound: i32 = 0;
/** The data end before the picture does. */
const tooShort: i32 = 1;
/** A code that has no string yet. */
const badCode: i32 = 2;

/** Bits per index, 1 to 11. */
let minCodeSize: i32 = 8;

/** Sets the minimum code size, as stated at the start of the data. */
export function setCodeSize(bits: i32): void {
  minCodeSize = bits;
}

/** Moves a cursor to the first code. */
export function openCursor(cursor: usize): void {
  const literals: u32 = 1 << minCodeSize;
  // Of indices of more than eight bits, browsers take the lowest eight.
  for (let code: u32 = 0; code < literals; code += 1) {
    store<u16>(cursor + lengthTable + 2 * code, 0);
    store<u64>(cursor + suffixTable + 8 * code, code & 0xff);
    store<u8>(cursor + firstTable + code, <u8>code);
  }
  const id = load<i32>(cursor, idAt);
  forkData(id, id);
  store<i32>(cursor, sound, statusAt);
  store<u32>(cursor, 0, nextAt);
  store<u32>(cursor, 0, endAt);
  store<u64>(cursor, 0, bitsAt);
  store<i32>(cursor, 0, countAt);
  store<i32>(cursor, 0, isOverAt);
  store<i32>(cursor, minCodeSize + 1, widthAt);
  store<i32>(cursor, (1 << minCodeSize) + 2, freeAt);
  store<i32>(cursor, -1, previousAt);
  store<u32>(cursor, outStart, outAt);
  store<u32>(cursor, outStart, givenAt);
}

/**
 * Returns the next indices.
 * @param count at most as many as a row has
 * @returns their address, valid until the next call; 0 if there are fewer, and the cursor then has a status
 */
export function nextIndices(cursor: usize, count: i32): usize {
  while (<i32>(load<u32>(cursor, outAt) - load<u32>(cursor, givenAt)) < count) {
    if (!decode(cursor, count)) return 0;
  }
  const given = load<u32>(cursor, givenAt);
  store<u32>(cursor, given + count, givenAt);
  return cursor + given;
}

/** Decodes until `count` indices are available; false if there are fewer. */
function decode(cursor: usize, count: i32): bool {
  if (load<i32>(cursor, isOverAt)) return fail(cursor, tooShort);
  provideOutput(cursor, count);
  const clear: i32 = 1 << minCodeSize;
  const target: usize = cursor + load<u32>(cursor, givenAt) + count;
  let next: usize = cursor + load<u32>(cursor, nextAt);
  let end: usize = cursor + load<u32>(cursor, endAt);
  let bits: u64 = load<u64>(cursor, bitsAt);
  let bitCount: i32 = load<i32>(cursor, countAt);
  let width: i32 = load<i32>(cursor, widthAt);
  let free: i32 = load<i32>(cursor, freeAt);
  let previous: i32 = load<i32>(cursor, previousAt);
  let out: usize = cursor + load<u32>(cursor, outAt);
  let status: i32 = sound;
  let isOver: bool = false;

  while (out < target) {
    if (bitCount < width) {
      if (end - next < 8) {
        store<u32>(cursor, <u32>(next - cursor), nextAt);
        store<u32>(cursor, <u32>(end - cursor), endAt);
        const isThere = provideInput(cursor);
        next = cursor + load<u32>(cursor, nextAt);
        end = cursor + load<u32>(cursor, endAt);
        if (!isThere) {
          isOver = true;
          break;
        }
      }
      const taken = min<i32>((63 - bitCount) >> 3, <i32>(end - next));
      // Bytes beyond the end of the input are masked off.
      bits |= load<u64>(next) << bitCount;
      next += taken;
      bitCount += taken << 3;
      bits &= <u64>-1 >> (64 - bitCount);
      if (bitCount < width) continue;
    }
    const code: i32 = <i32>(bits & ((1 << width) - 1));
    bits >>= width;
    bitCount -= width;
    if (code === clear) {
      width = minCodeSize + 1;
      free = clear + 2;
      previous = -1;
      continue;
    }
    if (code === clear + 1) {
      isOver = true;
      break;
    }
    if (previous < 0) {
      if (code > clear) {
        status = badCode;
        break;
      }
      store<u8>(out, <u8>code);
      out += 1;
      previous = code;
      continue;
    }
    if (code > free || (code === free && free === <i32>codeCount)) {
      status = badCode;
      break;
    }
    if (free < <i32>codeCount) {
      // The previous string with the first index of this one, which may be the new entry itself.
      const first = load<u8>(cursor + firstTable + (code === free ? previous : code));
      addEntry(cursor, free, previous, first);
      free += 1;
      // With indices of one bit, four codes exist from the start, and browsers widen codes only at eight.
      if ((free & ((1 << width) - 1)) === 0 && width < 12) width += 1;
    }
    out = writeString(cursor, code, out);
    previous = code;
  }

  store<u32>(cursor, <u32>(next - cursor), nextAt);
  store<u32>(cursor, <u32>(end - cursor), endAt);
  store<u64>(cursor, bits, bitsAt);
  store<i32>(cursor, bitCount, countAt);
  store<i32>(cursor, width, widthAt);
  store<i32>(cursor, free, freeAt);
  store<i32>(cursor, previous, previousAt);
  store<u32>(cursor, <u32>(out - cursor), outAt);
  store<i32>(cursor, isOver || status !== sound ? 1 : 0, isOverAt);
  if (status !== sound) return fail(cursor, status);
  return out >= target || fail(cursor, tooShort);
}

function fail(cursor: usize, status: i32): bool {
  if (load<i32>(cursor, statusAt) === sound) store<i32>(cursor, status, statusAt);
  return false;
}

function addEntry(cursor: usize, code: i32, prefix: i32, index: u8): void {
  const at = cursor + 2 * code;
  const length = load<u16>(cursor + 2 * prefix, lengthTable) + 1;
  store<u16>(at, length, lengthTable);
  store<u8>(cursor + code, load<u8>(cursor + prefix, firstTable), firstTable);
  const place = length & 7;
  if (place === 0) {
    store<u16>(at, <u16>prefix, prefixTable);
    store<u64>(cursor + 8 * code, index, suffixTable);
  } else {
    store<u16>(at, load<u16>(cursor + 2 * prefix, prefixTable), prefixTable);
    const suffix = load<u64>(cursor + 8 * prefix, suffixTable);
    store<u64>(cursor + 8 * code, suffix | ((<u64>index) << (place << 3)), suffixTable);
  }
}

/** Writes the string of a code from its end backwards; returns the end of the string. */
function writeString(cursor: usize, code: i32, out: usize): usize {
  const last = <usize>load<u16>(cursor + 2 * code, lengthTable);
  let at = out + (last & ~7);
  store<u64>(at, load<u64>(cursor + 8 * code, suffixTable));
  while (at !== out) {
    at -= 8;
    code = load<u16>(cursor + 2 * code, prefixTable);
    store<u64>(at, load<u64>(cursor + 8 * code, suffixTable));
  }
  return out + last + 1;
}
