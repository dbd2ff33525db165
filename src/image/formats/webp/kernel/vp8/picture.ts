/**
 * Decodes a lossy picture to rows, from top to bottom. Rows of macroblocks are decoded on demand; their lowest samples
 * are held until the next row has been filtered and its chroma is available.
 */
import { allocateWindow, modeWindow, tokenWindow } from '../file-window';
import { sound, truncated } from '../vp8l/status';
import { enterPartition, isOverrun, leavePartition } from './bool-decoder';
import {
  allocateResiduals,
  beginResidualRow,
  beginResiduals,
  blockAt,
  contentOf,
  contentsOf,
  few,
  nothing,
  onlyFirst,
  readResidual,
  skipResidual,
} from './coefficients';
import { allocateUpsampling, blendRows, pixelGroup, writePixels } from './color-conversion';
import { readHeader, tokenPartitions } from './frame-header';
import { allocateFilter, filterRow, setStrength } from './loop-filter';
import {
  allocateModes,
  blockModes,
  chromaMode,
  isByBlock,
  isSkipped,
  macroblock,
  readModes,
  segmentOf,
} from './modes';
import { predictChroma, predictedBlock, predictLuma } from './prediction';
import {
  allocateSampleRows,
  beginSampleRows,
  chromaStride,
  chromaU,
  chromaUAbove,
  chromaV,
  chromaVAbove,
  keepLowestRow,
  loadBlock,
  luma,
  lumaAbove,
  lumaStride,
  moveUp,
  storeBlock,
} from './sample-rows';
import { filterKind, noFilter, normalFilter, stepsOf, strengthOf } from './segments';
import { reconstructed, reconstructedFlat, reconstructedSmooth } from './transforms';

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

// Decodes rows of macroblocks: reads modes and coefficients, predicts samples, adds the residual, and applies the loop
// filter.

let across: i32 = 0;

/** Allocates memory for rows with this number of macroblocks; returns false if there is none. */
function allocateMacroblocks(number: i32): bool {
  across = number;
  return (
    allocateModes(number) &&
    allocateResiduals(number) &&
    allocateSampleRows(number) &&
    allocateFilter(number)
  );
}

/** Starts before the first row; the header must have been read. */
function beginMacroblocks(): void {
  beginResiduals();
  beginSampleRows();
}

/**
 * Decodes row `m`; its lowest rows of samples are completely filtered only with the next one.
 * @returns a status of vp8l/status.ts
 */
function decodeMacroblockRow(m: i32): i32 {
  // The first partition is current.
  readModes();
  if (isOverrun()) return truncated;
  leavePartition();
  enterPartition(tokenWindow + (m & (tokenPartitions - 1)));
  beginResidualRow();
  for (let x = 0; x < across; x += 1) {
    decodeMacroblock(x, x > 0, m > 0);
    if (isOverrun()) return truncated;
  }
  leavePartition();
  enterPartition(modeWindow);
  keepLowestRow();
  if (filterKind !== noFilter) filterRow(m === 0);
  return sound;
}

function decodeMacroblock(x: i32, hasLeft: bool, hasAbove: bool): void {
  const record = macroblock(x);
  const byBlock = load<u8>(record, isByBlock) !== 0;
  const segment: i32 = load<u8>(record, segmentOf);
  let hasResidual = false;
  if (load<u8>(record, isSkipped) !== 0) skipResidual(x, byBlock);
  else hasResidual = readResidual(x, byBlock, stepsOf(segment));
  if (filterKind !== noFilter) {
    setStrength(x, strengthOf(segment, byBlock), byBlock || hasResidual);
  }
  const at = luma + ((<usize>x) << 4);
  const above = lumaAbove + ((<usize>x) << 4);
  if (byBlock) {
    reconstructBlocks(record + blockModes, at, above, hasResidual);
  } else {
    predictLuma(load<u8>(record, blockModes), at, above, lumaStride, hasLeft, hasAbove);
    if (hasResidual) addLuma(at);
  }
  const mode: i32 = load<u8>(record, chromaMode);
  const offset = (<usize>x) << 3;
  predictChroma(mode, chromaU + offset, chromaUAbove + offset, chromaStride, hasLeft, hasAbove);
  predictChroma(mode, chromaV + offset, chromaVAbove + offset, chromaStride, hasLeft, hasAbove);
  if (!hasResidual) return;
  addChroma(16, chromaU + offset);
  addChroma(20, chromaV + offset);
}

/** Reconstructs blocks that are predicted separately, each from those before it. */
function reconstructBlocks(modes: usize, at: usize, above: usize, hasResidual: bool): void {
  // The samples above and to the right of the lower rows of blocks are those of the macroblock above (§12.3).
  const beyond = load<u32>(above + 16);
  store<u32>(at + 3 * lumaStride, beyond, 16);
  store<u32>(at + 7 * lumaStride, beyond, 16);
  store<u32>(at + 11 * lumaStride, beyond, 16);
  for (let n: usize = 0; n < 16; n += 1) {
    const x = (n & 3) << 2;
    const to = at + (n >> 2) * (lumaStride << 2) + x;
    const top = n < 4 ? above + x : to - lumaStride;
    const predicted = predictedBlock(load<u8>(modes + n), to, top, lumaStride);
    storeBlock(to, lumaStride, hasResidual ? withResidual(n, predicted) : predicted);
  }
}

/** Adds the residual of all luma blocks. */
function addLuma(at: usize): void {
  for (let y: usize = 0; y < 16; y += 4, at += lumaStride << 2) {
    if (contentsOf(y) === 0) continue;
    for (let x: usize = 0; x < 4; x += 1) addBlock(y + x, at + (x << 2), lumaStride);
  }
}

/** Adds the residual of four chroma blocks, starting from block `n`. */
function addChroma(n: usize, at: usize): void {
  if (contentsOf(n) === 0) return;
  const below = at + (chromaStride << 2);
  addBlock(n, at, chromaStride);
  addBlock(n + 1, at + 4, chromaStride);
  addBlock(n + 2, below, chromaStride);
  addBlock(n + 3, below + 4, chromaStride);
}

function addBlock(n: usize, at: usize, stride: usize): void {
  if (contentOf(n) === nothing) return;
  storeBlock(at, stride, withResidual(n, loadBlock(at, stride)));
}

function withResidual(n: usize, predicted: v128): v128 {
  const content = contentOf(n);
  if (content === nothing) return predicted;
  if (content === onlyFirst) return reconstructedFlat(load<i16>(blockAt(n)), predicted);
  if (content === few && n < 16) return reconstructedSmooth(blockAt(n), predicted);
  return reconstructed(blockAt(n), predicted);
}
