/**
 * Converts rows of RGBA to rows of macroblocks in YUV 4:2:0. Luma depends on the chroma row below, because decoders
 * interpolate between chroma rows, so a row of macroblocks is complete two rows of pixels later. If hidden pixels are
 * filled, it is complete a row of macroblocks and a row of pixels later than that.
 *
 * The last samples are repeated to the right and below, up to whole macroblocks.
 */
import { allocate } from '../../../../wasm/assembly/memory';
import { allocateUpsampling, blendRows } from '../vp8/color-conversion';
import { allocateLight, beginLight, halveChroma } from './chroma-halving';
import {
  allocatePixelRows,
  beginHidden,
  fillHidden,
  fillingRows,
  pixelRow,
  repeatLastPixel,
} from './hidden-pixels';
import {
  allocateColorLoss,
  beginColorLoss,
  beginFitting,
  fitLuma,
  judgeColorLoss,
} from './luma-fitting';

/** Size in pixels. */
let width: i32 = 0;
let height: i32 = 0;
let isWeighed: bool = false;
let isFilled: bool = false;

/** Number of kept rows of samples, those of two rows of macroblocks; powers of two. */
const keptLuma: i32 = 32;
const keptChroma: i32 = 16;
export let sourceLumaStride: usize = 0;
export let sourceChromaStride: usize = 0;
let luma: usize = 0;
let chromaU: usize = 0;
let chromaV: usize = 0;

/** Number of rows so far: of pixels, of chroma, of luma. */
let taken: i32 = 0;
let halved: i32 = 0;
let fitted: i32 = 0;

/**
 * Allocates the memory for a picture of this size.
 *
 * @param hasAlpha whether to use alpha; if not, it may have any values
 * @param keepsHidden whether fully transparent pixels keep their colors
 * @returns false if there is no memory
 */
export function allocateSourceRows(
  columns: i32,
  rows: i32,
  hasAlpha: bool,
  keepsHidden: bool,
): bool {
  width = columns;
  height = rows;
  isWeighed = hasAlpha;
  isFilled = hasAlpha && !keepsHidden;
  const across = (columns + 15) >> 4;
  sourceLumaStride = (<usize>across) << 4;
  sourceChromaStride = (((<usize>across) << 3) + 15) & ~15;
  luma = allocate(sourceLumaStride * keptLuma);
  chromaU = allocate(sourceChromaStride * keptChroma);
  chromaV = allocate(sourceChromaStride * keptChroma);
  return (
    luma !== 0 &&
    chromaU !== 0 &&
    chromaV !== 0 &&
    // Pixels are needed for luma until the next row of chroma, or the filled row of macroblocks, is available.
    allocatePixelRows(columns, isFilled ? fillingRows : 3) &&
    allocateUpsampling(columns) &&
    allocateColorLoss(across) &&
    allocateLight()
  );
}

/** Starts before the first row; also restarts for another run. */
export function beginSourceRows(): void {
  taken = 0;
  halved = 0;
  fitted = 0;
  beginLight();
  beginHidden(width, height);
  beginColorLoss();
  beginFitting(isWeighed, isFilled);
}

/** Destination for the next row of RGBA with straight alpha, with room for the width rounded up to 16. */
export function inputRow(): usize {
  return pixelRow(taken);
}

/**
 * Adds the row of pixels at `inputRow`.
 * @returns number of complete rows of macroblocks; the last two may be completed by the same call
 */
export function takeInputRow(): i32 {
  repeatLastPixel(taken);
  taken += 1;
  const ready = isFilled ? fillHidden(taken) : taken;
  while (halved << 1 < height && (ready === height || ready >= (halved + 1) << 1)) takeChromaRow();
  return complete();
}

/** Pointer to the first luma sample of row `m` of macroblocks; valid until row m + 2 is started. */
export function sourceLuma(m: i32): usize {
  return lumaRow(m << 4);
}

export function sourceU(m: i32): usize {
  return chromaRow(chromaU, m << 3);
}

export function sourceV(m: i32): usize {
  return chromaRow(chromaV, m << 3);
}

function complete(): i32 {
  return fitted === height ? (height + 15) >> 4 : fitted >> 4;
}

function lumaRow(y: i32): usize {
  return luma + sourceLumaStride * (y & (keptLuma - 1));
}

function chromaRow(plane: usize, y: i32): usize {
  return plane + sourceChromaStride * (y & (keptChroma - 1));
}

/** Computes the next row of chroma, and the luma that depends on it. */
function takeChromaRow(): void {
  const y = halved;
  const count = (width + 1) >> 1;
  const upper = y << 1;
  const lower = min(upper + 1, height - 1);
  const u = chromaRow(chromaU, y);
  const v = chromaRow(chromaV, y);
  halveChroma(pixelRow(upper), pixelRow(lower), count, isWeighed, u, v);
  repeatLastSample(u, count, sourceChromaStride);
  repeatLastSample(v, count, sourceChromaStride);
  halved += 1;
  if (y > 0) fitRow(y - 1, y);
  fitRow(y, max(y - 1, 0));
  if (lower !== height - 1) return;
  if (lower !== upper) fitRow(y, y);
  repeatLastRows();
}

/** Computes the next row of luma, with the nearer and the farther chroma row. */
function fitRow(near: i32, far: i32): void {
  const row = lumaRow(fitted);
  blendRows(
    chromaRow(chromaU, near),
    chromaRow(chromaU, far),
    chromaRow(chromaV, near),
    chromaRow(chromaV, far),
  );
  fitLuma(pixelRow(fitted), width, row);
  repeatLastSample(row, width, sourceLumaStride);
  fitted += 1;
  if ((fitted & 15) === 0 || fitted === height) judgeColorLoss();
}

function repeatLastSample(row: usize, count: usize, end: usize): void {
  memory.fill(row + count, load<u8>(row + count - 1), end - count);
}

/** Repeats the last row of each plane down to the end of its macroblocks. */
function repeatLastRows(): void {
  for (let y = height; (y & 15) !== 0; y += 1) {
    memory.copy(lumaRow(y), lumaRow(height - 1), sourceLumaStride);
  }
  for (let y = halved; (y & 7) !== 0; y += 1) {
    memory.copy(chromaRow(chromaU, y), chromaRow(chromaU, halved - 1), sourceChromaStride);
    memory.copy(chromaRow(chromaV, y), chromaRow(chromaV, halved - 1), sourceChromaStride);
  }
}
