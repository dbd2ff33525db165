/** Counts and writes scans: as a whole if all rows are accessible, otherwise row by row as they arrive. */
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

/** Allocates the memory of coding other than tokens; must precede that of tokens. False if memory runs out. */
export function beginCoding(): bool {
  return allocateSymbols() && allocateCorrections();
}

/**
 * Resets the histograms and counts the symbols of the scan and its other bits. A `rowStep` above 1 counts only every
 * `rowStep`-th of the scan's rows, for an estimate; end-of-band runs are cut where rows are skipped.
 */
export function countScan(rowStep: i32): void {
  beginScan(false);
  const rows = scanMcusDown();
  for (let y = 0; y < rows; y += max(1, rowStep)) {
    codeScanRow(y);
    if (rowStep > 1) endBandRun();
  }
  finishScan();
}

/**
 * Writes the scan's entropy-coded data with the codes that the host has provided.
 * @returns false if the result does not fit or would be invalid (see `codingFailure`)
 */
export function writeScan(): bool {
  beginScan(true);
  const rows = scanMcusDown();
  for (let y = 0; y < rows && !outputIsFull(); y += 1) codeScanRow(y);
  finishScan();
  return isValid();
}

/**
 * Begins a sequential scan that is coded as its rows arrive.
 * @param writes whether the scan is written; otherwise its symbols are counted
 */
export function beginStreamedScan(writes: bool): void {
  beginScan(writes);
}

/**
 * Codes the scan's blocks in the frame's MCU row `m`; rows must come in order.
 * @returns false if the result does not fit
 */
export function codeMcuRow(m: i32): bool {
  if (scanComponents() > 1) {
    codeMcus(m);
  } else {
    const c = scanComponent(0);
    const rows = vertical(coded, c);
    const endRow = min(m * rows + rows, blocksDown(coded, c));
    for (let y = m * rows; y < endRow; y += 1) codeMcus(y);
  }
  return !isWriting() || !outputIsFull();
}

/**
 * Ends a streamed scan.
 * @returns false if the result does not fit or would be invalid (see `codingFailure`)
 */
export function endScan(): bool {
  finishScan();
  return isValid();
}

function beginScan(writes: bool): void {
  beginSymbols(writes);
  beginPredictions();
  beginRun();
}

function finishScan(): void {
  endBandRun();
  drain(nextRecord);
  if (isWriting()) flushBits();
}

/** Ends the current end-of-band run. */
function endBandRun(): void {
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

function isValid(): bool {
  return codingFailure() === codable && (!isWriting() || !outputIsFull());
}

/*
 * MCU rows of one or more components: sequential scans (ITU-T T.81 §F.1) and DC scans of progressive pictures
 * (§G.1.2.1). Padding blocks repeat the DC of the preceding block and have no AC, which takes the fewest bits.
 */

/** For each component of the scan: the preceding DC coefficient, before the point transform, i32. */
const predictions: usize = memory.data(16);
/** For each component of the scan and each of its rows in an MCU: pointer to the next block's tokens; 0 for padding. */
const cursors: usize = memory.data(64);
const cursorBytes: usize = 16;

/** Resets the DC predictions for a new scan. */
function beginPredictions(): void {
  memory.fill(predictions, 0, 16);
}

/** Codes row `m` of the scan's MCUs. */
function codeMcus(m: i32): void {
  const components = scanComponents();
  const limit = recordLimit;
  let to = nextRecord;
  for (let place = 0; place < components; place += 1) setCursors(place, m);
  const across = scanMcusAcross();
  for (let x = 0; x < across; x += 1) {
    for (let place = 0; place < components; place += 1) {
      const c = scanComponent(place);
      const columns = unitsAcross(c);
      const rows = unitsDown(c);
      const columnsLeft = blocksAcross(coded, c) - x * columns;
      for (let v = 0; v < rows; v += 1) {
        const cursor = cursors + cursorBytes * place + ((<usize>v) << 2);
        for (let h = 0; h < columns; h += 1) {
          const tokens = h < columnsLeft ? load<usize>(cursor) : 0;
          to = codeBlock(place, c, tokens, to);
          if (tokens !== 0) store<usize>(cursor, nextBlock(tokens));
          if (to > limit) to = drain(to);
        }
      }
    }
  }
  setNextRecord(to);
}

/** Sets the cursors of the scan's component `place` to its rows of blocks in MCU row `m`. */
function setCursors(place: i32, m: i32): void {
  const c = scanComponent(place);
  const rows = unitsDown(c);
  for (let v = 0; v < rows; v += 1) {
    const y = m * rows + v;
    const tokens = y < blocksDown(coded, c) ? rowTokens(c, y) : 0;
    store<usize>(cursors + cursorBytes * place + ((<usize>v) << 2), tokens);
  }
}

function nextBlock(tokens: usize): usize {
  return tokens + headBytes + ((<usize>load<u8>(tokens, 2)) << 1);
}

/** Codes a block, or a padding block if `tokens` is 0; returns the address of the next record. */
function codeBlock(place: i32, c: i32, tokens: usize, to: usize): usize {
  const prediction = predictions + ((<usize>place) << 2);
  const previous = load<i32>(prediction);
  const dc = tokens === 0 ? previous : <i32>load<i16>(tokens);
  store<i32>(prediction, dc);
  const al = approximationLow;
  if (approximationHigh > 0) {
    store<u32>(to, onlyBits | (1 << 16) | ((dc >> al) & 1));
    return to + 4;
  }
  putDifference((dc >> al) - (previous >> al), dcTable(c), to);
  if (bandEnd === 0) return to + 4;
  return putCoefficients(tokens, acTable(c), to + 4);
}

/** Writes the record of a DC difference to `to` (T.81 §F.1.2.1). */
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

/** Writes the records of a block's AC coefficients to `to` (T.81 §F.1.2.2); returns the address of the next record. */
function putCoefficients(tokens: usize, table: u32, to: usize): usize {
  let last = 0;
  if (tokens !== 0) {
    last = load<u8>(tokens, 3);
    const end = nextBlock(tokens);
    for (let at = tokens + headBytes; at < end; at += 2) {
      const token = <i32>load<u16>(at);
      const value = (token << 20) >> 20;
      const sign = value >> 31;
      const magnitude = (value ^ sign) - sign;
      const size = 32 - clz(magnitude);
      const bits = (magnitude ^ sign) & ((1 << size) - 1);
      // the token of sixteen zeros has size 0 and thus becomes the symbol ZRL
      store<u32>(to, table | ((token >> 12) << 24) | (size << 20) | (size << 16) | bits);
      to += 4;
    }
  }
  if (last === 63) return to;
  store<u32>(to, table);
  return to + 4;
}
