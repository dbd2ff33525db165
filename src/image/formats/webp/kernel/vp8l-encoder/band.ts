/**
 * A band of rows, coded: references, the cheapest tokens, groups of codes, and then its bits, which are final. Bands
 * may refer to each other's pixels, and share nothing else.
 */
import { allocate } from '../../../../wasm/assembly/memory';
import { codeLengths } from '../../../../wasm/assembly/prefix-codes';
import { codeString, openString, pixelString, putBits } from './bit-strings';
import { allocateGroups, findGroups } from './code-groups';
import { allocateCache, chooseCacheBits, runCache } from './color-cache';
import { allocateCosts, learnCosts } from './costs';
import { histogramBytes } from './histograms';
import { allocateMatchFinder, findMatches } from './match-finder';
import { allocateParser, chooseCheapest, chooseGreedily } from './parser';
import { allocatePrefixCodes, longest, putCode, setCodes } from './prefix-codes';
import { codeAt, codeCount, codeSymbols, mostSymbols } from './symbols';
import {
  groups,
  mostGroups,
  setGroupTiles,
  tileAt,
  tileGroups,
  tileStop,
  tilesOf,
} from './tile-costs';
import { countTokens, putToken } from './tokens';

/** Pixels of a part of the band: half of the parts tell what symbols cost. */
const partPixels: i32 = 1 << 14;

/** Hashes of references, as a power of two, at most. */
const mostHashBits: i32 = 18;
/** Groups that a band may have. */
let groupLimit: i32 = mostGroups;

/** How often each symbol occurs in the band. */
let counts: usize = 0;
/** For each group the code of each symbol: code | length << 16. */
let codes: usize = 0;
let lengths: usize = 0;

/** Allocates what bands take: 16 bytes for each pixel, beside the window; false if there is no room. */
export function allocateBands(bandPixels: i32, windowPixels: i32, tiles: i32): bool {
  const hashBits = min(mostHashBits, 32 - clz(bandPixels));
  counts = allocate(histogramBytes);
  codes = allocate(histogramBytes * mostGroups);
  lengths = allocate(mostSymbols);
  return (
    counts !== 0 &&
    codes !== 0 &&
    lengths !== 0 &&
    allocatePrefixCodes() &&
    allocateCosts() &&
    allocateMatchFinder(hashBits, windowPixels, bandPixels) &&
    allocateParser(bandPixels) &&
    allocateCache() &&
    allocateGroups(tiles)
  );
}

/** Limits how many groups of codes a band may have. */
export function limitGroups(most: i32): void {
  groupLimit = max(1, min(mostGroups, most));
}

/**
 * Chooses the tokens of the band that lies in the window.
 * @param isFirst whether it tells how large a color cache the picture has
 */
export function parseBand(pixels: i32, width: i32, isFirst: bool): void {
  findMatches(pixels, width);
  chooseGreedily(pixels);
  if (isFirst) chooseCacheBits(pixels, counts);
  runCache(pixels);
  memory.fill(counts, 0, histogramBytes);
  countTokens(0, pixels, counts);
  learnCosts(counts);
  learnFromParts(pixels, width);
  chooseCheapest(0, pixels, width);
}

/** Learns costs from the cheapest tokens of every other part. */
function learnFromParts(pixels: i32, width: i32): void {
  memory.fill(counts, 0, histogramBytes);
  for (let start = 0; start < pixels; start += 2 * partPixels) {
    const end = min(start + partPixels, pixels);
    chooseCheapest(start, end, width);
    countTokens(start, end, counts);
  }
  learnCosts(counts);
}

/**
 * Writes the codes and the pixels of the band whose tokens have been chosen.
 *
 * @param firstGroup the number of its first group of codes
 * @param numbers where the number of each tile's group goes, u16
 * @returns how many groups there are
 */
export function putBand(pixels: i32, rows: i32, firstGroup: i32, numbers: usize): i32 {
  const tiles = tilesOf(rows);
  const number = findGroups(pixels, tiles, groupLimit);
  openString(codeString);
  for (let group = 0; group < number; group += 1) putGroup(group);
  for (let tile = 0; tile < tiles; tile += 1) {
    store<u16>(numbers + (tile << 1), <u16>(firstGroup + load<u8>(tileGroups + tile)));
  }
  openString(pixelString);
  for (let i = 0; i < pixels; ) {
    const groupCodes = codes + histogramBytes * load<u8>(tileGroups + tileAt(i));
    while (i < tileStop) i = putToken(i, groupCodes);
  }
  return number;
}

/** States the codes of a group. */
function putGroup(group: i32): void {
  for (let code = 0; code < codeCount; code += 1) {
    const symbols = codeSymbols(code);
    const at = histogramBytes * group + ((<usize>codeAt(code)) << 2);
    const used = codeLengths(groups + at, symbols, longest, lengths);
    putCode(lengths, symbols, used);
    setCodes(lengths, symbols, used, codes + at);
  }
}

/** Codes pixels of the window as a small picture with one group of codes, into the string that is open. */
export function putSmallPicture(pixels: i32, width: i32): void {
  setGroupTiles(width, 14);
  parseBand(pixels, width, false);
  findGroups(pixels, 1, 1);
  putBits(0, 1);
  putGroup(0);
  for (let i = 0; i < pixels; ) i = putToken(i, codes);
}
