import { turnScratchBytes } from '../../pixels/orientation.ts';
import { bytesPerRasterPixel, type PictureShape, type Size } from '../../pixels/raster.ts';
import { stripBytes } from '../../pixels/strips.ts';
import { arenaBirthBytes } from '../../wasm/arena.ts';
import { arenaCeiling, type Curve, interpolated } from '../../wasm/memory-ledger.ts';
import { usualSpeed } from '../coding.ts';
import { type Cells, columnsAtOnce } from './cells.ts';
import type { AvifInspection } from './inspect.ts';
import { mendedTableBytes } from './mended.ts';
import type { AvifSettings } from './settings.ts';

/** Arena that decoding takes, in bytes. */
export function decodingBytes(image: AvifInspection, fileBytes: number): number {
  const bytes = image.coding.planar ? planarBytes(image, fileBytes) : rasterBytes(image, fileBytes);
  // a codec has all that the arena is born with anyway
  return Math.max(arenaBirthBytes, bytes);
}

/** Buffers beside it, in bytes: what libavif is given is put together anew. */
export function decodingBufferBytes({ coding }: AvifInspection, fileBytes: number): number {
  return coding.planar ? 0 : Math.min(coding.codedBytes, fileBytes) + mendedTableBytes;
}

/**
 * With dav1d. Measured with bench/tuning/codec-memory.ts: its stack and tables; a frame in whole superblocks, and
 * beside it what the filters are to do in each block. Cells are copied into planes of the whole picture, so that one
 * frame is enough for all of them; alpha that comes before color, likewise.
 */
function planarBytes(
  { width, height, chroma, hasAlpha, coding }: AvifInspection,
  fileBytes: number,
): number {
  const { cells, longestBytes, planar } = coding;
  const samples = planarSamples[chroma];
  const isSingle = cells.columns * cells.rows === 1;
  // the frame of one cell is there until that of the next is complete
  const frames = (planar?.isDoubled ? 2 : 1) * (isSingle ? 1 : 2);
  const frame = (frames * samples + 0.45) * aligned(cells, 128);
  const lines = 300 * cells.width;
  const alphaFrame = hasAlpha ? (frames + 0.45) * aligned(cells, 128) : 0;
  const planes = width * height * ((isSingle ? 0 : samples) + (hasAlpha ? 1 : 0));
  return 6_500_000 + frame + alphaFrame + lines + planes + Math.min(longestBytes, fileBytes);
}

/** Samples per pixel, all planes together. */
const planarSamples = { '400': 1, '420': 1.5, '422': 2, '444': 3 } as const;

/**
 * With libavif. Measured with bench/tuning/codec-memory.ts: the decoder's tables, the mode of every
 * 4 × 4 block in whole superblocks (11.2 bytes per pixel), a frame with its
 * border and a copy without; alpha is a second decoder beside the first.
 */
function rasterBytes(image: AvifInspection, fileBytes: number): number {
  const coded = Math.min(image.coding.codedBytes, fileBytes);
  const pixels = image.width * image.height;
  const modes = 11.2 * aligned(image, 128);
  const depth = image.bitDepth > 8 ? 2 : 1;
  const samples = samplesPerPixel[image.chroma] * (bordered(image) + pixels) * depth;
  const alpha = image.hasAlpha ? 1_700_000 + modes + depth * (1.5 * bordered(image) + pixels) : 0;
  return 7_600_000 + modes + samples + alpha + 2.1 * coded;
}

/** Samples per pixel, all planes together; libaom gives a gray picture chroma planes too. */
const samplesPerPixel = { '400': 1.5, '420': 1.5, '422': 2, '444': 3 } as const;

/**
 * Arena that encoding takes at most, in bytes.
 *
 * Where libaom looks for copies and takes a picture for screen content (many blocks of few gray levels) it hashes every
 * block of it, which costs more than all the rest. It decides that from the pixels, so this is the bound for every
 * picture of which `isDrawn` is true, or that is coded without loss. Alpha is coded after color and needs less.
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
 * Bytes that libaom takes where it finds no copies, by its speed, as the slowest one looks at more: for a pixel of
 * whole blocks of 64 × 64, and for one of a frame with its border. Measured with bench/tuning/codec-memory.ts on photos.
 */
const plainBytes = {
  full: { slow: [46, 11.3], fast: [39.9, 7] },
  halved: { slow: [30.5, 10], fast: [24.2, 5.5] },
} as const;

/** Beside that, in bytes: at all, and for a row. */
const plainFixedBytes = 9_300_000;
const plainRowBytes = 500;

function plainPixelBytes({ quality, fullChroma, speed = usualSpeed }: Chosen) {
  const { slow, fast } = quality === 'lossless' || fullChroma ? plainBytes.full : plainBytes.halved;
  return speed === usualSpeed ? slow : fast;
}

/**
 * What photos were measured to take, times this, is enough for all pictures: noise takes up to 2.8 % more, and 3.4 %
 * what libaom takes for screen content, which may be a sky of few gray levels, as it then has a list of palettes'
 * colors for every pixel.
 */
export const plainSlack = 1.04;

/** A side in whole blocks of 64 pixels, as far as a thin strip fills them. */
function inBlocks(side: number): number {
  return side < 64 ? Math.min(64, side + 26) : 64 * Math.ceil(side / 64);
}

/** Arena that encoding takes in bytes, unless copies are looked for and there are some. */
export function plainEncodingBytes(size: Size, settings: Chosen): number {
  const [perAligned, perBordered] = plainPixelBytes(settings);
  const blocks = inBlocks(size.width) * inBlocks(size.height);
  const pixels = perAligned * blocks + perBordered * bordered(size);
  return plainFixedBytes + plainRowBytes * size.height + pixels;
}

/**
 * The widest cell of this height that can be coded at once, in pixels.
 * @param slack memory over what photos were measured to take
 */
export function widestCell(height: number, settings: Chosen, slack: number): number {
  const [perAligned, perBordered] = plainPixelBytes(settings);
  const left = arenaCeiling / slack - plainFixedBytes - plainRowBytes * height;
  const blocks = inBlocks(height);
  const border = perBordered * (height + 128);
  return Math.floor((left - 128 * border) / (perAligned * blocks + border) / 64) * 64;
}

/** Bytes that a result takes, its cells in buffers of their own. */
export interface ResultBytes {
  /** For a photo, however busy. */
  readonly photo: number;
  /** For noise. */
  readonly max: number;
}

export function resultBytes(
  shape: PictureShape,
  { quality }: Pick<Chosen, 'quality'>,
): ResultBytes {
  const { width, height, hasAlpha } = shape;
  // alpha may be noise as well
  const [photoAlpha, maxAlpha] = hasAlpha ? [0.2, 2.7] : [0, 0];
  const photo = quality === 'lossless' ? 2.2 : interpolated(photoLossyBytes, quality);
  const max = quality === 'lossless' ? 3.4 : interpolated(maxLossyBytes, quality);
  const pixels = width * height;
  const busy = Math.min(pixels, busyPixels) + calmShare * Math.max(0, pixels - busyPixels);
  return {
    photo: headBytes + (photo + photoAlpha) * busy,
    max: headBytes + (max + maxAlpha) * pixels,
  };
}

/** Tables, and a profile's share of them left aside. */
const headBytes = 16_384;

/** Bytes per pixel by quality: the busiest of 36 photographs, and a tenth more. */
const photoLossyBytes: Curve = [
  [30, 0.11],
  [40, 0.165],
  [60, 0.335],
  [72, 0.425],
  [85, 0.6],
  [95, 0.94],
  [100, 1.9],
];

/** Pixels of a photo that may all be as busy as that; of larger ones, the rest has so much of it. */
const busyPixels = 12e6;
const calmShare = 0.4;

/** Bytes per pixel of random extremes, opaque, by quality: measured, and a tenth more. */
const maxLossyBytes: Curve = [
  [70, 1.05],
  [90, 1.4],
  [100, 2.3],
];

/**
 * Buffers of pixels that are held while cells are coded, in bytes: a strip of the picture, or some columns of it, and a
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

/** libaom puts 64 pixels around a still picture's frames. */
function bordered({ width, height }: { width: number; height: number }): number {
  return (width + 128) * (height + 128);
}
