import { turnScratchBytes } from '../../../pixels/orientation.ts';
import { bytesPerRasterPixel, type PictureShape, type Size } from '../../../pixels/raster.ts';
import { stripBytes } from '../../../pixels/strips.ts';
import { arenaBirthBytes } from '../../../wasm/arena.ts';
import { arenaCeiling } from '../../../wasm/budgets.ts';
import { type Curve, interpolated } from '../../../wasm/memory-ledger.ts';
import { layoutOf } from '../container/coded-cell.ts';
import type { AvifInspection } from '../inspect.ts';
import { type Cells, columnsAtOnce } from './cells.ts';
import { sampleBytes } from './planes.ts';
import { type AvifSettings, contentOf, libaomSpeed, searchesCopies } from './settings.ts';

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
 * bound applies to all drawings and to lossless coding. Alpha is encoded after color and takes less.
 */
export function encodingBytes(picture: Size, settings: AvifSettings): number {
  if (!searchesCopies(settings)) return plainSlack * plainEncodingBytes(picture, settings);
  const { perBlock, perBordered } = searchingBytes[chromaOf(settings)];
  return fixedBytes + perBlock * aligned(picture, 64) + perBordered * bordered(picture);
}

/**
 * Bytes that libaom takes per pixel of the picture in whole blocks of 64 × 64, and per pixel of a frame with its border,
 * the planes of the picture included. Measured with bench/tuning/codec-memory.ts on photos, and with copies on text.
 */
const plainBytes = {
  full: { perBlock: 23.8, perBordered: 10 },
  halved: { perBlock: 13.7, perBordered: 5.9 },
} as const;
const searchingBytes = {
  full: { perBlock: 84, perBordered: 10 },
  halved: { perBlock: 72, perBordered: 5.9 },
} as const;

/** Bytes that libaom takes besides at its slower speeds: a mode for each 4 × 4 pixels in whole blocks, and of a margin. */
const slowBytes = 12;
const slowMargin = 40;
/** Its slowest speed that does not take them, and its shortest side from which on no speed does. */
const fastSpeed = 7;
const fastSide = 1080;

/** Planes without chroma take less than those with halved chroma, but are not told apart. */
function chromaOf(settings: AvifSettings): 'full' | 'halved' {
  return layoutOf[contentOf(settings)] === '444' ? 'full' : 'halved';
}

const fixedBytes = 3_000_000;

/**
 * Factor on the memory measured for photos that suffices for all pictures: noise takes up to 18 % more, and text, for
 * which libaom keeps a list of palette colors for each pixel, up to 11 %.
 */
export const plainSlack = 1.2;

/** The length of a side, rounded up to whole blocks of 64 pixels; a thin strip does not fill the block. */
function inBlocks(side: number): number {
  return side < 64 ? Math.min(64, side + 30) : 64 * Math.ceil(side / 64);
}

/** Bytes of the arena for encoding without a search for copies. */
export function plainEncodingBytes(size: Size, settings: AvifSettings): number {
  const { width, height } = size;
  const { perBlock, perBordered } = plainBytes[chromaOf(settings)];
  const blocks = inBlocks(width) * inBlocks(height);
  const slow = isSlow(settings, Math.min(width, height))
    ? slowBytes * slowPixels(width, height)
    : 0;
  return fixedBytes + perBlock * blocks + perBordered * bordered(size) + slow;
}

function isSlow(settings: AvifSettings, shortSide: number): boolean {
  return libaomSpeed(settings) < fastSpeed && shortSide < fastSide;
}

function slowPixels(width: number, height: number): number {
  const side = (length: number) => 64 * Math.ceil(length / 64) + slowMargin;
  return side(width) * side(height);
}

/**
 * Maximum width in pixels of a cell of this height that the encoder has memory for.
 * @param slack memory relative to measured photos
 */
export function widestCell(height: number, settings: AvifSettings, slack: number): number {
  const { perBlock, perBordered } = plainBytes[chromaOf(settings)];
  const border = perBordered * (height + 128);
  const widestAt = (shortSide: number) => {
    const slow = isSlow(settings, shortSide) ? slowBytes * slowPixels(0, height) : 0;
    const left = arenaCeiling / slack - fixedBytes - 128 * border - slow;
    const perColumn = perBlock * inBlocks(height) + border + slow / slowMargin;
    return Math.floor(left / perColumn / 64) * 64;
  };
  const widest = widestAt(height);
  return widest < fastSide ? Math.min(widest, widestAt(widest)) : widest;
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
  { quality }: Pick<AvifSettings, 'quality'>,
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
  [20, 0.055],
  [30, 0.082],
  [40, 0.125],
  [50, 0.175],
  [60, 0.235],
  [66, 0.275],
  [75, 0.355],
  [82, 0.42],
  [90, 0.5],
  [95, 0.6],
  [100, 1.2],
];

/** Number of pixels that may all have that much detail; further pixels of a larger photo count with this share. */
const busyPixels = 12e6;
const calmShare = 0.4;

/**
 * Bytes per pixel of opaque noise by quality, with full chroma: the more of uniform samples and of extreme values,
 * measured, plus a tenth.
 */
const maxLossyBytes: Curve = [
  [33, 0.53],
  [44, 0.84],
  [56, 1.12],
  [68, 1.45],
  [79, 1.72],
  [88, 2.0],
  [95, 2.51],
  [100, 4.2],
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
