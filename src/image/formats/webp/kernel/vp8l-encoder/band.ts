/**
 * Encodes a band of rows: finds references, chooses the cheapest tokens and groups of codes, and writes the final bits.
 * Bands may refer to pixels of earlier bands, and share nothing else. Since a band is large, it is encoded in steps,
 * between which the host may do something else.
 */
import { allocate } from '../../../../wasm/assembly/memory';
import { codeLengths } from '../../../../wasm/assembly/prefix-codes';
import { codeString, openString, pixelString, putBits } from './bit-strings';
import { allocateGroups, beginGroups, finishGroups, moveTiles } from './histogram-clustering';
import { codeAt, codeCount, codeSymbols, histogramBytes, maxSymbols } from './histograms';
import { allocateMatchFinder, beginBandMatches, findMatches } from './match-finder';
import {
  allocateCosts,
  allocateParser,
  beginPath,
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

/** Approximate number of pixels in a step. */
const stepPixels: i32 = 1 << 15;

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

/* Stages of a band. */
const linking: i32 = 0;
const matching: i32 = 1;
const learning: i32 = 2;
const choosing: i32 = 3;
const grouping: i32 = 4;
const writing: i32 = 5;
const encoded: i32 = 6;
let stage: i32 = encoded;

/** Number of pixels, rows of pixels and their width, and the next pixel to learn from or to write. */
let pixels: i32 = 0;
let rows: i32 = 0;
let width: i32 = 0;
let next: i32 = 0;
/** Whether it is the first band, which determines the size of the picture's color cache. */
let isFirst: bool = false;
/** Whether it is a subresolution picture, with one group of codes, all in the open string. */
let isSmall: bool = false;
/** Number of groups in the band, once it is encoded. */
export let bandGroups: i32 = 0;

/** Starts a picture, whatever has been encoded before. */
export function beginBands(): void {
  stage = encoded;
}

/** Begins to encode the band in the window, whose codes and pixels go to their strings. */
export function beginBand(bandRows: i32, columns: i32, isFirstBand: bool): void {
  pixels = bandRows * columns;
  rows = bandRows;
  width = columns;
  isFirst = isFirstBand;
  isSmall = false;
  stage = linking;
}

/** Begins to encode pixels of the window as a subresolution picture, to the string that is open. */
export function beginSmallBand(number: i32, columns: i32): void {
  pixels = number;
  width = columns;
  isFirst = false;
  isSmall = true;
  setGroupTiles(columns, 14);
  stage = linking;
}

/** Goes on to encode the band that has been begun; returns whether it was left. */
export function encodeBand(): bool {
  if (stage === encoded) return false;
  if (stage === linking) {
    beginBandMatches(pixels);
    stage = matching;
  } else if (stage === matching) {
    if (!findMatches(pixels, width, stepPixels)) beginLearning();
  } else if (stage === learning) {
    learnFromPart();
  } else if (stage === choosing) {
    if (!chooseCheapest(width, stepPixels)) {
      beginGroups(pixels, bandTiles(), isSmall ? 1 : groupLimit);
      stage = grouping;
    }
  } else if (stage === grouping) {
    if (!moveTiles(pixels, bandTiles())) beginWriting();
  } else writeTokens();
  return true;
}

/** Number of tiles in the band. */
function bandTiles(): i32 {
  return isSmall ? 1 : tilesOf(rows);
}

/** Chooses tokens greedily, and learns the costs of symbols from them. */
function beginLearning(): void {
  chooseGreedily(pixels);
  if (isFirst) chooseCacheBits(pixels, counts);
  markCached(pixels);
  memory.fill(counts, 0, histogramBytes);
  countTokens(0, pixels, counts);
  updateCosts(counts);
  memory.fill(counts, 0, histogramBytes);
  next = 0;
  stage = learning;
}

/** Counts the cheapest tokens of a part; after every other part, estimates symbol costs from them. */
function learnFromPart(): void {
  const end = min(next + partPixels, pixels);
  beginPath(next, end);
  chooseCheapest(width, partPixels);
  countTokens(next, end, counts);
  next += 2 * partPixels;
  if (next < pixels) return;
  updateCosts(counts);
  beginPath(0, pixels);
  stage = choosing;
}

/** Writes the codes of the band's groups. */
function beginWriting(): void {
  bandGroups = finishGroups(bandTiles());
  if (isSmall) putBits(0, 1);
  else openString(codeString);
  for (let group = 0; group < bandGroups; group += 1) putGroup(group);
  if (!isSmall) openString(pixelString);
  next = 0;
  stage = writing;
}

function writeTokens(): void {
  const stop = min(next + stepPixels, pixels);
  while (next < stop) {
    const groupCodes = codes + histogramBytes * load<u8>(tileGroups + tileAt(next));
    let i = next;
    while (i < tileStop) i = putToken(i, groupCodes);
    next = i;
  }
  if (next >= pixels) stage = encoded;
}

/**
 * Numbers the groups of the band's tiles.
 * @param firstGroup number of its first group of codes
 * @param numbers destination for the group number of each tile, u16
 */
export function numberTiles(firstGroup: i32, numbers: usize): void {
  const tiles = bandTiles();
  for (let tile = 0; tile < tiles; tile += 1) {
    store<u16>(numbers + (tile << 1), <u16>(firstGroup + load<u8>(tileGroups + tile)));
  }
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
