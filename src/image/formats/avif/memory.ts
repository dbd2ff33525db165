import { turnScratchBytes } from '../../pixels/orientation.ts';
import { bytesPerRasterPixel, type PictureShape, type Size } from '../../pixels/raster.ts';
import { stripBytes } from '../../pixels/strips.ts';
import { arenaBirthBytes } from '../../wasm/arena.ts';
import { arenaCeiling } from '../../wasm/budgets.ts';
import { type Curve, interpolated } from '../../wasm/memory-ledger.ts';
import { usualSpeed } from '../coding.ts';
import { type Cells, columnsAtOnce } from './cells.ts';
import type { AvifInspection } from './inspect.ts';
import { sampleBytes } from './planes.ts';
import type { AvifSettings } from './settings.ts';

/** Bytes of the arena for decoding. */
export function decodingBytes(image: AvifInspection, fileBytes: number): number {
  // A codec can use all of the arena's initial size anyway.
  return Math.max(arenaBirthBytes, planesBytes(image, fileBytes));
}

/**
 * Bytes for decoding to planes, as measured with bench/tuning/codec-memory.ts. Cells, and alpha that precedes color, are
 * copied into planes of the whole picture, so the frames of one item suffice for all of them.
 */
function planesBytes(image: AvifInspection, fileBytes: number): number {
  const { width, height, chroma, bitDepth, hasAlpha, coding } = image;
  const { cells, longestBytes, decoder } = coding;
  const isSingle = cells.columns * cells.rows === 1;
  const samples = samplesPerPixel[chroma] * sampleBytes(bitDepth);
  const planes = (isSingle ? 0 : samples) + (hasAlpha ? sampleBytes(bitDepth) : 0);
  const item = decoder === 'dav1d' ? dav1dBytes(image, isSingle) : libaomBytes(image);
  return item + planes * width * height + Math.min(longestBytes, fileBytes);
}

/** dav1d: its stack and tables, a frame in whole superblocks, and the filter parameters of each block. */
function dav1dBytes({ chroma, hasAlpha, coding }: AvifInspection, isSingle: boolean): number {
  const { cells, isDoubled } = coding;
  // The frame of a cell is held until the next one is complete.
  const frames = (isDoubled ? 2 : 1) * (isSingle ? 1 : 2);
  const frame = (frames * samplesPerPixel[chroma] + 0.45) * aligned(cells, 128);
  const alphaFrame = hasAlpha ? (frames + 0.45) * aligned(cells, 128) : 0;
  return 6_500_000 + frame + alphaFrame + 300 * cells.width;
}

/** libaom: its tables, the mode of each 4 × 4 block in whole superblocks, and a frame with its border. */
function libaomBytes({ chroma, bitDepth, coding }: AvifInspection): number {
  const { cells, isDoubled } = coding;
  // It allocates chroma for a gray picture, too.
  const samples = Math.max(1.5, samplesPerPixel[chroma]) * sampleBytes(bitDepth);
  const frame = (isDoubled ? 2 : 1.03) * samples * bordered(cells);
  return 2_500_000 + 10.7 * aligned(cells, 128) + frame + 200 * cells.width;
}

/** Samples per pixel in all planes. */
const samplesPerPixel = { '400': 1, '420': 1.5, '422': 2, '444': 3 } as const;

/**
 * Maximum bytes of the arena for encoding.
 *
 * If libaom searches for copies and classifies a picture as screen content (many blocks with few gray levels), it
 * hashes each block, which takes more memory than everything else. The classification depends on the pixels, so this
 * bound applies to all pictures with `isDrawn` and to lossless coding. Alpha is encoded after color and takes less.
 */
export function encodingBytes(picture: Size, settings: Chosen): number {
  const { quality, fullChroma, isDrawn } = settings;
  if (quality !== 'lossless' && !isDrawn) return plainSlack * plainEncodingBytes(picture, settings);
  const [fixed, perBordered] =
    quality === 'lossless' || fullChroma ? [30_000_000, 16] : [28_000_000, 12];
  return fixed + 140 * aligned(picture, 64) + perBordered * bordered(picture);
}

type Chosen = Pick<AvifSettings, 'quality' | 'fullChroma' | 'speed' | 'isDrawn'>;

/**
 * Bytes that libaom takes without copies, by speed: per pixel of the picture in whole blocks of 64 × 64, and per pixel
 * of a frame with its border. Measured with bench/tuning/codec-memory.ts on photos.
 */
const plainBytes = {
  full: { slow: [46, 11.3], fast: [39.9, 7] },
  halved: { slow: [30.5, 10], fast: [24.2, 5.5] },
} as const;

/** Additional bytes: in total, and per row. */
const plainFixedBytes = 9_300_000;
const plainRowBytes = 500;

function plainPixelBytes({ quality, fullChroma, speed = usualSpeed }: Chosen) {
  const { slow, fast } = quality === 'lossless' || fullChroma ? plainBytes.full : plainBytes.halved;
  return speed === usualSpeed ? slow : fast;
}

/**
 * Factor on the memory measured for photos that suffices for all pictures. Noise takes up to 2.8 % more. Screen content,
 * as which libaom also classifies a sky with few gray levels, takes 3.4 % more, because libaom then keeps a list of
 * palette colors for each pixel.
 */
export const plainSlack = 1.04;

/** The length of a side, rounded up to whole blocks of 64 pixels; a thin strip does not fill the block. */
function inBlocks(side: number): number {
  return side < 64 ? Math.min(64, side + 26) : 64 * Math.ceil(side / 64);
}

/** Bytes of the arena for encoding without a search for copies. */
export function plainEncodingBytes(size: Size, settings: Chosen): number {
  const [perAligned, perBordered] = plainPixelBytes(settings);
  const blocks = inBlocks(size.width) * inBlocks(size.height);
  const pixels = perAligned * blocks + perBordered * bordered(size);
  return plainFixedBytes + plainRowBytes * size.height + pixels;
}

/**
 * Maximum width in pixels of a cell of this height that the encoder has memory for.
 * @param slack memory relative to measured photos
 */
export function widestCell(height: number, settings: Chosen, slack: number): number {
  const [perAligned, perBordered] = plainPixelBytes(settings);
  const left = arenaCeiling / slack - plainFixedBytes - plainRowBytes * height;
  const blocks = inBlocks(height);
  const border = perBordered * (height + 128);
  return Math.floor((left - 128 * border) / (perAligned * blocks + border) / 64) * 64;
}

/** Size in bytes of a result, whose cells have separate buffers. */
export interface ResultBytes {
  /** Maximum for a photo. */
  readonly photo: number;
  /** Maximum for any picture: that of noise. */
  readonly max: number;
}

export function resultBytes(
  shape: PictureShape,
  { quality }: Pick<Chosen, 'quality'>,
): ResultBytes {
  const { width, height, hasAlpha } = shape;
  // Alpha may be noise, too.
  const [photoAlpha, maxAlpha] = hasAlpha ? [0.2, 2.7] : [0, 0];
  const photo = quality === 'lossless' ? 2.2 : interpolated(photoLossyBytes, quality);
  const max = quality === 'lossless' ? 4.85 : interpolated(maxLossyBytes, quality);
  const pixels = width * height;
  const busy = Math.min(pixels, busyPixels) + calmShare * Math.max(0, pixels - busyPixels);
  return {
    photo: headBytes + (photo + photoAlpha) * busy,
    max: headBytes + (max + maxAlpha) * pixels,
  };
}

/** Size of the tables in bytes, without a profile. */
const headBytes = 16_384;

/** Bytes per pixel by quality: those of the most detailed of 36 photos, plus a tenth. */
const photoLossyBytes: Curve = [
  [30, 0.11],
  [40, 0.165],
  [60, 0.335],
  [72, 0.425],
  [85, 0.6],
  [95, 0.94],
  [100, 1.9],
];

/** Number of pixels that may all have that much detail; further pixels of a larger photo count with this share. */
const busyPixels = 12e6;
const calmShare = 0.4;

/**
 * Bytes per pixel of opaque noise by quality, with full chroma: the more of uniform samples and of extreme values,
 * measured, plus a tenth.
 */
const maxLossyBytes: Curve = [
  [30, 0.99],
  [50, 1.55],
  [60, 1.88],
  [80, 2.2],
  [90, 2.81],
  [95, 3.45],
  [98, 4.2],
  [100, 4.85],
];

/**
 * Bytes of pixel buffers that are held while cells are encoded: a strip of the picture or some columns of it, and a
 * cell.
 */
export function heldBytes(size: Size, cells: Cells): number {
  const { cellWidth, cellHeight } = cells;
  const width = Math.min(size.width, columnsAtOnce(size, cells) * cellWidth);
  const cell = bytesPerRasterPixel * cellWidth * cellHeight;
  return (
    stripBytes({ ...size, width }, cellHeight) + cell + turnScratchBytes(cellWidth, cellHeight)
  );
}

function aligned({ width, height }: { width: number; height: number }, to: number): number {
  return Math.ceil(width / to) * to * Math.ceil(height / to) * to;
}

/** Number of pixels of a frame with the border of 64 pixels that libaom adds for still pictures. */
function bordered({ width, height }: { width: number; height: number }): number {
  return (width + 128) * (height + 128);
}
