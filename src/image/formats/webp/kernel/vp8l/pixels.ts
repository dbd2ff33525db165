/**
 * Decodes pixels before inverse transforms: literals, backward references, and colors from the cache (RFC 9649 §5.2,
 * §6.2). They are stored in a ring that reaches back as far as references can.
 */
import { allocate, release } from '../../../../wasm/assembly/memory';
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
  takeBits,
} from './bit-reader';
import {
  alphaAt,
  beginGroups,
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
  readGroups,
  redAt,
  rootBits,
} from './prefix-codes';
import {
  baseValue,
  beginCache,
  beginRing,
  cacheColor,
  cacheColors,
  cachedColor,
  clearCache,
  distanceOf,
  extraBits,
  isCaching,
  pixelAt,
  pixelShift,
  pixelsTogether,
  repeatColors,
  repeatGreens,
  setReferenceWidth,
} from './references';
import { badCache, badReference, incomplete, outOfMemory, sound, truncated } from './status';

/** First symbol of the green code for an entry of the color cache. */
const cacheSymbols: i32 = greenValues + lengthSymbols;

/** Width of the picture, number of its pixels, and number of those decoded. */
let width: u32 = 0;
let total: u32 = 0;
let done: u32 = 0;
/** Position of the next pixel. */
let column: u32 = 0;
let row: u32 = 0;

/** Group of each tile, u16, or a null pointer if there is one group; log2 of the tile side. */
let tileGroups: usize = 0;
let tileBits: u32 = 0;
let tilesAcross: u32 = 0;

/** Whether the last symbol may read bits after the end of the data. */
let isLenient: bool = false;

/** In the ring: the next pixel, and the start and end of the current run. */
let at: usize = 0;
let runStart: usize = 0;
let runEnd: usize = 0;

/**
 * Allocates the memory for decoding a picture.
 *
 * @param columns width of the picture; `rows`: its height
 * @param bytes bytes per pixel: 4, or 1 if only green is decoded
 * @param cacheBits log2 of the size of the color cache; 0 without one
 * @returns a status of status.ts
 */
export function beginPixels(columns: u32, rows: u32, bytes: u32, cacheBits: u32): i32 {
  width = columns;
  total = columns * rows;
  tileGroups = 0;
  isLenient = false;
  if (!beginRing(total, bytes) || !beginCache(cacheBits)) return outOfMemory;
  setReferenceWidth(columns);
  startPixels();
  return sound;
}

/** Sets the group of each tile: u16 at `groups`, for tiles with sides of 2^`sideBits`. */
export function setTileGroups(groups: usize, sideBits: u32): void {
  tileGroups = groups;
  tileBits = sideBits;
  tilesAcross = (width + (1 << sideBits) - 1) >> sideBits;
}

/** Allows the last symbol to read bits after the end of the data. */
export function allowOverrun(): void {
  isLenient = true;
}

/** Starts with the first pixel. */
export function startPixels(): void {
  done = 0;
  column = 0;
  row = 0;
  clearCache();
}

/**
 * Decodes until this number of pixels is reached; up to 4095 more may be decoded, within the picture.
 * @returns a status of status.ts
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
      // Decodes one symbol at a time, to detect which one runs out of bits.
      if (isLenient && isTail) pixels = 1;
      runEnd = at + ((<usize>pixels) << pixelShift);
      status =
        pixelShift === 0
          ? decodeRun<u8, void>(group, kind)
          : isCaching()
            ? decodeRun<u32, u32>(group, kind)
            : decodeRun<u32, void>(group, kind);
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

/** Stores pixels that take no bits. */
function fillRun(literal: u32, pixels: u32): void {
  const bytes = (<usize>pixels) << pixelShift;
  if (pixelShift === 0) memory.fill(at, <u8>(literal >> 8), bytes);
  else for (let i: usize = 0; i < bytes; i += 4) store<u32>(at + i, literal);
  if (isCaching()) cacheColor(literal);
  at += bytes;
}

/**
 * Decodes from `at` to `runEnd` with one group; a reference may go beyond. Compiled separately for each pair of types.
 *
 * @typeParam Pixel u32, or u8 if only green is decoded
 * @typeParam Cache u32 with a color cache, void without one
 * @returns a status of status.ts
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
      const color = cachedColor(symbol - cacheSymbols);
      store<u32>(to, color);
      to += 4;
      cacheColor(color);
      continue;
    }
    // A backward reference: length, then distance.
    let code = <u32>(symbol - greenValues);
    let extra = extraBits(code);
    const pixels = baseValue(code) + (<u32>bits & ((1 << extra) - 1));
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
    const back = distanceOf(baseValue(code) + (<u32>bits & ((1 << extra) - 1)));
    bits >>= extra;
    count -= extra;
    const place = done + <u32>((to - runStart) >> (onlyGreen ? 0 : 2));
    if (back > place || pixels > total - place) {
      status = badReference;
      break;
    }
    const from = to;
    to += pixels * sizeof<Pixel>();
    if (onlyGreen) repeatGreens(from, pixels, back);
    else {
      repeatColors(from, pixels, back);
      if (hasCache) cacheColors(from, pixels);
    }
  }
  setBits(next, bits, count);
  at = to;
  return status;
}

/** The entry of a code that is longer than the root; `bits` follow those of the root. */
function secondEntry(table: usize, link: u32, bits: u32): u32 {
  const index = bits & ((1 << ((link & 15) - rootBits)) - 1);
  return load<u16>(table + ((<usize>(link >> 4)) << 2) + ((<usize>index) << 1));
}

// Subresolution pictures in a VP8L stream: transform data of each tile, a palette, or the entropy image (RFC 9649 §4,
// §6.2.2). They are decoded as a whole; only the relevant part of each pixel is kept.

/** The whole pixel is kept. */
export const wholePixel: i32 = 0;
/** Red and green are kept as a 16-bit number. */
export const redGreen: i32 = 1;
/** The lower half of green is kept. */
export const halfGreen: i32 = 2;

/** log2 of the maximum size of the color cache (§5.2.3). */
export const maxCacheBits: u32 = 11;
/** Number of pixels that are decoded in a step. */
const portion: u32 = 1 << 16;

/** Bytes that are kept per pixel. */
export function keptBytes(kept: i32): u32 {
  if (kept === wholePixel) return 4;
  return kept === redGreen ? 2 : 1;
}

/** Number of tiles with sides of 2^`sideBits` that cover this many pixels. */
export function tilesOver(pixels: u32, sideBits: u32): u32 {
  return (pixels + (1 << sideBits) - 1) >> sideBits;
}

/** log2 of the size of the color cache that was read last; 0 without one. */
export let statedCacheBits: u32 = 0;

/** Reads the size of the color cache. Returns a status. */
export function readCacheBits(): i32 {
  statedCacheBits = 0;
  if (!takeBits(1)) return sound;
  statedCacheBits = takeBits(4);
  return statedCacheBits < 1 || statedCacheBits > maxCacheBits ? badCache : sound;
}

/** Number of entries of the cache whose size was read last. */
function statedCacheColors(): i32 {
  return statedCacheBits === 0 ? 0 : 1 << statedCacheBits;
}

/** End of the memory that is used beyond the subresolution picture; its number of pixels, and of those that are kept. */
let mark: usize = 0;
let tileCount: u32 = 0;
let keptTiles: u32 = 0;
let kept: i32 = wholePixel;
let keptAt: usize = 0;

/**
 * Begins to decode a subresolution picture.
 *
 * @param part the part of its pixels that is kept, and `to`: destination for these
 * @returns a status of status.ts
 */
export function beginTiles(columns: u32, rows: u32, part: i32, to: usize): i32 {
  mark = allocate(0);
  tileCount = columns * rows;
  keptTiles = 0;
  kept = part;
  keptAt = to;
  let status = readCacheBits();
  if (status !== sound) return status;
  status = beginGroups(1, 0, 1, statedCacheColors());
  if (status !== sound) return status;
  status = readGroups();
  if (status !== sound) return status;
  return beginPixels(columns, rows, 4, statedCacheBits);
}

/**
 * Goes on to decode a subresolution picture; frees what that has taken at its end.
 * @returns a status of status.ts; `incomplete` if pixels are left
 */
export function readTiles(): i32 {
  const goal = min(tileCount, keptTiles + portion);
  const status = decodePixels(goal);
  if (status !== sound) return status;
  for (; keptTiles < goal; keptTiles += 1) keep(load<u32>(pixelAt(keptTiles)), keptTiles);
  if (keptTiles < tileCount) return incomplete;
  release(mark);
  return isOverrun() ? truncated : sound;
}

function keep(color: u32, pixel: u32): void {
  if (kept === wholePixel) store<u32>(keptAt + ((<usize>pixel) << 2), color);
  else if (kept === redGreen) store<u16>(keptAt + ((<usize>pixel) << 1), <u16>(color >> 8));
  else store<u8>(keptAt + pixel, <u8>((color >> 8) & 15));
}
