/** Counts and writes scans: at once where all rows can be asked for, or as the rows come. */
import { allocateCorrections, beginRun, codeFirstRow, codeRefinementRow, endRun } from './ac-scans';
import {
  codable,
  codingFailure,
  fail,
  flushBits,
  outputIsFull,
  wideDifference,
} from './bit-writer';
import {
  acTable,
  approximationHigh,
  approximationLow,
  bandEnd,
  bandStart,
  dcTable,
  scanComponent,
  scanComponents,
  scanMcusAcross,
  scanMcusDown,
  unitsAcross,
  unitsDown,
} from './coded-scan';
import { blocksAcross, blocksDown, coded, vertical } from './frame';
import {
  allocateSymbols,
  beginSymbols,
  drain,
  isWriting,
  nextRecord,
  onlyBits,
  recordLimit,
  setNextRecord,
} from './symbols';
import { headBytes, rowTokens } from './tokens';

/** Allocates what coding takes beside the tokens; comes before them. False if there is no room. */
export function beginCoding(): bool {
  return allocateSymbols() && allocateCorrections();
}

/**
 * Counts the symbols of the scan into the histograms, and its other bits, from
 * nothing. With a `rowStep` above 1 it looks at every `rowStep`-th of the scan's
 * rows only, for an estimate; runs of blocks end where rows are left out.
 */
export function countScan(rowStep: i32): void {
  begin(false);
  const rows = scanMcusDown();
  for (let y = 0; y < rows; y += max(1, rowStep)) {
    codeScanRow(y);
    if (rowStep > 1) endBand();
  }
  end();
}

/**
 * Writes the scan's entropy-coded data with the codes that the host has given.
 * @returns false if the result would not fit or not be sound (`codingFailure`)
 */
export function writeScan(): bool {
  begin(true);
  const rows = scanMcusDown();
  for (let y = 0; y < rows && !outputIsFull(); y += 1) codeScanRow(y);
  end();
  return isSound();
}

/**
 * Begins a sequential scan that is coded as its rows come by.
 * @param writes or else its symbols are counted
 */
export function beginStreamedScan(writes: bool): void {
  begin(writes);
}

/**
 * Codes what the scan has of the frame's row `m` of MCUs, which come in order.
 * @returns false if the result would not fit
 */
export function codeMcuRow(m: i32): bool {
  if (scanComponents() > 1) {
    codeMcus(m);
  } else {
    const c = scanComponent(0);
    const rows = vertical(coded, c);
    const below = min(m * rows + rows, blocksDown(coded, c));
    for (let y = m * rows; y < below; y += 1) codeMcus(y);
  }
  return !isWriting() || !outputIsFull();
}

/**
 * Ends a streamed scan.
 * @returns false if the result would not fit or not be sound (`codingFailure`)
 */
export function endScan(): bool {
  end();
  return isSound();
}

function begin(writes: bool): void {
  beginSymbols(writes);
  beginPredictions();
  beginRun();
}

function end(): void {
  endBand();
  drain(nextRecord);
  if (isWriting()) flushBits();
}

/** Ends the run of blocks that is open. */
function endBand(): void {
  setNextRecord(endRun(nextRecord, acTable(scanComponent(0))));
}

/** Codes row `y` of the scan's MCUs. */
function codeScanRow(y: i32): void {
  if (bandStart === 0) {
    codeMcus(y);
    return;
  }
  const c = scanComponent(0);
  const tokens = rowTokens(c, y);
  if (tokens === 0) return;
  const blocks = blocksAcross(coded, c);
  if (approximationHigh === 0) {
    codeFirstRow(tokens, blocks);
  } else {
    codeRefinementRow(tokens, blocks);
  }
}

function isSound(): bool {
  return codingFailure() === codable && (!isWriting() || !outputIsFull());
}

/*
 * Rows of MCUs of one component or several: sequential scans (ITU-T T.81 §F.1) and
 * the DC scans of progressive ones (§G.1.2.1). Blocks that pad the picture repeat
 * the DC of the one before, and have no AC: the least that they can cost.
 */

/** For each place of the scan: the DC before, as i32 with all its bits. */
const predictions: usize = memory.data(16);
/** For each place and each of its rows in an MCU: the tokens of the next block, or 0 below the picture. */
const cursors: usize = memory.data(64);
const placeCursors: usize = 16;

/** Begins a scan with nothing to predict from. */
export function beginPredictions(): void {
  memory.fill(predictions, 0, 16);
}

/** Codes row `m` of the scan's MCUs. */
export function codeMcus(m: i32): void {
  const components = scanComponents();
  const limit = recordLimit;
  let to = nextRecord;
  for (let place = 0; place < components; place += 1) openRows(place, m);
  const across = scanMcusAcross();
  for (let x = 0; x < across; x += 1) {
    for (let place = 0; place < components; place += 1) {
      const c = scanComponent(place);
      const columns = unitsAcross(c);
      const rows = unitsDown(c);
      const inside = blocksAcross(coded, c) - x * columns;
      for (let v = 0; v < rows; v += 1) {
        const cursor = cursors + placeCursors * place + ((<usize>v) << 2);
        for (let h = 0; h < columns; h += 1) {
          const tokens = h < inside ? load<usize>(cursor) : 0;
          to = codeBlock(place, c, tokens, to);
          if (tokens !== 0) store<usize>(cursor, afterBlock(tokens));
          if (to > limit) to = drain(to);
        }
      }
    }
  }
  setNextRecord(to);
}

/** Puts the cursors of a place at the rows of blocks that MCU row `m` has of its component. */
function openRows(place: i32, m: i32): void {
  const c = scanComponent(place);
  const rows = unitsDown(c);
  for (let v = 0; v < rows; v += 1) {
    const y = m * rows + v;
    const tokens = y < blocksDown(coded, c) ? rowTokens(c, y) : 0;
    store<usize>(cursors + placeCursors * place + ((<usize>v) << 2), tokens);
  }
}

function afterBlock(tokens: usize): usize {
  return tokens + headBytes + ((<usize>load<u8>(tokens, 2)) << 1);
}

/** Codes a block, or, where `tokens` is 0, one that pads; returns where the next record goes. */
function codeBlock(place: i32, c: i32, tokens: usize, to: usize): usize {
  const prediction = predictions + ((<usize>place) << 2);
  const before = load<i32>(prediction);
  const dc = tokens === 0 ? before : <i32>load<i16>(tokens);
  store<i32>(prediction, dc);
  const al = approximationLow;
  if (approximationHigh > 0) {
    store<u32>(to, onlyBits | (1 << 16) | ((dc >> al) & 1));
    return to + 4;
  }
  putDifference((dc >> al) - (before >> al), dcTable(c), to);
  if (bandEnd === 0) return to + 4;
  return putCoefficients(tokens, acTable(c), to + 4);
}

/** Puts a difference of DC at `to` (T.81 §F.1.2.1). */
function putDifference(difference: i32, table: u32, to: usize): void {
  const sign = difference >> 31;
  const magnitude = (difference ^ sign) - sign;
  let size = 32 - clz(magnitude);
  if (size > 11) {
    fail(wideDifference);
    size = 11;
  }
  const bits = (magnitude ^ sign) & ((1 << size) - 1);
  store<u32>(to, table | (size << 20) | (size << 16) | bits);
}

/** Puts the AC coefficients of a block at `to` (T.81 §F.1.2.2). */
function putCoefficients(tokens: usize, table: u32, to: usize): usize {
  let last = 0;
  if (tokens !== 0) {
    last = load<u8>(tokens, 3);
    const end = afterBlock(tokens);
    for (let at = tokens + headBytes; at < end; at += 2) {
      const token = <i32>load<u16>(at);
      const value = (token << 20) >> 20;
      const sign = value >> 31;
      const magnitude = (value ^ sign) - sign;
      const size = 32 - clz(magnitude);
      const bits = (magnitude ^ sign) & ((1 << size) - 1);
      // the token of sixteen zeros has no size, and so becomes the symbol ZRL
      store<u32>(to, table | ((token >> 12) << 24) | (size << 20) | (size << 16) | bits);
      to += 4;
    }
  }
  if (last === 63) return to;
  store<u32>(to, table);
  return to + 4;
}
