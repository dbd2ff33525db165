/**
 * Encodes the data of a PNG picture: rows in, a zlib stream out (PNG third edition §10). Rows are collected in bands;
 * several strategies to choose filters are tried on a whole band, and the one with the fewest estimated bits is used.
 */
import { allocate } from '../../../../wasm/assembly/memory';
import { pauses, spend, unfinished } from '../../../../wasm/assembly/work';
import { outputIsFull } from '../deflate/bit-output';
import {
  allocateCompressor,
  beginStream,
  compress,
  continueStream,
  endStream,
  streamLength,
} from '../deflate/compressor';
import {
  allocateEstimate,
  beginEstimate,
  continueEstimate,
  estimatedBits,
  setEstimateDepth,
} from '../deflate/estimate';
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
let pixelStep: usize = 0;
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

/** Allocates the rows of a band, two filtered copies, and the memory to choose filters; false if memory runs out. */
function allocateBands(length: usize, pixelBytes: usize): bool {
  rowBytes = length;
  pixelStep = pixelBytes;
  bandRows = <i32>max(1, min(<usize>maxRows, bandBytes / (length + 1)));
  rowNumber = 0;
  step = taking;
  isEnding = false;
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
 * Takes a row, which is copied.
 * @returns 1; 0 if the stream has exceeded its limit: further calls do nothing; `unfinished` if `continueWriting` has to
 *   be called before the next row
 */
export function writeRow(row: usize): i32 {
  if (outputIsFull()) return 0;
  memory.copy(rowAt(rowNumber), row, rowBytes);
  rowNumber += 1;
  if (rowNumber < bandRows) return 1;
  beginBand();
  return continueWriting();
}

/** Goes on with rows that were taken. Returns what `writeRow` does. */
export function continueWriting(): i32 {
  while (step !== taking) {
    if (outputIsFull()) return 0;
    takeStep();
    if (pauses()) return unfinished;
  }
  return outputIsFull() ? 0 : 1;
}

/**
 * Ends the picture, and goes on with that.
 * @returns the length of its stream in bytes, 0 if it has exceeded its limit, or `unfinished`: it has to be called again
 */
export function endWriter(): i32 {
  if (!isEnding) {
    isEnding = true;
    if (rowNumber > 0) beginBand();
    else beginEnd();
  }
  const status = continueWriting();
  return status === 1 ? streamLength() : status;
}

// Filters and compresses a band in steps between which the kernel may pause.

/** What is done next with the rows of the band. */
const taking: i32 = 0;
const scoring: i32 = 1;
const filtering: i32 = 2;
const estimating: i32 = 3;
const compressing: i32 = 4;
const ending: i32 = 5;
let step: i32 = taking;
/** Whether there are no more rows. */
let isEnding: bool = false;
/** The next row to be scored. */
let scored: i32 = 0;
/** The strategy that is tried, and the fewest bits of those before it. */
let strategy: i32 = 0;
let leastBits: f32 = 0;

/** Predicted nanoseconds to score a byte, and to filter it. */
const scoreCost: u32 = 16;
const filterCost: u32 = 1;

function beginBand(): void {
  scored = 0;
  step = scoring;
}

function beginEnd(): void {
  endStream();
  step = ending;
}

function takeStep(): void {
  if (step === scoring) {
    scoreNextRow();
  } else if (step === filtering) {
    filterBand();
    step = estimating;
  } else if (step === estimating) {
    if (continueEstimate()) endStrategy();
  } else if (continueStream()) {
    if (step === compressing && isEnding) beginEnd();
    else step = taking;
  }
}

function scoreNextRow(): void {
  spend(scoreCost * <u32>rowBytes);
  scoreRow(rowAt(scored), rowAt(scored - 1), rowBytes, pixelStep);
  for (let rule = 0; rule < ruleNumber; rule += 1) {
    store<u8>(choices + scored * ruleNumber + rule, <u8>bestFilter(rule));
  }
  scored += 1;
  if (scored < rowNumber) return;
  leastBits = f32.MAX_VALUE;
  beginStrategy(0);
}

/** Begins with the first strategy from this one on that may be tried, or compresses the best result of all. */
function beginStrategy(first: i32): void {
  strategy = first;
  while (strategy < strategyNumber && (strategy === average || !isAllowed(strategy))) strategy += 1;
  if (strategy < strategyNumber) {
    step = filtering;
    return;
  }
  compress(best, bandLength());
  memory.copy(rowAt(-1), rowAt(rowNumber - 1), rowBytes);
  rowNumber = 0;
  step = compressing;
}

function isAllowed(strategy: i32): bool {
  return (allowed & (1 << strategy)) !== 0;
}

/** Leaves the band filtered with the best strategy so far in `best`. */
function endStrategy(): void {
  let bits = estimatedBits();
  if (strategy === none) {
    const each = bits / <f32>bandLength();
    setEstimateDepth(each < flatBits ? flatDepth : 1);
    const flatness = (flatBits - each) / parserGainRange;
    bits *= <f32>1 - parserGain * Mathf.max(0, Mathf.min(1, flatness));
  }
  if (bits < leastBits) {
    leastBits = bits;
    const other = best;
    best = tried;
    tried = other;
  }
  beginStrategy(strategy + 1);
}

/** Filters the band with the strategy that is tried. */
function filterBand(): void {
  let to = tried;
  for (let y = 0; y < rowNumber; y += 1) {
    const rule = strategy - filterNumber;
    const filter = rule < 0 ? strategy : load<u8>(choices + y * ruleNumber + rule);
    store<u8>(to, <u8>filter);
    filterBytes(filter, rowAt(y), rowAt(y - 1), rowBytes, pixelStep, to + 1);
    to += rowBytes + 1;
  }
  spend(filterCost * <u32>bandLength());
  beginEstimate(tried, bandLength());
}

/** Bytes of the band when it is filtered. */
function bandLength(): usize {
  return (rowBytes + 1) * rowNumber;
}

function rowStride(): usize {
  return rowBytes + margin;
}

function rowAt(y: i32): usize {
  return rows + rowStride() * (y + 1) + margin;
}
