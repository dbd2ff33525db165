import { isScored, scoringBytes } from '../../metric/ssimulacra2.ts';
import { bytesPerRasterPixel, type PictureShape } from '../../pixels/raster.ts';
import { arenaCeiling, sideCeiling } from '../../wasm/memory-ledger.ts';
import type { Coding } from '../coding.ts';
import { maxHeldPixels } from './index-image.ts';
import { countedBytes, type PngKernel } from './kernel.ts';
import { allocateRowBuffers } from './pixel-rows.ts';
import { allocateExpandedRow, allocateSource, type PngRows } from './read.ts';
import { sharedPaletteBytes } from './shared-palette.ts';

/**
 * A wider picture has rows of RGBA alone that are beyond what the arena may grow to. Sums of several
 * times its width would not fit into the kernel's 32 bits either.
 */
const maxWidth = arenaCeiling / bytesPerRasterPixel;

/**
 * The arena that reading a PNG's pixels as rows of RGBA takes, in bytes, whatever its data inflate to.
 * It depends on the width only, and on the seven passes of an interlaced picture.
 */
export function pngReadingBytes(image: PngRows): number {
  return counted(image, (kernel) => {
    allocateSource(kernel, image, image.bitDepth === 16);
    allocateExpandedRow(kernel, image);
  });
}

/**
 * The arena that writing a PNG anew takes, in bytes, with two results: the best so far, which is
 * shorter than the file, and one that is tried. Less than that is enough, since a candidate that finds
 * no room is left out.
 */
export function pngRecodingBytes(
  image: PngRows,
  fileBytes: number,
  { isLossy }: { readonly isLossy: boolean },
): number {
  const least = recodingBytes(image, isLossy && mayQuantize(image));
  return Math.max(least, Math.min(least + 1.5 * fileBytes, arenaCeiling));
}

/** Whether there is room to choose a palette: its rows take more than any others. */
export function mayQuantize(image: PngRows): boolean {
  return recodingBytes(image, true) <= arenaCeiling / 2;
}

/** The arena that writing rows of pixels as a PNG of so many bytes takes, in bytes. */
export function pngEncodingBytes(
  shape: PictureShape,
  { isLossy }: { readonly isLossy: boolean },
  resultBytes: number,
): number {
  return resultBytes + writingBytes(shape, { ...usualWriting, isLossy }, () => {});
}

/**
 * The arena that a frame of an animation takes, in bytes: its colors are counted, pictures are shown in others, and it
 * is written.
 */
export function pngFrameBytes(shape: PictureShape, resultBytes: number): number {
  const writing = pngEncodingBytes(shape, { isLossy: false }, resultBytes);
  return shape.width > maxWidth ? writing : Math.max(writing, sharedPaletteBytes(shape.width));
}

/**
 * The memory that writing rows of pixels as a PNG takes, in bytes, where its output is drained (`DrainedStreams`):
 * the same for any result.
 * @param holdsIndices see `PngRequest`
 */
export function pngDrainingBytes(
  shape: PictureShape,
  { isLossy, holdsIndices }: { readonly isLossy: boolean; readonly holdsIndices: boolean },
): number {
  const writing = { ...usualWriting, isLossy, holdsIndices, isDrained: true };
  return writingBytes(shape, writing, () => {});
}

/**
 * The side arena that scoring what a palette shows takes, in bytes; 0 where nothing is scored, or not all of a row fits.
 */
export function pngScoringBytes(
  { width, height, hasAlpha }: PictureShape,
  { quality, minScore }: Pick<Coding, 'quality' | 'minScore'>,
): number {
  if (quality === 'lossless' || minScore === undefined) return 0;
  if (width > maxWidth || !isScored({ width, height })) return 0;
  const bytes = scoringBytes(width, hasAlpha);
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

/** Samples of 8 bits, and a result that stays in the arena. */
const usualWriting = { isDeep: false, holdsIndices: true, isDrained: false };

/** Bits of a pixel in the layouts that are written, those of 16-bit samples last. */
const shallowBits = [1, 2, 4, 8, 16, 24, 32];
const deepBits = [16, 32, 48, 64];

/**
 * All that writing a picture takes, whatever its layout; a result that stays in the arena is not counted.
 * Rows of few bytes may take more than longer ones, since there are more of them in a band.
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
        // a row of indices
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
