/**
 * Encodes a band of rows: finds references, chooses the cheapest tokens and groups of codes, and writes the final bits.
 * Bands may refer to pixels of earlier bands, and share nothing else.
 */
import { allocate } from '../../../../wasm/assembly/memory';
import { codeLengths } from '../../../../wasm/assembly/prefix-codes';
import { codeString, openString, pixelString, putBits } from './bit-strings';
import { allocateGroups, findGroups } from './histogram-clustering';
import { codeAt, codeCount, codeSymbols, histogramBytes, maxSymbols } from './histograms';
import { allocateMatchFinder, findMatches } from './match-finder';
import {
  allocateCosts,
  allocateParser,
  chooseCheapest,
  chooseGreedily,
  updateCosts,
} from './parser';
import { allocatePrefixCodes, longest, putCode, setCodes } from './prefix-codes';
import {
  groups,
  maxGroups,
  setGroupTiles,
  tileAt,
  tileGroups,
  tileStop,
  tilesOf,
} from './tile-costs';
import { allocateCache, chooseCacheBits, countTokens, markCached, putToken } from './tokens';

/** Pixels in a part of the band; costs of symbols are estimated from every other part. */
const partPixels: i32 = 1 << 14;

/** Maximum log2 of the number of hashes for references. */
const maxHashBits: i32 = 18;
/** Maximum number of groups in a band. */
let groupLimit: i32 = maxGroups;

/** Count of each symbol in the band. */
let counts: usize = 0;
/** Code of each symbol in each group: code | length << 16. */
let codes: usize = 0;
let lengths: usize = 0;

/** Allocates the memory for bands: 16 bytes per pixel, and the window; returns false if there is none. */
export function allocateBands(bandPixels: i32, windowPixels: i32, tiles: i32): bool {
  const hashBits = min(maxHashBits, 32 - clz(bandPixels));
  counts = allocate(histogramBytes);
  codes = allocate(histogramBytes * maxGroups);
  lengths = allocate(maxSymbols);
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

/** Limits the number of groups in a band. */
export function limitGroups(most: i32): void {
  groupLimit = max(1, min(maxGroups, most));
}

/**
 * Chooses the tokens of the band in the window.
 * @param isFirst whether it is the first band, which determines the size of the picture's color cache
 */
export function parseBand(pixels: i32, width: i32, isFirst: bool): void {
  findMatches(pixels, width);
  chooseGreedily(pixels);
  if (isFirst) chooseCacheBits(pixels, counts);
  markCached(pixels);
  memory.fill(counts, 0, histogramBytes);
  countTokens(0, pixels, counts);
  updateCosts(counts);
  learnFromParts(pixels, width);
  chooseCheapest(0, pixels, width);
}

/** Estimates symbol costs from the cheapest tokens of every other part. */
function learnFromParts(pixels: i32, width: i32): void {
  memory.fill(counts, 0, histogramBytes);
  for (let start = 0; start < pixels; start += 2 * partPixels) {
    const end = min(start + partPixels, pixels);
    chooseCheapest(start, end, width);
    countTokens(start, end, counts);
  }
  updateCosts(counts);
}

/**
 * Writes the codes and the tokens of the band.
 *
 * @param firstGroup number of its first group of codes
 * @param numbers destination for the group number of each tile, u16
 * @returns the number of groups
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

/** Writes the codes of a group. */
function putGroup(group: i32): void {
  for (let code = 0; code < codeCount; code += 1) {
    const symbols = codeSymbols(code);
    const at = histogramBytes * group + ((<usize>codeAt(code)) << 2);
    const used = codeLengths(groups + at, symbols, longest, lengths);
    putCode(lengths, symbols, used);
    setCodes(lengths, symbols, used, codes + at);
  }
}

/** Encodes pixels of the window as a subresolution picture with one group of codes to the open string. */
export function putSmallPicture(pixels: i32, width: i32): void {
  setGroupTiles(width, 14);
  parseBand(pixels, width, false);
  findGroups(pixels, 1, 1);
  putBits(0, 1);
  putGroup(0);
  for (let i = 0; i < pixels; ) i = putToken(i, codes);
}
