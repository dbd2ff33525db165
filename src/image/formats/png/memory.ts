import { isScored, scoringBytes } from '../../metric/ssimulacra2.ts';
import { bytesPerRasterPixel, type PictureShape } from '../../pixels/raster.ts';
import { arenaCeiling, sideCeiling } from '../../wasm/budgets.ts';
import type { Coding } from '../coding.ts';
import { maxHeldPixels } from './index-image.ts';
import { countedBytes, type PngKernel } from './kernel.ts';
import { allocateRowBuffers } from './pixel-rows.ts';
import { allocateExpandedRow, allocateSource, type PngRows } from './read.ts';
import { sharedPaletteBytes } from './shared-palette.ts';

/**
 * A single RGBA row of a wider picture exceeds what the arena may grow to in a Worker. Sums of several times its width
 * would not fit into the kernel's 32 bits, however much memory there is.
 */
const maxWidth = (52 * 2 ** 20) / bytesPerRasterPixel;

/**
 * Bytes of arena needed to read a PNG's pixels as rows of RGBA, regardless of the size of its inflated data. It depends
 * only on the width, and on the seven passes of an interlaced picture.
 */
export function pngReadingBytes(image: PngRows): number {
  return counted(image, (kernel) => {
    allocateSource(kernel, image, image.bitDepth === 16);
    allocateExpandedRow(kernel, image);
  });
}

/**
 * Bytes of arena needed to rewrite a PNG, with two results: the best so far, which is shorter than the file, and the
 * current attempt. Less is sufficient as well, since a candidate that finds no room is omitted.
 */
export function pngRecodingBytes(
  image: PngRows,
  fileBytes: number,
  { isLossy }: { readonly isLossy: boolean },
): number {
  const least = recodingBytes(image, isLossy && mayQuantize(image));
  return Math.max(least, Math.min(least + 1.5 * fileBytes, arenaCeiling));
}

/** Whether there is room to choose a palette, whose rows take more than any others. */
export function mayQuantize(image: PngRows): boolean {
  return recodingBytes(image, true) <= arenaCeiling / 2;
}

/** Bytes of arena needed to write rows of pixels as a PNG of at most `resultBytes` bytes. */
export function pngEncodingBytes(
  shape: PictureShape,
  { isLossy }: { readonly isLossy: boolean },
  resultBytes: number,
): number {
  return resultBytes + writingBytes(shape, { ...usualWriting, isLossy }, () => {});
}

/** Bytes of arena needed for a frame of an animation: to count its colors, to recolor pictures, and to write it. */
export function pngFrameBytes(shape: PictureShape, resultBytes: number): number {
  const writing = pngEncodingBytes(shape, { isLossy: false }, resultBytes);
  return shape.width > maxWidth ? writing : Math.max(writing, sharedPaletteBytes(shape.width));
}

/**
 * Bytes of memory needed to write rows of pixels as a PNG if its output is drained (`DrainedStreams`), regardless of
 * the size of the result.
 * @param holdsIndices see `PngRequest`
 */
export function pngDrainingBytes(
  shape: PictureShape,
  { isLossy, holdsIndices }: { readonly isLossy: boolean; readonly holdsIndices: boolean },
): number {
  const writing = { ...usualWriting, isLossy, holdsIndices, isDrained: true };
  return writingBytes(shape, writing, () => {});
}

/** Bytes of side arena needed to score the result of a palette; 0 if nothing is scored, or a row is too long. */
export function pngScoringBytes(
  { width, height, hasAlpha }: PictureShape,
  { quality, minScore }: Pick<Coding, 'quality' | 'minScore'>,
): number {
  if (quality === 'lossless' || minScore === undefined) return 0;
  if (width > maxWidth || !isScored({ width, height })) return 0;
  const bytes = scoringBytes({ width, height }, hasAlpha);
  return bytes <= sideCeiling ? bytes : 0;
}

function recodingBytes(image: PngRows, isLossy: boolean): number {
  const writing = { ...usualWriting, isLossy, isDeep: image.bitDepth === 16 };
  return writingBytes(image, writing, (kernel) => allocateSource(kernel, image, false));
}

interface Writing {
  readonly isLossy: boolean;
  readonly isDeep: boolean;
  readonly holdsIndices: boolean;
  readonly isDrained: boolean;
}

/** 8-bit samples, and a result that stays in the arena. */
const usualWriting = { isDeep: false, holdsIndices: true, isDrained: false };

/** Bits per pixel of the layouts that are written: up to 8 bits per sample, and 16. */
const shallowBits = [1, 2, 4, 8, 16, 24, 32];
const deepBits = [16, 32, 48, 64];

/**
 * Bytes needed to write a picture in any layout, excluding a result that stays in the arena. Short rows may take more
 * than longer ones, since a band holds more of them.
 */
function writingBytes(
  size: { readonly width: number; readonly height: number },
  { isLossy, isDeep, holdsIndices, isDrained }: Writing,
  allocateRows: (kernel: PngKernel) => void,
): number {
  const { width, height } = size;
  const bytes = [...shallowBits, ...(isDeep ? deepBits : [])].map((bits) =>
    counted(size, (kernel) => {
      allocateRows(kernel);
      allocateRowBuffers(kernel, width, isDeep);
      kernel.beginColors();
      if (holdsIndices && width * height <= maxHeldPixels) kernel.allocate(width * height);
      if (isLossy) {
        kernel.beginQuantizer(width);
        // A row of indices.
        kernel.allocate(width);
      }
      kernel.drainOutput(isDrained);
      kernel.beginWriter(Math.ceil((width * bits) / 8), 1, 0, 0);
    }),
  );
  return Math.max(...bytes);
}

function counted({ width }: { readonly width: number }, allocate: (kernel: PngKernel) => void) {
  return width > maxWidth ? Number.POSITIVE_INFINITY : countedBytes(allocate);
}
