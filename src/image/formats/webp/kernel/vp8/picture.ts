/**
 * Decodes a lossy picture to rows, from top to bottom. Rows of macroblocks are decoded on demand; their lowest samples
 * are held until the next row has been filtered and its chroma is available.
 */
import { allocateWindow, modeWindow, tokenWindow } from '../file-window';
import { sound, truncated } from '../vp8l/status';
import { pixelGroup, writePixels } from './colors';
import { filterKind, noFilter, normalFilter } from './filter-strengths';
import { readHeader } from './frame-header';
import { allocateMacroblocks, beginMacroblocks, decodeMacroblockRow } from './macroblocks';
import { chromaStride, chromaU, chromaV, luma, lumaStride, moveUp } from './sample-rows';
import { allocateUpsampling, blendRows } from './upsampling';

/** Size in pixels. */
let width: i32 = 0;
let height: i32 = 0;
/** Number of rows of macroblocks, and of those that have been decoded. */
let rowCount: i32 = 0;
let decoded: i32 = 0;
/** The next row of pixels. */
let next: i32 = 0;

const maxTokenPartitions: i32 = 8;
/** Number of luma rows that the filter of the next row of macroblocks still changes; half as many of chroma. */
const filteredLater: i32 = 8;
const simplyFilteredLater: i32 = 2;

/** Allocates memory for a picture of this size; returns false if there is none. */
export function allocateLossy(columns: i32, rows: i32): bool {
  width = columns;
  height = rows;
  rowCount = (rows + 15) >> 4;
  for (let i = 0; i < maxTokenPartitions; i += 1) {
    if (!allocateWindow(tokenWindow + i)) return false;
  }
  return (
    allocateWindow(modeWindow) &&
    allocateMacroblocks((columns + 15) >> 4) &&
    allocateUpsampling(columns)
  );
}

/** Size in bytes of the buffer for a row with this many pixels. */
export function rgbaRowBytes(columns: i32): i32 {
  return ((columns + pixelGroup - 1) & -pixelGroup) << 2;
}

/**
 * Starts before the first row of the frame from `start` to `stop` in the file; also restarts it for another pass.
 *
 * @returns a status of vp8l/status.ts
 */
export function startLossy(start: u32, stop: u32): i32 {
  const status = readHeader(start, stop, width, height);
  if (status !== sound) return status;
  decoded = 0;
  next = 0;
  beginMacroblocks();
  return sound;
}

/**
 * Writes the next row of pixels as opaque RGBA.
 *
 * @param to destination with `rgbaRowBytes`, all of which may be written
 * @returns a status of vp8l/status.ts
 */
export function nextLossyRow(to: usize): i32 {
  const status = provideRow();
  if (status !== sound) return status;
  const near = next >> 1;
  const last = (height - 1) >> 1;
  const far = max(0, min(last, (next & 1) === 0 ? near - 1 : near + 1));
  blendRows(
    chromaRow(chromaU, near),
    chromaRow(chromaU, far),
    chromaRow(chromaV, near),
    chromaRow(chromaV, far),
  );
  writePixels(lumaRow(next), width, to);
  next += 1;
  return sound;
}

/**
 * Writes the samples of the next row: luma and, in every second row starting with the first, U and V, each with half
 * the width rounded up.
 *
 * @returns a status of vp8l/status.ts
 */
export function nextLossySamples(to: usize): i32 {
  const status = provideRow();
  if (status !== sound) return status;
  memory.copy(to, lumaRow(next), width);
  if ((next & 1) === 0) {
    const half = (width + 1) >> 1;
    memory.copy(to + width, chromaRow(chromaU, next >> 1), half);
    memory.copy(to + width + half, chromaRow(chromaV, next >> 1), half);
  }
  next += 1;
  return sound;
}

/**
 * Decodes until the next row and its chroma are available. After the last row, the status is that of a truncated frame.
 */
function provideRow(): i32 {
  if (next === height) return truncated;
  while (!isReady()) {
    if (decoded > 0) moveUp();
    const status = decodeMacroblockRow(decoded);
    if (status !== sound) return status;
    decoded += 1;
  }
  return sound;
}

function isReady(): bool {
  if (decoded === rowCount) return true;
  const later =
    filterKind === normalFilter ? filteredLater : filterKind === noFilter ? 0 : simplyFilteredLater;
  // An odd row also needs the chroma row below its own.
  const chroma = (next >> 1) + (next & 1);
  return next < (decoded << 4) - later && chroma < (decoded << 3) - (later >> 1);
}

/** Pointer to luma row `y` of the picture, which must still be held. */
function lumaRow(y: i32): usize {
  return luma + lumaStride * (y - ((decoded - 1) << 4));
}

function chromaRow(plane: usize, y: i32): usize {
  return plane + chromaStride * (y - ((decoded - 1) << 3));
}
