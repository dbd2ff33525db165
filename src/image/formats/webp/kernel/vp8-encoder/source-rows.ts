/**
 * The source as rows of macroblocks of YUV 4:2:0, from rows of RGBA. A row of luma waits for the chroma below
 * it, since a decoder interpolates between the two: so a row of macroblocks is there when two rows of pixels
 * more have come. Where hidden pixels are filled in, a whole row of macroblocks more comes first, and a row of pixels.
 *
 * The last samples are repeated to the right and below, up to whole macroblocks.
 */
import { allocate } from '../../../../wasm/assembly/memory';
import { allocateUpsampling, blendRows } from '../vp8/upsampling';
import { halveChroma } from './chroma-halving';
import { allocateColorLoss, beginColorLoss, judgeColorLoss } from './color-loss';
import { beginHidden, fillHidden, fillingRows } from './hidden-pixels';
import { allocateLight, beginLight } from './linear-light';
import { beginFitting, fitLuma } from './luma-fitting';
import { allocatePixelRows, pixelRow, repeatLastPixel } from './pixel-rows';

/** In pixels. */
let width: i32 = 0;
let height: i32 = 0;
let isWeighed: bool = false;
let isFilled: bool = false;

/** Rows of samples that are kept, those of two rows of macroblocks; powers of two. */
const keptLuma: i32 = 32;
const keptChroma: i32 = 16;
export let sourceLumaStride: usize = 0;
export let sourceChromaStride: usize = 0;
let luma: usize = 0;
let chromaU: usize = 0;
let chromaV: usize = 0;

/** Rows so far: of pixels, of chroma, of luma. */
let taken: i32 = 0;
let halved: i32 = 0;
let fitted: i32 = 0;

/**
 * Allocates what a picture of this size takes.
 *
 * @param hasAlpha whether alpha counts; if not it may be anything
 * @param keepsHidden whether pixels of no alpha keep their colors
 * @returns false if there is no room
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
    // a row of luma waits while the pixels of the next row of chroma, or of a row of macroblocks, are there
    allocatePixelRows(columns, isFilled ? fillingRows : 3) &&
    allocateUpsampling(columns) &&
    allocateColorLoss(across) &&
    allocateLight()
  );
}

/** Begins above the first row, also for another run. */
export function beginSourceRows(): void {
  taken = 0;
  halved = 0;
  fitted = 0;
  beginLight();
  beginHidden(width, height);
  beginColorLoss();
  beginFitting(isWeighed, isFilled);
}

/** Where the next row of pixels goes: straight RGBA, with room for the width rounded up to 16. */
export function inputRow(): usize {
  return pixelRow(taken);
}

/**
 * Takes in the row of pixels at `inputRow`.
 * @returns rows of macroblocks that are complete so far: the last two may become so at once
 */
export function takeInputRow(): i32 {
  repeatLastPixel(taken);
  taken += 1;
  const ready = isFilled ? fillHidden(taken) : taken;
  while (halved << 1 < height && (ready === height || ready >= (halved + 1) << 1)) takeChromaRow();
  return complete();
}

/** The first sample of row `m` of macroblocks, until row m + 2 is begun. */
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

/** Makes the next row of chroma, and the luma that has waited for it. */
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

/** The next row of luma, of the row of chroma that is near it and of the one that is far. */
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
