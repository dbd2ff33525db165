/** Decodes the symbols of a block with prefix codes (RFC 1951 §3.2.3, §3.2.5). */

import {
  fixedDistanceMask,
  fixedDistanceTable,
  fixedLiteralMask,
  fixedLiteralTable,
  isEnd,
  isLink,
  isLiteral,
  isSpecial,
} from './block-header';
import {
  badDistance,
  badSymbol,
  bitsAt,
  blockAt,
  countAt,
  distanceMaskAt,
  distanceTable,
  dropBits,
  endAt,
  isFixedAt,
  isOverrun,
  literalMaskAt,
  literalTable,
  lookahead,
  nextAt,
  noBlock,
  outAt,
  readAhead,
  sound,
  truncated,
  windowBytes,
  windowStart,
} from './cursor';

/**
 * Decodes symbols until the block or the room in the window ends, or fewer than `lookahead` bytes are left. Returns a
 * status.
 *
 * At least 56 bits are read ahead at once, regardless of how many are left from before: those above `count` are the
 * same bits that the next load delivers. A length with its distance has at most 48 bits.
 */
export function decodeSymbols(cursor: usize): i32 {
  const isFixed = load<i32>(cursor, isFixedAt) !== 0;
  const literals = isFixed ? fixedLiteralTable : cursor + literalTable;
  const distances = isFixed ? fixedDistanceTable : cursor + distanceTable;
  const literalMask: u64 = isFixed ? fixedLiteralMask : load<u32>(cursor, literalMaskAt);
  const distanceMask: u64 = isFixed ? fixedDistanceMask : load<u32>(cursor, distanceMaskAt);
  const start = cursor + windowStart;
  const stop = start + windowBytes;
  const end = cursor + load<u32>(cursor, endAt);
  const limit = end - lookahead;
  let out = cursor + load<u32>(cursor, outAt);
  let next = cursor + load<u32>(cursor, nextAt);
  let bits = load<u64>(cursor, bitsAt);
  let count: u64 = load<u32>(cursor, countAt);
  let status = sound;
  while (next <= limit && out < stop) {
    bits |= load<u64>(next) << count;
    next += <usize>((63 - count) >> 3);
    count |= 56;
    let entry = load<u32>(literals + ((<usize>(bits & literalMask)) << 2));
    if ((entry & isLiteral) !== 0) {
      // Four codes of the first lookup have at most 44 bits.
      let left = 4;
      do {
        store<u8>(out, <u8>(entry >> 16));
        out += 1;
        bits >>= <u64>(entry & 63);
        count -= <u64>(entry & 63);
        entry = load<u32>(literals + ((<usize>(bits & literalMask)) << 2));
        left -= 1;
      } while (left > 0 && (entry & isLiteral) !== 0);
      if (left === 0) continue;
      bits |= load<u64>(next) << count;
      next += <usize>((63 - count) >> 3);
      count |= 56;
    }
    if ((entry & isSpecial) !== 0) {
      if ((entry & isLink) !== 0) {
        entry = load<u32>(literals + ((<usize>secondOf(entry, bits, literalMask)) << 2));
      }
      if ((entry & isLiteral) !== 0) {
        store<u8>(out, <u8>(entry >> 16));
        out += 1;
        bits >>= <u64>(entry & 63);
        count -= <u64>(entry & 63);
        continue;
      }
      if ((entry & isEnd) !== 0) {
        bits >>= <u64>(entry & 63);
        count -= <u64>(entry & 63);
        store<i32>(cursor, noBlock, blockAt);
        break;
      }
      if ((entry & isSpecial) !== 0) {
        status = badSymbol;
        break;
      }
    }
    const length = lengthOf(entry, bits);
    bits >>= <u64>(entry & 63);
    count -= <u64>(entry & 63);
    entry = load<u32>(distances + ((<usize>(bits & distanceMask)) << 2));
    if ((entry & isLink) !== 0) {
      entry = load<u32>(distances + ((<usize>secondOf(entry, bits, distanceMask)) << 2));
    }
    if ((entry & isSpecial) !== 0) {
      status = badSymbol;
      break;
    }
    const distance = lengthOf(entry, bits);
    bits >>= <u64>(entry & 63);
    count -= <u64>(entry & 63);
    if (distance > out - start) {
      status = badDistance;
      break;
    }
    copyMatch(out, distance, length);
    out += length;
  }
  store<u32>(cursor, out - cursor, outAt);
  store<u32>(cursor, next - cursor, nextAt);
  store<u64>(cursor, bits, bitsAt);
  store<u32>(cursor, <u32>count, countAt);
  return status;
}

/**
 * Decodes symbols at the end of the input, until the block or the room in the window ends, or the data: a symbol that
 * they have only in part yields nothing. Returns a status.
 */
export function decodeLastSymbols(cursor: usize): i32 {
  const isFixed = load<i32>(cursor, isFixedAt) !== 0;
  const literals = isFixed ? fixedLiteralTable : cursor + literalTable;
  const distances = isFixed ? fixedDistanceTable : cursor + distanceTable;
  const literalMask = isFixed ? fixedLiteralMask : load<u32>(cursor, literalMaskAt);
  const distanceMask = isFixed ? fixedDistanceMask : load<u32>(cursor, distanceMaskAt);
  const start = cursor + windowStart;
  const stop = start + windowBytes;
  let out = cursor + load<u32>(cursor, outAt);
  while (out < stop) {
    readAhead(cursor);
    const entry = entryAt(cursor, literals, literalMask);
    const bits = load<u64>(cursor, bitsAt);
    dropBits(cursor, entry & 63);
    if ((entry & isLiteral) !== 0) {
      if (isOverrun(cursor)) return truncated;
      store<u8>(out, <u8>(entry >> 16));
      out += 1;
    } else if ((entry & isEnd) !== 0) {
      if (isOverrun(cursor)) return truncated;
      store<i32>(cursor, noBlock, blockAt);
      return sound;
    } else {
      if ((entry & isSpecial) !== 0) return badSymbol;
      const length = lengthOf(entry, bits);
      const further = entryAt(cursor, distances, distanceMask);
      if ((further & isSpecial) !== 0) return badSymbol;
      const distance = lengthOf(further, load<u64>(cursor, bitsAt));
      dropBits(cursor, further & 63);
      if (isOverrun(cursor)) return truncated;
      if (distance > out - start) return badDistance;
      copyMatch(out, distance, length);
      out += length;
    }
    store<u32>(cursor, out - cursor, outAt);
  }
  return sound;
}

/** The entry for the next bits in a table. */
function entryAt(cursor: usize, entries: usize, mask: u32): u32 {
  const bits = load<u64>(cursor, bitsAt);
  const entry = load<u32>(entries + ((<usize>(bits & <u64>mask)) << 2));
  if ((entry & isLink) === 0) return entry;
  return load<u32>(entries + ((<usize>secondOf(entry, bits, <u64>mask)) << 2));
}

/** The entry of the second table, reached through `link`, for these bits. */
function secondOf(link: u32, bits: u64, rootMask: u64): u32 {
  const further = <u64>((link >> 8) & 15);
  return (link >> 16) + (<u32>(bits >> popcnt(rootMask)) & ((1 << (<u32>further)) - 1));
}

/** Decodes a length or distance: the smallest one of its symbol plus the extra bits. */
function lengthOf(entry: u32, bits: u64): u32 {
  const taken: u64 = entry & 63;
  const code: u64 = (entry >> 8) & 15;
  const one: u64 = 1;
  return (entry >> 16) + <u32>((bits & ((one << taken) - 1)) >> code);
}

// Matches: copies of earlier bytes (RFC 1951 §2, §3.2.3).

/**
 * For distances of 1 to 15, a shuffle mask that builds the first 16 bytes of the repetition from the bytes at which the
 * match begins.
 */
const repetitions: usize = memory.data(16 * 16, 16);
let areFilled: bool = false;

function fillRepetitions(): void {
  for (let distance = 1; distance < 16; distance += 1) {
    for (let i = 0; i < 16; i += 1) {
      store<u8>(repetitions + (distance << 4) + i, <u8>(i % distance));
    }
  }
  areFilled = true;
}

/**
 * Copies `length` bytes from `distance` bytes before `to`; a match may overlap itself. Up to 15 bytes after it are
 * overwritten.
 */
function copyMatch(to: usize, distance: usize, length: usize): void {
  const end = to + length;
  let from = to - distance;
  if (distance >= 16) {
    do {
      v128.store(to, v128.load(from));
      to += 16;
      from += 16;
    } while (to < end);
    return;
  }
  if (!areFilled) fillRepetitions();
  const pattern = i8x16.swizzle(v128.load(from), v128.load(repetitions + (distance << 4)));
  // Whole repetitions, so that each store continues in the phase of the one before it.
  const step = 16 - (16 % distance);
  do {
    v128.store(to, pattern);
    to += step;
  } while (to < end);
}
