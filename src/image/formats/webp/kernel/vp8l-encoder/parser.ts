/**
 * Chooses between literals, color cache entries and references: the cheapest path through a band, by dynamic
 * programming from its last pixel backwards.
 */
import { logarithm } from '../../../../wasm/assembly/logarithms';
import { allocate } from '../../../../wasm/assembly/memory';
import { distanceOf, extraBits } from '../vp8l/references';
import {
  alphaAt,
  blueAt,
  codeAt,
  codeCount,
  codeSymbols,
  distanceAt,
  distanceCode,
  distanceSymbols,
  entryOf,
  firstEntry,
  firstLength,
  greenAt,
  maxSymbols,
  prefixSymbol,
  redAt,
} from './histograms';
import { bandAt, history, lengthBits, lengthened, matches, maxLength } from './match-finder';

/**
 * The choice for each pixel of the band, u32: distance code << 12 | length as in `matches`, or 0. The highest bit means
 * that the pixel is in the color cache.
 */
export let choices: usize = 0;
export const cachedBit: u32 = 0x80000000;
/** Cost from each pixel to the end of the band. */
let costsFrom: usize = 0;
/** Maximum length of each of the 24 length symbols. */
const longestOf: usize = memory.data<i32>([
  1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048,
  3072, 4096,
]);

/** Allocates 8 bytes for each pixel of a band; returns false if there is no memory. */
export function allocateParser(bandPixels: i32): bool {
  choices = allocate((<usize>bandPixels) << 2);
  costsFrom = allocate((<usize>(bandPixels + 1)) << 2);
  return choices !== 0 && costsFrom !== 0;
}

/** Minimum length of a reference while costs are unknown; shorter ones often cost more than they save. */
const minLength: u32 = 6;

/** Chooses references greedily, while costs are unknown. */
export function chooseGreedily(pixels: i32): void {
  for (let i = 0; i < pixels; ) {
    const at = choices + ((<usize>i) << 2);
    const match = load<u32>(matches + ((<usize>i) << 2));
    const length = match & maxLength;
    const isTaken = length >= minLength;
    store<u32>(at, isTaken ? match : 0);
    i += isTaken ? length : 1;
  }
}

/** Lowest cost so far at the current pixel, and its choice. */
let best: u32 = 0;
let choice: u32 = 0;

/** First pixel of the path, and the pixel after its last one; the next pixel to visit. */
let pathStart: i32 = 0;
let pathEnd: i32 = 0;
let nextPixel: i32 = 0;

/**
 * The last visited pixel, and the first pixels from there on that differ from those above and to the left.
 */
let lastVisited: i32 = 0;
let aboveStop: i32 = 0;
let leftStop: i32 = 0;

/** Begins to find the cheapest path for the pixels from `start` to `end`, ignoring what follows. */
export function beginPath(start: i32, end: i32): void {
  store<u32>(costsFrom + ((<usize>end) << 2), 0);
  pathStart = start;
  pathEnd = end;
  nextPixel = end - 1;
  lastVisited = end;
  aboveStop = end;
  leftStop = end;
  choice = 0;
}

/**
 * Goes on to find the cheapest path, over about as many pixels as `most`.
 * @param width width of the picture
 * @returns whether pixels are left
 */
export function chooseCheapest(width: i32, most: i32): bool {
  const start = pathStart;
  const end = pathEnd;
  const stop = max(start, nextPixel + 1 - most);
  const aboveCode = distanceCode(width);
  const leftCode = distanceCode(1);
  const aboveCost = distanceCost(prefixSymbol(aboveCode));
  const leftCost = distanceCost(prefixSymbol(leftCode));
  let i = nextPixel;
  for (; i >= stop; i -= 1) {
    if (choice !== 0) {
      i = extendBack(i, start);
      if (i < start) break;
    }
    aboveStop = differing(i, width, aboveStop);
    leftStop = differing(i, 1, leftStop);
    lastVisited = i;
    const above = min(aboveStop - i, maxLength);
    const left = min(leftStop - i, maxLength);
    const match = load<u32>(matches + ((<usize>i) << 2));
    const length = min(<i32>(match & maxLength), end - i);
    const code = match >> lengthBits;
    const color = load<u32>(bandAt + ((<usize>i) << 2));
    const place = choices + ((<usize>i) << 2);
    const isCached = load<u32>(place) & cachedBit;
    const from = costsFrom + ((<usize>i) << 2);
    best = load<u32>(from, 4) + (isCached ? entryCost(entryOf(color)) : literalCost(color));
    choice = 0;
    if (above > 0 && (above > left || aboveCost < leftCost)) {
      compareLengths(from, aboveCode, above, aboveCost);
    }
    if (left > 0 && (left > above || leftCost <= aboveCost))
      compareLengths(from, leftCode, left, leftCost);
    if (length > max(above, left)) {
      compareLengths(from, code, length, distanceCost(prefixSymbol(code)));
    }
    store<u32>(from, best);
    store<u32>(place, choice | isCached);
  }
  nextPixel = i;
  return i >= start;
}

/**
 * The first pixel, starting from `i`, that differs from the one at this distance before it.
 * @param stop the result for the last visited pixel
 */
function differing(i: i32, distance: i32, stop: i32): i32 {
  if (i + history < distance) return i;
  const before = (<usize>distance) << 2;
  for (let j = i; j < lastVisited; j += 4) {
    const at = bandAt + ((<usize>j) << 2);
    const same = i32x4.bitmask(i32x4.eq(v128.load(at), v128.load(at - before)));
    if (same === 15) continue;
    const first = j + <i32>ctz(~same);
    return first < lastVisited ? first : stop;
  }
  return stop;
}

/**
 * Extends the reference that was chosen for the next pixel to this one and those before it, as long as it matches with
 * the same symbols: alternatives are hardly ever cheaper. A reference of maximum length slides along.
 *
 * @returns the last pixel to which it cannot be extended
 */
function extendBack(i: i32, start: i32): i32 {
  const code = choice >> lengthBits;
  const distance = distanceOf(code);
  const before = (<usize>distance) << 2;
  const length = choice & maxLength;
  const symbol = prefixSymbol(length);
  const first = max(start, <i32>distance - history);
  if (length === maxLength) {
    return slide(i, first, before, distanceCost(prefixSymbol(code)) + lengthCost(symbol));
  }
  const longest = min(load<i32>(longestOf + ((<usize>symbol) << 2)), maxLength);
  const stop = max(first, i + 1 - (longest - <i32>length));
  const cost = load<u32>(costsFrom + ((<usize>(i + 1)) << 2));
  const four = v128.load(lengthened);
  for (; i - 3 >= stop && areFourSame(i, before); i -= 4) {
    const at = (<usize>(i - 3)) << 2;
    v128.store(costsFrom + at, i32x4.splat(cost));
    setFour(choices + at, i32x4.add(i32x4.splat(choice), four));
    choice += 4;
  }
  for (; i >= stop && isSame(i, before); i -= 1) {
    const at = (<usize>i) << 2;
    choice += 1;
    store<u32>(costsFrom + at, cost);
    store<u32>(choices + at, choice | (load<u32>(choices + at) & cachedBit));
  }
  return i;
}

/** Assigns a reference of maximum length with this cost to pixels from `i` back to `first` at most. */
function slide(i: i32, first: i32, before: usize, cost: u32): i32 {
  const end = (<usize>maxLength) << 2;
  for (; i - 3 >= first && areFourSame(i, before); i -= 4) {
    const at = (<usize>(i - 3)) << 2;
    const from = costsFrom + at;
    v128.store(from, i32x4.add(v128.load(from + end), i32x4.splat(cost)));
    setFour(choices + at, i32x4.splat(choice));
  }
  for (; i >= first && isSame(i, before); i -= 1) {
    const at = (<usize>i) << 2;
    store<u32>(costsFrom + at, load<u32>(costsFrom + at + end) + cost);
    store<u32>(choices + at, choice | (load<u32>(choices + at) & cachedBit));
  }
  return i;
}

function isSame(i: i32, before: usize): bool {
  const at = bandAt + ((<usize>i) << 2);
  return load<u32>(at) === load<u32>(at - before);
}

/** Whether pixel `i` and the three before it equal those at this distance. */
function areFourSame(i: i32, before: usize): bool {
  const at = bandAt + ((<usize>(i - 3)) << 2);
  return i32x4.all_true(i32x4.eq(v128.load(at), v128.load(at - before)));
}

/** Sets four choices, keeping their cache bits. */
function setFour(at: usize, four: v128): void {
  v128.store(at, v128.bitselect(v128.load(at), four, i32x4.splat(cachedBit)));
}

/**
 * Compares the lengths of a reference; of those with the same symbol, only the longest is tried. Costs hardly ever
 * increase towards the end of the band, so the search ends when the remaining cost alone exceeds the best.
 *
 * @param from pointer to the cost from the pixel on
 */
function compareLengths(from: usize, code: u32, most: i32, distanceCost: u32): void {
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

// Estimated costs of symbols for the parser, in 64ths of a bit.

const bit: f32 = 64;
/** Maximum bits of a symbol that has not been counted. */
const maxBits: f32 = 16;

/** Costs of symbols, u32 each; those of lengths and distances include their extra bits. */
let costs: usize = 0;
const lengthSymbols: i32 = 24;

/** Allocates 8 KiB; returns false if there is no memory. */
export function allocateCosts(): bool {
  costs = allocate((<usize>maxSymbols) << 2);
  return costs !== 0;
}

/** Computes costs from counts of symbols. */
export function updateCosts(counts: usize): void {
  for (let code = 0; code < codeCount; code += 1) {
    const at = (<usize>codeAt(code)) << 2;
    learnCode(counts + at, codeSymbols(code), costs + at);
  }
  addExtraBits(costs + (greenAt + firstLength) * 4, lengthSymbols);
  addExtraBits(costs + distanceAt * 4, distanceSymbols);
}

function learnCode(counts: usize, symbols: i32, to: usize): void {
  let total: u32 = 0;
  let used = 0;
  const bytes = (<usize>symbols) << 2;
  for (let at: usize = 0; at < bytes; at += 4) {
    const count = load<u32>(counts + at);
    total += count;
    if (count > 0) used += 1;
  }
  const whole = logarithm(max(total, 1));
  const unseen = <u32>(Mathf.min(whole + 1, maxBits) * bit);
  for (let at: usize = 0; at < bytes; at += 4) {
    const count = load<u32>(counts + at);
    let cost = unseen;
    if (count > 0) cost = used === 1 ? 0 : <u32>max((whole - logarithm(count)) * bit, bit);
    store<u32>(to + at, cost);
  }
}

function addExtraBits(at: usize, symbols: i32): void {
  for (let symbol = 0; symbol < symbols; symbol += 1, at += 4) {
    store<u32>(at, load<u32>(at) + <u32>bit * extraBits(symbol));
  }
}

/** The cost of a literal pixel. */
function literalCost(color: u32): u32 {
  return (
    load<u32>(costs + ((<usize>((color >> 8) & 255)) << 2), greenAt * 4) +
    load<u32>(costs + ((<usize>((color >> 16) & 255)) << 2), redAt * 4) +
    load<u32>(costs + ((<usize>(color & 255)) << 2), blueAt * 4) +
    load<u32>(costs + ((<usize>(color >> 24)) << 2), alphaAt * 4)
  );
}

/** The cost of an entry of the color cache. */
function entryCost(entry: u32): u32 {
  return load<u32>(costs + ((<usize>entry) << 2), (greenAt + firstEntry) * 4);
}

/** The cost of a length symbol. */
function lengthCost(symbol: u32): u32 {
  return load<u32>(costs + ((<usize>symbol) << 2), (greenAt + firstLength) * 4);
}

/** The cost of a distance symbol. */
function distanceCost(symbol: u32): u32 {
  return load<u32>(costs + ((<usize>symbol) << 2), distanceAt * 4);
}
