/**
 * The data of a PNG picture as it is written: rows in, a zlib stream out (PNG third edition §10). Rows
 * are gathered in bands; several strategies of choosing filters are tried on a whole band, and the one
 * that deflate is estimated to need fewest bits for is taken.
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

/** Bytes of a band, where a row is not longer. */
const bandBytes: usize = 196608;
const maxRows: i32 = 4096;
/** Each filter for all rows, but for the average, which is never best so; then each of the rules. */
const strategyNumber: i32 = filterNumber + ruleNumber;
/** Zeros before each row. */
const margin: usize = 16;

/** Below so many bits a byte, repetitions decide, which takes a deeper look. */
const flatBits: f32 = 2.8;
const flatDepth: i32 = 16;
const firstDepth: i32 = 4;
/** Rows as they are gain more by the parser than the estimate knows, up to this part, the flatter the more. */
const parserGain: f32 = 0.08;
const parserGainRange: f32 = 2.4;

/** A bit for each strategy that is tried. */
let allowed: i32 = -1;

let rowBytes: usize = 0;
let step: usize = 0;
let bandRows: i32 = 0;
/** Rows of the band, the one before it first. */
let rows: usize = 0;
let rowNumber: i32 = 0;
/** The filter of each row by each rule, u8. */
let choices: usize = 0;
/** The best band so far, and the one that is tried. */
let best: usize = 0;
let tried: usize = 0;

/** Tries only some of the strategies: a bit for each, the filters by their number first, then the rules. */
export function limitFilters(mask: i32): void {
  allowed = mask;
}

/**
 * Begins a picture; nothing may be allocated until its stream has been taken.
 * @param rowBytes of a packed row without its filter
 * @param pixelBytes of a whole pixel, 1 for less than 8 bits, at most 8
 * @param effort 1 to 3, for large, middling and small pictures; 0: tokens are taken greedily (see `searchDepth`)
 * @param maxBytes that the stream may have, or as many as there is room for
 * @returns false if there is no room
 */
export function beginWriter(rowBytes: i32, pixelBytes: i32, effort: i32, maxBytes: i32): bool {
  return (
    allocateBands(rowBytes, pixelBytes) && allocateCompressor() && beginStream(effort, maxBytes)
  );
}

/** Ends the picture; the length of its stream in bytes, or 0 when it has outgrown what it may have. */
export function endWriter(): i32 {
  return finishBand() && endStream() ? streamLength() : 0;
}

/** Allocates the rows of a band, what filters make of it twice, and what choosing takes; false if there is no room. */
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

/**
 * Takes a row, which is copied; false if the stream has outgrown what it may have: nothing is done from then on.
 */
export function writeRow(row: usize): bool {
  if (outputIsFull()) return false;
  memory.copy(rowAt(rowNumber), row, rowBytes);
  rowNumber += 1;
  return rowNumber < bandRows || finishBand();
}

/** Filters and compresses the rows that were taken. */
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

/** Leaves in `best` what the best strategy makes of the band. */
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
