/**
 * Pixels as they are coded, before inverse transforms: literals, references to earlier pixels, and colours
 * out of the cache (RFC 9649 §5.2, §6.2). They go into a ring that reaches as far back as a reference can.
 */
import { allocate } from '../../../../wasm/assembly/memory';
import {
  isOverrun,
  isTail,
  loadBytes,
  provide,
  bits as readerBits,
  count as readerCount,
  end as readerEnd,
  next as readerNext,
  setBits,
  symbolBytes,
} from './bit-reader';
import {
  alphaAt,
  blueAt,
  constantKind,
  distanceAt,
  greenAt,
  greenKind,
  greenValues,
  groupAt,
  kindAt,
  lengthSymbols,
  literalAt,
  maskAt,
  opaqueKind,
  redAt,
} from './code-groups';
import { copyBytes, copyColors } from './copying';
import { rootBits } from './prefix-codes';
import { badReference, outOfMemory, sound, truncated } from './status';

/** More than the 2^20 − 120 pixels that a reference goes back at most (§5.2.2). */
const ringPixels: u32 = 1 << 20;
/** Behind the ring: what wide copies may write. */
const ringMargin: usize = 64;
/** First symbol of the green code that stands for an entry of the colour cache. */
const cacheSymbols: i32 = greenValues + lengthSymbols;

/** Distances up to 120 stand for pixels near by: columns to the left, and rows above (§5.2.2). */
const nearPixels: usize = memory.data<i8>([
  0, 1, 1, 0, 1, 1, -1, 1, 0, 2, 2, 0, 1, 2, -1, 2, 2, 1, -2, 1, 2, 2, -2, 2, 0, 3, 3, 0, 1, 3, -1,
  3, 3, 1, -3, 1, 2, 3, -2, 3, 3, 2, -3, 2, 0, 4, 4, 0, 1, 4, -1, 4, 4, 1, -4, 1, 3, 3, -3, 3, 2, 4,
  -2, 4, 4, 2, -4, 2, 0, 5, 3, 4, -3, 4, 4, 3, -4, 3, 5, 0, 1, 5, -1, 5, 5, 1, -5, 1, 2, 5, -2, 5,
  5, 2, -5, 2, 4, 4, -4, 4, 3, 5, -3, 5, 5, 3, -5, 3, 0, 6, 6, 0, 1, 6, -1, 6, 6, 1, -6, 1, 2, 6,
  -2, 6, 6, 2, -6, 2, 4, 5, -4, 5, 5, 4, -5, 4, 3, 6, -3, 6, 6, 3, -6, 3, 0, 7, 7, 0, 1, 7, -1, 7,
  5, 5, -5, 5, 7, 1, -7, 1, 4, 6, -4, 6, 6, 4, -6, 4, 2, 7, -2, 7, 7, 2, -7, 2, 3, 7, -3, 7, 7, 3,
  -7, 3, 5, 6, -5, 6, 6, 5, -6, 5, 8, 0, 4, 7, -4, 7, 7, 4, -7, 4, 8, 1, 8, 2, 6, 6, -6, 6, 8, 3, 5,
  7, -5, 7, 7, 5, -7, 5, 8, 4, 6, 7, -6, 7, 7, 6, -7, 6, 8, 5, 7, 7, -7, 7, 8, 6, 8, 7,
]);
const nearCodes: u32 = 120;
/** The distances of these in pixels, in a picture of the width that is decoded. */
const nearDistances: usize = memory.data(120 * 4, 4);

/** The picture that is decoded: its width and how many pixels it has; how many of them have been decoded. */
let width: u32 = 0;
let total: u32 = 0;
let done: u32 = 0;
/** Where the next one is. */
let column: u32 = 0;
let row: u32 = 0;

/** The ring, of as many pixels as the mask and 1; bytes of a pixel are 4, or 1 where only green varies. */
let ring: usize = 0;
let ringMask: u32 = 0;
let pixelShift: u32 = 2;

/** Which group is used where: u16 for each tile, 0 where there is one group; tile sides are powers of two. */
let tileGroups: usize = 0;
let tileBits: u32 = 0;
let tilesAcross: u32 = 0;

/** The colour cache and by how much a hash is shifted (§5.2.3); 0 without one. */
let cache: usize = 0;
let cacheShift: u32 = 0;
let cacheBytes: usize = 0;
const hashFactor: u32 = 0x1e35a7bd;

/** The last symbol may take bits that the data do not have. */
let isLenient: bool = false;

/** In the ring: the next pixel, and where decoding stops for now. */
let at: usize = 0;
let runStart: usize = 0;
let runEnd: usize = 0;

/** Pixels of the ring for a picture of so many. */
function ringSize(pixels: u32): u32 {
  return min(pixels, ringPixels);
}

/** @returns room for the ring of a picture of so many pixels, of 1 or 4 bytes; 0 where there is none */
export function allocateRing(pixels: u32, bytes: u32): usize {
  return allocate(ringSize(pixels) * bytes + ringMargin);
}

/** @returns room for a colour cache of 2^`cacheBits` colours; 0 where there is none */
export function allocateCache(cacheBits: u32): usize {
  return allocate((<usize>4) << cacheBits);
}

/**
 * Allocates what decoding a picture takes.
 *
 * @param columns of the picture, and `rows`
 * @param bytes of a pixel: 4, or 1 where only green is decoded
 * @param cacheBits of the colour cache, 0 without one
 * @returns a status
 */
export function beginPixels(columns: u32, rows: u32, bytes: u32, cacheBits: u32): i32 {
  width = columns;
  total = columns * rows;
  pixelShift = bytes === 1 ? 0 : 2;
  ringMask = total <= ringPixels ? u32.MAX_VALUE : ringPixels - 1;
  ring = allocateRing(total, bytes);
  cache = 0;
  if (cacheBits > 0) {
    cacheBytes = (<usize>4) << cacheBits;
    cacheShift = 32 - cacheBits;
    cache = allocateCache(cacheBits);
    if (cache === 0) return outOfMemory;
  }
  tileGroups = 0;
  isLenient = false;
  for (let i: usize = 0; i < nearCodes; i += 1) {
    const x: i32 = load<i8>(nearPixels + (i << 1));
    const y: i32 = load<i8>(nearPixels + (i << 1), 1);
    store<i32>(nearDistances + (i << 2), max(1, x + y * <i32>columns));
  }
  startPixels();
  return ring === 0 ? outOfMemory : sound;
}

/** States which group each tile uses: u16 at `groups`, tiles with sides of 2^`sideBits`. */
export function setTileGroups(groups: usize, sideBits: u32): void {
  tileGroups = groups;
  tileBits = sideBits;
  tilesAcross = (width + (1 << sideBits) - 1) >> sideBits;
}

/** Lets the last symbol take bits behind the data. */
export function beLenient(): void {
  isLenient = true;
}

/** Begins with the first pixel. */
export function startPixels(): void {
  done = 0;
  column = 0;
  row = 0;
  if (cache !== 0) memory.fill(cache, 0, cacheBytes);
}

/** Where a pixel lies that has been decoded. */
export function pixelAt(pixel: u32): usize {
  return ring + ((<usize>(pixel & ringMask)) << pixelShift);
}

/** How many pixels lie in the ring from this one on, before it goes on at its beginning. */
export function pixelsTogether(pixel: u32): u32 {
  return ringSize(total) - (pixel & ringMask);
}

/**
 * Decodes until so many pixels are there; up to 4095 more may be, but for the last.
 * @returns a status
 */
export function decodePixels(goal: u32): i32 {
  while (done < goal) {
    const group = tileGroups === 0 ? groupAt(0) : groupAt(load<u16>(tileAt()));
    let pixels = min(goal - done, pixelsTogether(done));
    if (tileGroups !== 0) {
      const side: u32 = 1 << tileBits;
      pixels = min(pixels, min(width - column, side - (column & (side - 1))));
    }
    at = pixelAt(done);
    runStart = at;
    const kind = load<i32>(group, kindAt);
    let status = sound;
    if (kind === constantKind) fillRun(load<u32>(group, literalAt), pixels);
    else {
      status = provide();
      if (status !== sound) return status;
      pixels = min(pixels, (<u32>(readerEnd - readerNext) - loadBytes) / symbolBytes);
      // one symbol at a time tells which one runs out of bits
      if (isLenient && isTail) pixels = 1;
      runEnd = at + ((<usize>pixels) << pixelShift);
      status =
        pixelShift === 0
          ? decodeRun<u8, void>(group, kind)
          : cache === 0
            ? decodeRun<u32, void>(group, kind)
            : decodeRun<u32, u32>(group, kind);
      if (status !== sound) return status;
    }
    advance(<u32>((at - runStart) >> pixelShift));
    if (isOverrun() && !(isLenient && done === total)) return truncated;
  }
  return sound;
}

function tileAt(): usize {
  return tileGroups + ((<usize>((row >> tileBits) * tilesAcross + (column >> tileBits))) << 1);
}

function advance(pixels: u32): void {
  done += pixels;
  column += pixels;
  while (column >= width) {
    column -= width;
    row += 1;
  }
}

/** Pixels that take no bits. */
function fillRun(literal: u32, pixels: u32): void {
  const bytes = (<usize>pixels) << pixelShift;
  if (pixelShift === 0) memory.fill(at, <u8>(literal >> 8), bytes);
  else for (let i: usize = 0; i < bytes; i += 4) store<u32>(at + i, literal);
  if (cache !== 0) cacheColor(literal);
  at += bytes;
}

function cacheColor(color: u32): void {
  store<u32>(cache + ((<usize>((color * hashFactor) >> cacheShift)) << 2), color);
}

/**
 * Decodes from `at` to `runEnd` with one group; a reference may go beyond. There is a loop of its own
 * for each pair of types.
 *
 * @typeParam Pixel u32, or u8 where only green is decoded
 * @typeParam Cache u32 where colours come out of the cache, void where there is none
 * @returns a status
 */
function decodeRun<Pixel, Cache>(group: usize, kind: i32): i32 {
  const hasCache = !isVoid<Cache>();
  const onlyGreen = sizeof<Pixel>() === 1;
  const green = load<usize>(group, greenAt);
  const red = load<usize>(group, redAt);
  const blue = load<usize>(group, blueAt);
  const alpha = load<usize>(group, alphaAt);
  const greenMask = <u64>load<u32>(group, maskAt + greenAt);
  const redMask = <u64>load<u32>(group, maskAt + redAt);
  const blueMask = <u64>load<u32>(group, maskAt + blueAt);
  const literal = load<u32>(group, literalAt);
  const stop = runEnd;
  let to = at;
  let next = readerNext;
  let bits = readerBits;
  let count = readerCount;
  let status = sound;
  while (to < stop) {
    bits |= load<u64>(next) << count;
    next += (63 - count) >> 3;
    count |= 56;
    let entry: u32 = load<u16>(green + ((<usize>(bits & greenMask)) << 1));
    let length: i32 = entry & 15;
    if (length > rootBits) {
      bits >>= rootBits;
      count -= rootBits;
      entry = secondEntry(green, entry, <u32>bits);
      length = entry & 15;
    }
    bits >>= length;
    count -= length;
    const symbol = <i32>(entry >> 4);
    if (symbol < greenValues) {
      if (onlyGreen) {
        store<u8>(to, <u8>symbol);
        to += 1;
        continue;
      }
      let color = literal | ((<u32>symbol) << 8);
      if (kind !== greenKind) {
        entry = load<u16>(red + ((<usize>(bits & redMask)) << 1));
        length = entry & 15;
        if (length > rootBits) {
          bits >>= rootBits;
          count -= rootBits;
          entry = secondEntry(red, entry, <u32>bits);
          length = entry & 15;
        }
        bits >>= length;
        count -= length;
        color |= (entry >> 4) << 16;
        entry = load<u16>(blue + ((<usize>(bits & blueMask)) << 1));
        length = entry & 15;
        if (length > rootBits) {
          bits >>= rootBits;
          count -= rootBits;
          entry = secondEntry(blue, entry, <u32>bits);
          length = entry & 15;
        }
        bits >>= length;
        count -= length;
        color |= entry >> 4;
        if (kind !== opaqueKind) {
          if (count < 16) {
            bits |= load<u64>(next) << count;
            next += (63 - count) >> 3;
            count |= 56;
          }
          const alphaMask = <u64>load<u32>(group, maskAt + alphaAt);
          entry = load<u16>(alpha + ((<usize>(bits & alphaMask)) << 1));
          length = entry & 15;
          if (length > rootBits) {
            bits >>= rootBits;
            count -= rootBits;
            entry = secondEntry(alpha, entry, <u32>bits);
            length = entry & 15;
          }
          bits >>= length;
          count -= length;
          color |= (entry >> 4) << 24;
        }
      }
      store<u32>(to, color);
      to += 4;
      if (hasCache) cacheColor(color);
      continue;
    }
    if (hasCache && symbol >= cacheSymbols) {
      const color = load<u32>(cache + ((<usize>(symbol - cacheSymbols)) << 2));
      store<u32>(to, color);
      to += 4;
      cacheColor(color);
      continue;
    }
    // a reference: how many pixels, and how far back
    let code = <u32>(symbol - greenValues);
    let extra = extraBits(code);
    const pixels = leastValue(code) + (<u32>bits & ((1 << extra) - 1));
    bits >>= extra;
    count -= extra;
    const distance = load<usize>(group, distanceAt);
    const distanceMask = <u64>load<u32>(group, maskAt + distanceAt);
    entry = load<u16>(distance + ((<usize>(bits & distanceMask)) << 1));
    length = entry & 15;
    if (length > rootBits) {
      bits >>= rootBits;
      count -= rootBits;
      entry = secondEntry(distance, entry, <u32>bits);
      length = entry & 15;
    }
    bits >>= length;
    count -= length;
    code = entry >> 4;
    extra = extraBits(code);
    if (count < extra) {
      bits |= load<u64>(next) << count;
      next += (63 - count) >> 3;
      count |= 56;
    }
    const back = distanceOf(leastValue(code) + (<u32>bits & ((1 << extra) - 1)));
    bits >>= extra;
    count -= extra;
    const place = done + <u32>((to - runStart) >> (onlyGreen ? 0 : 2));
    if (back > place || pixels > total - place) {
      status = badReference;
      break;
    }
    const from = to;
    to += pixels * sizeof<Pixel>();
    if (onlyGreen) copyGreen(from, pixels, back);
    else {
      copyReference(from, pixels, back);
      if (hasCache) cacheReference(from, pixels);
    }
  }
  setBits(next, bits, count);
  at = to;
  return status;
}

/** The entry of a longer code: `bits` are those behind the root's. */
function secondEntry(table: usize, link: u32, bits: u32): u32 {
  const index = bits & ((1 << ((link & 15) - rootBits)) - 1);
  return load<u16>(table + ((<usize>(link >> 4)) << 2) + ((<usize>index) << 1));
}

/** Of the symbol of a length or distance: how many bits follow it, and what they are added to (§5.2.2). */
function extraBits(symbol: u32): i32 {
  return symbol < 4 ? 0 : (symbol - 2) >> 1;
}

function leastValue(symbol: u32): u32 {
  return symbol < 4 ? symbol + 1 : ((2 + (symbol & 1)) << ((symbol - 2) >> 1)) + 1;
}

/** How many pixels a coded distance goes back. */
function distanceOf(code: u32): u32 {
  return code > nearCodes
    ? code - nearCodes
    : load<u32>(nearDistances + ((<usize>(code - 1)) << 2));
}

/** Copies pixels from so many back to `to`, on both sides of the ring's end where need be. */
function copyReference(to: usize, pixels: u32, back: u32): void {
  const ringEnd = ring + ((<usize>ringSize(total)) << 2);
  let from = to - ((<usize>back) << 2);
  if (from < ring || from >= ringEnd) from += (<usize>ringPixels) << 2;
  const bytes = (<usize>pixels) << 2;
  if (max(from, to) + bytes <= ringEnd) {
    copyColors(to, from, bytes);
    return;
  }
  for (let i: u32 = 0; i < pixels; i += 1) {
    store<u32>(to, load<u32>(from));
    to = nextInRing(to, ringEnd);
    from = nextInRing(from, ringEnd);
  }
}

function nextInRing(at: usize, ringEnd: usize): usize {
  return at + 4 === ringEnd ? ring : at + 4;
}

/** Copies pixels of a byte, as `copyReference` does. */
function copyGreen(to: usize, pixels: u32, back: u32): void {
  const ringEnd = ring + ringSize(total);
  let from = to - back;
  if (from < ring || from >= ringEnd) from += ringPixels;
  if (max(from, to) + pixels <= ringEnd) {
    copyBytes(to, from, pixels);
    return;
  }
  for (let i: u32 = 0; i < pixels; i += 1) {
    store<u8>(to, load<u8>(from));
    to = to + 1 === ringEnd ? ring : to + 1;
    from = from + 1 === ringEnd ? ring : from + 1;
  }
}

/** Puts the pixels of a reference into the colour cache. */
function cacheReference(from: usize, pixels: u32): void {
  const ringEnd = ring + ((<usize>ringSize(total)) << 2);
  for (let i: u32 = 0; i < pixels; i += 1) {
    cacheColor(load<u32>(from));
    from = nextInRing(from, ringEnd);
  }
}
