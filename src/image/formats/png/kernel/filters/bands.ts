/**
 * Encodes the data of a PNG picture: rows in, a zlib stream out (PNG third edition §10). Rows are collected in bands;
 * several strategies to choose filters are tried on a whole band, and the one with the fewest estimated bits is used.
 */
import { allocate } from '../../../../wasm/assembly/memory';
import { outputIsFull } from '../deflate/bit-output';
import {
  allocateCompressor,
  beginStream,
  compress,
  endStream,
  streamLength,
} from '../deflate/compressor';
import { allocateEstimate, estimatedBits, setEstimateDepth } from '../deflate/estimate';
import {
  allocateScores,
  average,
  bestFilter,
  filterBytes,
  filterNumber,
  filterSlack,
  none,
  ruleNumber,
  scoreRow,
} from './row-filters';

/** Bytes of a band, unless a single row is longer. */
const bandBytes: usize = 196608;
const maxRows: i32 = 4096;
/**
 * The strategies: each filter for all rows, except Average, which is never best for a whole band; then each of the
 * rules.
 */
const strategyNumber: i32 = filterNumber + ruleNumber;
/** Zeros before each row. */
const margin: usize = 16;

/** Below this number of bits per byte, repetitions are decisive, which requires a deeper search. */
const flatBits: f32 = 2.8;
const flatDepth: i32 = 16;
const firstDepth: i32 = 4;
/** Unfiltered rows gain more from the parser than the estimate shows: up to this share, increasing with flatness. */
const parserGain: f32 = 0.08;
const parserGainRange: f32 = 2.4;

/** Bit mask of the strategies to try. */
let allowed: i32 = -1;

let rowBytes: usize = 0;
let step: usize = 0;
let bandRows: i32 = 0;
/** Rows of the band, preceded by the last row of the previous band. */
let rows: usize = 0;
let rowNumber: i32 = 0;
/** The filter of each row by each rule, u8. */
let choices: usize = 0;
/** The best band so far, and the current attempt. */
let best: usize = 0;
let tried: usize = 0;

/** Limits the strategies: a bit for each, first the filters by number, then the rules. */
export function limitFilters(mask: i32): void {
  allowed = mask;
}

/**
 * Begins a picture; nothing may be allocated until its stream has been taken.
 * @param rowBytes of a packed row without its filter byte
 * @param pixelBytes of a whole pixel, 1 for less than 8 bits, at most 8
 * @param effort 1 to 3, for large, medium-sized and small pictures; 0: tokens are chosen greedily (see `searchDepth`)
 * @param maxBytes maximum bytes of the stream, which is also limited by the available memory
 * @returns false if memory runs out
 */
export function beginWriter(rowBytes: i32, pixelBytes: i32, effort: i32, maxBytes: i32): bool {
  return (
    allocateBands(rowBytes, pixelBytes) && allocateCompressor() && beginStream(effort, maxBytes)
  );
}

/** Ends the picture; returns the length of its stream in bytes, or 0 if it has exceeded its limit. */
export function endWriter(): i32 {
  return finishBand() && endStream() ? streamLength() : 0;
}

/** Allocates the rows of a band, two filtered copies, and the memory to choose filters; false if memory runs out. */
function allocateBands(length: usize, pixelBytes: usize): bool {
  rowBytes = length;
  step = pixelBytes;
  bandRows = <i32>max(1, min(<usize>maxRows, bandBytes / (length + 1)));
  rowNumber = 0;
  setEstimateDepth(firstDepth);
  const filtered = (length + 1) * bandRows + filterSlack;
  rows = allocate(rowStride() * (bandRows + 1) + filterSlack);
  choices = allocate(ruleNumber * bandRows);
  best = allocate(filtered);
  tried = allocate(filtered);
  if (rows === 0 || choices === 0 || best === 0 || tried === 0) return false;
  return allocateScores() && allocateEstimate();
}

/** Takes a row, which is copied; false if the stream has exceeded its limit: further calls do nothing. */
export function writeRow(row: usize): bool {
  if (outputIsFull()) return false;
  memory.copy(rowAt(rowNumber), row, rowBytes);
  rowNumber += 1;
  return rowNumber < bandRows || finishBand();
}

/** Filters and compresses the rows of the band. */
function finishBand(): bool {
  if (outputIsFull()) return false;
  if (rowNumber === 0) return true;
  scoreRows();
  tryStrategies();
  const length = (rowBytes + 1) * rowNumber;
  memory.copy(rowAt(-1), rowAt(rowNumber - 1), rowBytes);
  rowNumber = 0;
  return compress(best, length);
}

function scoreRows(): void {
  for (let y = 0; y < rowNumber; y += 1) {
    scoreRow(rowAt(y), rowAt(y - 1), rowBytes, step);
    for (let rule = 0; rule < ruleNumber; rule += 1) {
      store<u8>(choices + y * ruleNumber + rule, <u8>bestFilter(rule));
    }
  }
}

/** Leaves the band filtered with the best strategy in `best`. */
function tryStrategies(): void {
  const length = (rowBytes + 1) * rowNumber;
  let least = f32.MAX_VALUE;
  for (let strategy = 0; strategy < strategyNumber; strategy += 1) {
    if (strategy === average || (allowed & (1 << strategy)) === 0) continue;
    filterBand(strategy);
    let bits = estimatedBits(tried, length);
    if (strategy === none) {
      const each = bits / <f32>length;
      setEstimateDepth(each < flatBits ? flatDepth : 1);
      const flatness = (flatBits - each) / parserGainRange;
      bits *= <f32>1 - parserGain * Mathf.max(0, Mathf.min(1, flatness));
    }
    if (bits >= least) continue;
    least = bits;
    const other = best;
    best = tried;
    tried = other;
  }
}

function filterBand(strategy: i32): void {
  let to = tried;
  for (let y = 0; y < rowNumber; y += 1) {
    const rule = strategy - filterNumber;
    const filter = rule < 0 ? strategy : load<u8>(choices + y * ruleNumber + rule);
    store<u8>(to, <u8>filter);
    filterBytes(filter, rowAt(y), rowAt(y - 1), rowBytes, step, to + 1);
    to += rowBytes + 1;
  }
}

function rowStride(): usize {
  return rowBytes + margin;
}

function rowAt(y: i32): usize {
  return rows + rowStride() * (y + 1) + margin;
}
