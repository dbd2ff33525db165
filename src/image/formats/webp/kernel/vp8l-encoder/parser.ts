/**
 * Which pixels are coded as they are, as entries of the colour cache, or by a reference: the cheapest way through a
 * band, from its last pixel back, so that the costs of all that follows are known.
 */
import { allocate } from '../../../../wasm/assembly/memory';
import { distanceCost, entryCost, lengthCost, literalCost } from './costs';
import { lengthBits, matches, maxLength } from './match-finder';
import { cacheBits, distanceCode, entryOf, mostCacheBits, prefixSymbol } from './symbols';
import { bandAt, history } from './window';

/**
 * For each pixel of the band what was chosen, u32: the code of a distance << 12 | a length as in `matches`, or 0. The
 * uppermost bit says that the cache has the pixel.
 */
export let choices: usize = 0;
export const cachedBit: u32 = 0x80000000;
/** Cost from each pixel on to the end of the band. */
let costsFrom: usize = 0;
/** The colour cache before the band, and as the run through it goes on. */
let cache: usize = 0;
/** The longest length that each of the 24 symbols stands for. */
const longestOf: usize = memory.data<i32>([
  1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048,
  3072, 4096,
]);

/** Allocates 8 bytes for each pixel of a band; false where there is no room. */
export function allocateParser(bandPixels: i32): bool {
  choices = allocate((<usize>bandPixels) << 2);
  costsFrom = allocate((<usize>(bandPixels + 1)) << 2);
  cache = allocate((<usize>4) << mostCacheBits);
  return choices !== 0 && costsFrom !== 0 && cache !== 0;
}

/** Empties the colour cache: all its colours are transparent black. */
export function emptyCache(): void {
  memory.fill(cache, 0, (<usize>4) << mostCacheBits);
}

/** Notes which pixels of the band the colour cache has, and takes all of them into it. */
export function runCache(pixels: i32): void {
  const end = choices + ((<usize>pixels) << 2);
  if (cacheBits === 0) {
    for (let at = choices; at < end; at += 4) store<u32>(at, load<u32>(at) & ~cachedBit);
    return;
  }
  let last: u32 = 0;
  let isCached = false;
  for (let at = choices, from = bandAt; at < end; at += 4, from += 4) {
    const color = load<u32>(from);
    if (color === last && at > choices) {
      isCached = true;
    } else {
      const entry = cache + ((<usize>entryOf(color)) << 2);
      isCached = load<u32>(entry) === color;
      store<u32>(entry, color);
      last = color;
    }
    store<u32>(at, (load<u32>(at) & ~cachedBit) | (isCached ? cachedBit : 0));
  }
}

/** What a reference has to stand for while nothing is known of costs: shorter ones often take more than they save. */
const leastLength: u32 = 6;

/** Chooses references as they come, while nothing is known of costs. */
export function chooseGreedily(pixels: i32): void {
  for (let i = 0; i < pixels; ) {
    const at = choices + ((<usize>i) << 2);
    const match = load<u32>(matches + ((<usize>i) << 2));
    const length = match & maxLength;
    const isTaken = length >= leastLength;
    store<u32>(at, isTaken ? match : 0);
    i += isTaken ? length : 1;
  }
}

/** What was found so far at the pixel that is looked at: cost and choice. */
let best: u32 = 0;
let choice: u32 = 0;

/**
 * Chooses what costs least.
 * @param width of the picture
 */
export function chooseCheapest(pixels: i32, width: i32): void {
  store<u32>(costsFrom + ((<usize>pixels) << 2), 0);
  const aboveCode = distanceCode(width);
  const leftCode = distanceCode(1);
  const aboveCost = distanceCost(prefixSymbol(aboveCode));
  const leftCost = distanceCost(prefixSymbol(leftCode));
  const aboveBytes = (<usize>width) << 2;
  let above = 0;
  let left = 0;
  choice = 0;
  for (let i = pixels - 1; i >= 0; i -= 1) {
    const at = bandAt + ((<usize>i) << 2);
    const color = load<u32>(at);
    const before = i + history;
    above = before >= width && load<u32>(at - aboveBytes) === color ? min(above + 1, maxLength) : 0;
    left = before >= 1 && load<u32>(at - 4) === color ? min(left + 1, maxLength) : 0;
    const match = load<u32>(matches + ((<usize>i) << 2));
    const length = <i32>(match & maxLength);
    const code = match >> lengthBits;
    const place = choices + ((<usize>i) << 2);
    const isCached = load<u32>(place) & cachedBit;
    const from = costsFrom + ((<usize>i) << 2);

    const lastCode = choice >> lengthBits;
    const most =
      lastCode === aboveCode
        ? above
        : lastCode === leftCode
          ? left
          : lastCode === code
            ? length
            : 0;
    if (most > 0 && isExtended(most)) {
      choice += 1;
      store<u32>(from, load<u32>(from, 4));
    } else {
      best = load<u32>(from, 4) + (isCached ? entryCost(entryOf(color)) : literalCost(color));
      choice = 0;
      if (above > 0 && (above > left || aboveCost < leftCost))
        weigh(from, aboveCode, above, aboveCost);
      if (left > 0 && (left > above || leftCost <= aboveCost))
        weigh(from, leftCode, left, leftCost);
      if (length > max(above, left)) {
        weigh(from, code, length, distanceCost(prefixSymbol(code)));
      }
      store<u32>(from, best);
    }
    store<u32>(place, choice | isCached);
  }
}

/**
 * Whether the reference that was chosen for the next pixel serves this one, too, with the same symbols: hardly anything
 * else takes less then.
 *
 * @param most what its length can be
 */
function isExtended(most: i32): bool {
  const length = (choice & maxLength) + 1;
  return length <= <u32>most && length > 4 && prefixSymbol(length) === prefixSymbol(length - 1);
}

/**
 * Weighs the lengths of a reference: of those with the same symbol the longest is the best. Costs hardly ever grow
 * towards the end of the band, so shorter ones are in vain where what follows alone takes more than the best.
 *
 * @param from where the cost from the pixel on goes
 */
function weigh(from: usize, code: u32, most: i32, distanceCost: u32): void {
  let length = most;
  for (let symbol = prefixSymbol(most); ; symbol -= 1) {
    const before = distanceCost + load<u32>(from + ((<usize>length) << 2));
    if (before >= best) return;
    const cost = before + lengthCost(symbol);
    if (cost < best) {
      best = cost;
      choice = (code << lengthBits) | length;
    }
    if (symbol === 0) return;
    length = load<i32>(longestOf + ((<usize>(symbol - 1)) << 2));
  }
}
