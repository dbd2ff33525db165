/** Counts and writes scans row by row: their own rows if all are accessible, otherwise MCU rows as they arrive. */
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
 * Begins a scan.
 * @param writes whether its data are written, with the codes that the host has provided; otherwise the histograms are
 *   reset, and its symbols and other bits counted
 */
export function beginScan(writes: bool): void {
  beginSymbols(writes);
  beginPredictions();
  beginRun();
}

/**
 * Codes row `y` of the scan's MCUs, if all rows are accessible.
 * @param isLone whether the next row will not be coded, which ends the end-of-band run
 * @returns false if the result does not fit
 */
export function codeScanRow(y: i32, isLone: bool): bool {
  if (bandStart === 0) {
    codeMcus(y);
  } else {
    codeBand(y);
  }
  if (isLone) endBandRun();
  return hasRoom();
}

/**
 * Codes the blocks of a sequential scan in the frame's MCU row `m`; rows must come in order.
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
  return hasRoom();
}

/**
 * Ends a scan.
 * @returns false if the result does not fit or would be invalid (see `codingFailure`)
 */
export function endScan(): bool {
  endBandRun();
  drain(nextRecord);
  if (isWriting()) flushBits();
  return codingFailure() === codable && hasRoom();
}

function hasRoom(): bool {
  return !isWriting() || !outputIsFull();
}

/** Ends the current end-of-band run. */
function endBandRun(): void {
  setNextRecord(endRun(nextRecord, acTable(scanComponent(0))));
}

/** Codes a band of AC coefficients in row `y` of blocks. */
function codeBand(y: i32): void {
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
