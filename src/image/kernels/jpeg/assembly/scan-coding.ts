/** Counts and writes scans: at once, where all rows can be asked for, or while the rows come by. */
import { codeFirstRow } from './ac-first-scan';
import { codeRefinementRow } from './ac-refinement-scan';
import { flushBits, outputIsFull } from './bit-writer';
import {
  acTable,
  approximationHigh,
  bandStart,
  scanComponent,
  scanComponents,
  scanMcusDown,
} from './coded-scan';
import { codable, codingFailure } from './coding-failure';
import { allocateCorrections, beginRun, endRun } from './end-of-band';
import { blocksAcross, blocksDown, coded, vertical } from './frame';
import { beginPredictions, codeMcus } from './mcu-rows';
import {
  allocateSymbols,
  beginSymbols,
  drain,
  isWriting,
  nextRecord,
  setNextRecord,
} from './symbols';
import { rowTokens } from './token-rows';

/** Allocates what coding takes beside the tokens; comes before them. False where there is no room. */
export function beginCoding(): bool {
  return allocateSymbols() && allocateCorrections();
}

/**
 * Counts the symbols of the scan into the histograms, and its other bits, from
 * nothing. With a `rowStep` above 1 it looks at every so manieth of the scan's
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
 * @returns false where the result would not fit or not be sound (`codingFailure`)
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
 * @returns false where the result would not fit
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
 * @returns false where the result would not fit or not be sound (`codingFailure`)
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
