/**
 * Finds the longest backward reference for each pixel of a band by hash chains. Works from the last pixel backwards, so
 * that a reference can be extended to the preceding pixels.
 */
import { allocate } from '../../../../wasm/assembly/memory';
import { distanceCode } from './histograms';

/** Maximum length of a reference; references are stored as distance code << 12 | length. */
export const maxLength: i32 = 4095;
export const lengthBits: u32 = 12;

/** Length increase of a reference when it is extended to each of the four preceding pixels. */
export const lengthened: usize = memory.data<u32>([4, 3, 2, 1]);

/** Maximum distance: the highest bit of a choice is not part of the distance code. */
const maxDistance: i32 = (1 << 19) - 121;

/** First position of a pixel; 0 means none. */
const firstPosition: u32 = 1;

let hashShift: i32 = 0;
/** The latest position of each hash. */
let heads: usize = 0;
/** For each position in the window: the previous one with the same hash. */
let chain: usize = 0;
let chainMask: u32 = 0;
/** Reference of each pixel in the band; 0 if there is none. */
export let matches: usize = 0;
/**
 * Maximum number of positions to try per pixel. Residuals match by chance, so the nearest are as good, and cost least.
 */
const depthOfColors: i32 = 32;
const depthOfResiduals: i32 = 8;
let depth: i32 = 0;
/** Position of the band's first pixel. */
let position: u32 = 0;
/** Number of pixels of the band, from the first one, whose references have not been found yet. */
let unmatched: i32 = 0;

/**
 * Allocates 4 bytes for each hash, each pixel of the band, and each pixel of the window, whose number is rounded up to
 * a power of two.
 * @returns false if there is no memory
 */
export function allocateMatchFinder(hashBits: i32, windowPixels: i32, bandPixels: i32): bool {
  hashShift = 32 - hashBits;
  const positions: u32 = 1 << (32 - clz(windowPixels - 1));
  chainMask = positions - 1;
  heads = allocate((<usize>4) << hashBits);
  chain = allocate((<usize>positions) << 2);
  matches = allocate((<usize>bandPixels) << 2);
  return heads !== 0 && chain !== 0 && matches !== 0;
}

/**
 * Starts a picture.
 * @param areResiduals whether pixels are residuals
 */
export function beginMatches(areResiduals: bool): void {
  depth = areResiduals ? depthOfResiduals : depthOfColors;
  position = firstPosition;
  memory.fill(heads, 0, (<usize>4) << (32 - hashShift));
}

/** Begins to find the reference of each pixel of the band. */
export function beginBandMatches(pixels: i32): void {
  link(pixels);
  unmatched = pixels;
}

/**
 * Goes on to find references, for about as many pixels as `most`.
 * @param width width of the picture
 * @returns whether pixels are left
 */
export function findMatches(pixels: i32, width: i32, most: i32): bool {
  const stop = max(0, unmatched - most);
  let i = unmatched - 1;
  while (i >= stop) {
    const before = min(i + history, maxDistance);
    i = findMatch(i, pixels, position + i - before, width);
  }
  unmatched = i + 1;
  if (unmatched > 0) return true;
  position += pixels;
  return false;
}

function hashOf(a: u32, b: u32, c: u32): usize {
  return (<usize>((a * 0x9e3779b1 + b * 0x85ebca6b + c * 0xc2b2ae35) >> hashShift)) << 2;
}

/**
 * Number of pixels before the last one of a run of one color that are linked, in addition to its first and last;
 * references are extended to those between.
 */
const linkedRepeats: i32 = 16;

/** Links each pixel of the band with the previous one with the same hash. */
function link(pixels: i32): void {
  for (let i = 0; i < pixels; ) {
    const color = load<u32>(bandAt + ((<usize>i) << 2));
    const last = endOfRun(i, color, pixels) - 1;
    linkPixel(i, color, last, pixels);
    for (i += 1; i < last - linkedRepeats; i += 1) {
      store<u32>(chain + ((<usize>((position + i) & chainMask)) << 2), 0);
    }
    for (; i <= last; i += 1) linkPixel(i, color, last, pixels);
  }
}

/** Links a pixel of a run. */
function linkPixel(i: i32, color: u32, last: i32, pixels: i32): void {
  // Within a run, all triples are equal; the remaining length distinguishes them.
  const repeats = last - i;
  const at = bandAt + ((<usize>i) << 2);
  const second = repeats > 1 ? <u32>repeats : i + 1 < pixels ? load<u32>(at, 4) : 0;
  const third = repeats > 1 || i + 2 >= pixels ? 0 : load<u32>(at, 8);
  const head = heads + hashOf(color, second, third);
  store<u32>(chain + ((<usize>((position + i) & chainMask)) << 2), load<u32>(head));
  store<u32>(head, position + i);
}

/** The first pixel after `i` with another color. */
function endOfRun(i: i32, color: u32, pixels: i32): i32 {
  const four = i32x4.splat(color);
  for (i += 1; i < pixels; i += 4) {
    const same = i32x4.bitmask(i32x4.eq(v128.load(bandAt + ((<usize>i) << 2)), four));
    if (same !== 15) return min(i + <i32>ctz(~same), pixels);
  }
  return pixels;
}

/**
 * Finds the reference of pixel `i`, and of the preceding ones to which it can be extended.
 * @param first first position that references may reach
 * @returns the last pixel without a reference
 */
function findMatch(i: i32, pixels: i32, first: u32, width: i32): i32 {
  const here = bandAt + ((<usize>i) << 2);
  const most = min(pixels - i, maxLength);
  const current = position + i;
  let length = 0;
  let distance: u32 = 0;
  const color = load<u32>(here);
  const above = here - ((<usize>width) << 2);
  if (current - first >= <u32>width && load<u32>(above) === color) {
    length = commonLength(above, here, most);
    distance = width;
  }
  if (current > first && load<u32>(here - 4) === color) {
    const repeated = commonLength(here - 4, here, most);
    if (repeated > length) {
      length = repeated;
      distance = 1;
    }
  }
  let other = load<u32>(chain + ((<usize>(current & chainMask)) << 2));
  for (let left = depth; left > 0 && other >= first && length < most; left -= 1) {
    const place = here - ((<usize>(current - other)) << 2);
    const offset = (<usize>length) << 2;
    if (load<u32>(place + offset) === load<u32>(here + offset)) {
      const common = commonLength(place, here, most);
      if (common > length) {
        length = common;
        distance = current - other;
        if (length >= goodLength) break;
      }
    }
    if (length < promisingLength && left <= depth - fewPositions) break;
    other = load<u32>(chain + ((<usize>(other & chainMask)) << 2));
  }
  return extend(i, length, distance, current - first);
}

/**
 * If the first positions give no reference of at least `promisingLength` pixels, the content is noise, and the search
 * ends.
 */
const promisingLength: i32 = 6;
const fewPositions: i32 = 12;
/** Length of a reference at which the search ends. */
const goodLength: i32 = 256;

/**
 * Stores the reference of pixel `i`, and extends it to the preceding pixels.
 *
 * @param before number of pixels before `i` that references may reach
 * @returns the last pixel without a reference
 */
function extend(i: i32, length: i32, distance: u32, before: u32): i32 {
  const code = distance === 0 ? 0 : distanceCode(distance) << lengthBits;
  store<u32>(matches + ((<usize>i) << 2), length === 0 ? 0 : code | length);
  i -= 1;
  if (length === 0) return i;
  const start = i;
  const back = distance << 2;
  const first = max(0, i + 1 - <i32>(before - distance));
  for (; i - 3 >= first; i -= 4) {
    const at = (<usize>(i - 3)) << 2;
    const four = bandAt + at;
    if (!i32x4.all_true(i32x4.eq(v128.load(four), v128.load(four - back)))) break;
    const lengths = i32x4.min_u(
      i32x4.add(i32x4.splat(length), v128.load(lengthened)),
      i32x4.splat(maxLength),
    );
    v128.store(matches + at, v128.or(lengths, i32x4.splat(code)));
    length = min(length + 4, maxLength);
    // A nearer reference may be as long.
    if (length === maxLength && distance !== 1 && start - i >= maxLength) return i - 4;
  }
  for (; i >= first; i -= 1) {
    const at = bandAt + ((<usize>i) << 2);
    if (load<u32>(at) !== load<u32>(at - back)) break;
    length = min(length + 1, maxLength);
    store<u32>(matches + ((<usize>i) << 2), code | length);
  }
  return i;
}

/** Number of equal pixels, at most `most`. */
function commonLength(a: usize, b: usize, most: i32): i32 {
  let length = 0;
  while (length + 4 <= most) {
    const offset = (<usize>length) << 2;
    const same = i32x4.bitmask(i32x4.eq(v128.load(a + offset), v128.load(b + offset)));
    if (same !== 15) return length + <i32>ctz(~same);
    length += 4;
  }
  while (length < most) {
    const offset = (<usize>length) << 2;
    if (load<u32>(a + offset) !== load<u32>(b + offset)) break;
    length += 1;
  }
  return length;
}

// The coded pixels: those of the current band, preceded by those that references can reach. They are contiguous, and
// are moved when a band has been encoded.

/** Margin in bytes after the last pixel for wide loads and stores. */
const margin: usize = 64;

/** Maximum number of pixels that are kept before the band. */
let historyPixels: i32 = 0;
let start: usize = 0;

/** Pointer to the first pixel of the band, and number of pixels before it. */
export let bandAt: usize = 0;
export let history: i32 = 0;

/**
 * Allocates 4 bytes for each pixel.
 * @param most maximum number of pixels in a band
 * @returns false if there is no memory
 */
export function allocateWindow(historyLength: i32, most: i32): bool {
  historyPixels = historyLength;
  start = allocate(((<usize>(historyLength + most)) << 2) + margin);
  return start !== 0;
}

/** Starts with nothing before the band. */
export function beginWindow(): void {
  bandAt = start;
  history = 0;
}

/** Makes the pixels of the band and those before it reachable for references of the next band. */
export function slideWindow(pixels: i32): void {
  const kept = min(history + pixels, historyPixels);
  memory.copy(start, bandAt + ((<usize>(pixels - kept)) << 2), (<usize>kept) << 2);
  history = kept;
  bandAt = start + ((<usize>kept) << 2);
}
