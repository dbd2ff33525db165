/**
 * Collects the rows of a row of tiles and the row above; then chooses the cheapest predictor and cross-color factors of
 * each tile, and computes residuals.
 */
import { allocate } from '../../../../wasm/assembly/memory';
import { chooseFactors, factorTiles } from './color-factors';
import {
  choosePredictors,
  countResiduals,
  isHiddenFree,
  isVaried,
  predicted,
  predictorTiles,
  updateResidualCosts,
} from './predictors';

/** Margin in bytes before and after a row, for the pixel to the left and for wide loads and stores. */
const margin: usize = 64;

const opaqueBlack: u32 = 0xff000000;
const alphaMask: u32 = 0xff000000;

let width: i32 = 0;
let sideBits: i32 = 0;
/** Number of tiles in a row. */
let across: i32 = 0;
/** The row above the strip, followed by the rows of the strip. */
let rows: usize = 0;
let stride: usize = 0;
/** The residual of each pixel. */
let residuals: usize = 0;
/** Number of rows in the strip so far. */
export let stripRows: i32 = 0;
/** Number of its first row in the picture. */
let firstRow: i32 = 0;

/** Allocates 8 bytes per pixel in a row of tiles with sides of 2^`tileBits`; returns false if there is no memory. */
export function allocateStrips(columns: i32, tileBits: i32): bool {
  width = columns;
  sideBits = tileBits;
  across = (columns + (1 << tileBits) - 1) >> tileBits;
  stride = (((<usize>columns) << 2) + 2 * margin + 15) & ~15;
  rows = allocate(stride * ((1 << tileBits) + 1));
  residuals = allocate(stride << tileBits);
  return rows !== 0 && residuals !== 0;
}

/** Starts a picture. */
export function beginStrips(): void {
  stripRows = 0;
  firstRow = 0;
}

/** Destination for the pixels of the next row. */
export function nextStripRow(): usize {
  return rowAt(stripRows);
}

/** Pointer to a row of the strip; -1 for the row above it. */
function rowAt(y: i32): usize {
  return rows + stride * (y + 1) + margin;
}

function residualRow(y: i32): usize {
  return residuals + stride * y + margin;
}

/** Adds the row that was written to `nextStripRow`; returns whether the strip is complete. */
export function takeStripRow(): bool {
  // The pixel above and to the right of the last one is the first pixel of the current row.
  const row = rowAt(stripRows);
  store<u32>(rowAt(stripRows - 1) + ((<usize>width) << 2), load<u32>(row));
  stripRows += 1;
  return stripRows === 1 << sideBits;
}

/**
 * Finishes the strip: chooses the transforms of its tiles, and applies them.
 * @param to destination for the residuals, row by row
 */
export function finishStrip(to: usize): void {
  const tileRow = firstRow >> sideBits;
  const predictors = predictorTiles + tileRow * across;
  choosePredictors(rowAt(0), stride, width, stripRows, firstRow === 0, predictors);
  for (let y = 0; y < stripRows; y += 1) subtractPredictions(y, predictors);
  for (let y = 0; y < stripRows; y += 4) countResiduals(residualRow(y), width);
  updateResidualCosts();
  const factors = factorTiles + ((<usize>(tileRow * across)) << 2);
  // Without red and blue, there is nothing to predict.
  if (isVaried(0) || isVaried(2)) chooseFactors(residualRow(0), stride, width, stripRows, factors);
  else memory.fill(factors, 0, (<usize>across) << 2);
  const bytes = (<usize>width) << 2;
  for (let y = 0; y < stripRows; y += 1, to += bytes) memory.copy(to, residualRow(y), bytes);
  memory.copy(rowAt(-1) - margin, rowAt(stripRows - 1) - margin, stride);
  firstRow += stripRows;
  stripRows = 0;
}

/** Computes the residuals of a row. */
function subtractPredictions(y: i32, predictors: usize): void {
  const row = rowAt(y);
  const above = rowAt(y - 1);
  const to = residualRow(y);
  subtractFirst(row, above, to, firstRow + y === 0);
  const end = (<usize>width) << 2;
  const side: usize = (<usize>4) << sideBits;
  for (let at: usize = 0; at < end; at += side, predictors += 1) {
    const stop = min(end, at + side);
    const predictor: i32 = firstRow + y === 0 ? 1 : load<u8>(predictors);
    // The first pixel has a fixed predictor.
    const start = max(at, 4);
    if (isHiddenFree && hasHidden(row + at, row + stop)) {
      subtractVisible(predictor, row + start, above + start, to + start, row + stop);
    } else {
      subtract(predictor, row + start, above + start, to + start, row + stop);
    }
  }
}

/** Computes the residual of the first pixel: the prediction is the pixel above, or black in the first row. */
function subtractFirst(row: usize, above: usize, to: usize, isTop: bool): void {
  const predictedFirst = isTop ? opaqueBlack : load<u32>(above);
  const color = load<u32>(row);
  const first = difference(color, predictedFirst);
  store<u32>(to, first);
  if (!isHiddenFree || color >= 1 << 24) return;
  store<u32>(to, first & alphaMask);
  store<u32>(row, predictedFirst & ~alphaMask);
  store<u32>(above + ((<usize>width) << 2), predictedFirst & ~alphaMask);
}

function difference(a: u32, b: u32): u32 {
  return i32x4.extract_lane(i8x16.sub(i32x4.splat(a), i32x4.splat(b)), 0);
}

/** Computes residuals; up to three pixels after `stop` are written. */
function subtract(predictor: i32, row: usize, above: usize, to: usize, stop: usize): void {
  for (; row < stop; row += 16, above += 16, to += 16) {
    v128.store(to, i8x16.sub(v128.load(row), predicted(predictor, row, above)));
  }
}

/** Computes residuals; for fully transparent pixels, only alpha counts, and colors are set to the prediction. */
function subtractVisible(predictor: i32, row: usize, above: usize, to: usize, stop: usize): void {
  for (; row < stop; row += 4, above += 4, to += 4) {
    const color = load<u32>(row);
    const prediction = i32x4.extract_lane(predicted(predictor, row, above), 0);
    const residual = difference(color, prediction);
    const isHidden = color < 1 << 24;
    store<u32>(to, isHidden ? residual & alphaMask : residual);
    if (isHidden) store<u32>(row, prediction & ~alphaMask);
  }
}

/** Whether any of the pixels is fully transparent. */
function hasHidden(row: usize, stop: usize): bool {
  for (; row < stop; row += 4) if (load<u32>(row) < 1 << 24) return true;
  return false;
}
