/**
 * References to earlier pixels: for each pixel of a band the longest that chains of equal hashes lead to. They are
 * found from the last pixel back, so that one that can be had for the next pixel serves this one, too.
 */
import { allocate } from '../../../../wasm/assembly/memory';
import { distanceCode } from './symbols';
import { bandAt, history } from './window';

/** Longest reference, and how a reference is written: the code of its distance << 12 | its length. */
export const maxLength: i32 = 4095;
export const lengthBits: u32 = 12;

/** How much longer a reference is that begins at each of the four pixels before. */
export const lengthened: usize = memory.data<u32>([4, 3, 2, 1]);

/** How far references may go back: the uppermost bit of a choice is none of its distance's. */
const mostDistance: i32 = (1 << 19) - 121;

/** Positions of pixels count from here on, so that 0 is none. */
const firstPosition: u32 = 1;

let hashShift: i32 = 0;
/** The last position of each hash. */
let heads: usize = 0;
/** For each position of the window the one before with the same hash. */
let chain: usize = 0;
let chainMask: u32 = 0;
/** For each pixel of the band its reference, 0 without one. */
export let matches: usize = 0;
/** Positions that are looked at for a pixel, at most; residuals are alike by chance, and those near by cost least. */
const depthOfColors: i32 = 32;
const depthOfResiduals: i32 = 8;
let depth: i32 = 0;
/** The position of the band's first pixel. */
let position: u32 = 0;

/**
 * Allocates 4 bytes for each hash, for each pixel of the window, rounded up to a power of two, and for each of the band.
 * @returns false if there is no room
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
 * Begins a picture.
 * @param areResiduals whether pixels are residuals
 */
export function beginMatches(areResiduals: bool): void {
  depth = areResiduals ? depthOfResiduals : depthOfColors;
  position = firstPosition;
  memory.fill(heads, 0, (<usize>4) << (32 - hashShift));
}

/**
 * Finds the reference of each pixel of the band.
 * @param width of the picture
 */
export function findMatches(pixels: i32, width: i32): void {
  link(pixels);
  for (let i = pixels - 1; i >= 0; ) {
    const before = min(i + history, mostDistance);
    i = findMatch(i, pixels, position + i - before, width);
  }
  position += pixels;
}

function hashOf(a: u32, b: u32, c: u32): usize {
  return (<usize>((a * 0x9e3779b1 + b * 0x85ebca6b + c * 0xc2b2ae35) >> hashShift)) << 2;
}

/**
 * Of a run of one color the first pixel is linked, and so many before its last: references to these are extended to
 * those between.
 */
const linkedRepeats: i32 = 16;

/** Links each pixel of the band with the last one before that has the same hash. */
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
  // within a run all triples are the same: its length tells them apart
  const repeats = last - i;
  const at = bandAt + ((<usize>i) << 2);
  const second = repeats > 1 ? <u32>repeats : i + 1 < pixels ? load<u32>(at, 4) : 0;
  const third = repeats > 1 || i + 2 >= pixels ? 0 : load<u32>(at, 8);
  const head = heads + hashOf(color, second, third);
  store<u32>(chain + ((<usize>((position + i) & chainMask)) << 2), load<u32>(head));
  store<u32>(head, position + i);
}

/** The first pixel behind `i` that has another color. */
function endOfRun(i: i32, color: u32, pixels: i32): i32 {
  const four = i32x4.splat(color);
  for (i += 1; i < pixels; i += 4) {
    const same = i32x4.bitmask(i32x4.eq(v128.load(bandAt + ((<usize>i) << 2)), four));
    if (same !== 15) return min(i + <i32>ctz(~same), pixels);
  }
  return pixels;
}

/**
 * Finds the reference of pixel `i`, and of those before it that have the same one.
 * @param first position that references may go to
 * @returns the last pixel that has none yet
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

/** Where nothing longer has been found at so many positions, there is noise, and others are no better. */
const promisingLength: i32 = 6;
const fewPositions: i32 = 12;
/** Where a reference is so long, no longer one is looked for. */
const goodLength: i32 = 256;

/**
 * Gives the reference to pixel `i`, and to those before it that it can be extended to.
 *
 * @param before how many pixels there are before `i` that references may go to
 * @returns the last pixel that has none yet
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
    // a nearer one may be as long
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

/** How many pixels are the same, at most `most`. */
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
