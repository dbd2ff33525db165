import { avifEncoder } from '../formats/avif/codec.ts';
import { encodeGrid, gridOf } from '../formats/avif/grid.ts';
import type { ImageType } from '../formats/facts.ts';
import type { Encoded, Quality } from '../formats/format.ts';
import { jpegEncoder } from '../formats/jpeg/encode.ts';
import { jpegEncodingBytes, mostJpegBytes } from '../formats/jpeg/memory.ts';
import { mostPngBytes, pngEncoder } from '../formats/png/encode.ts';
import { sampleKinds } from '../formats/png/layout.ts';
import { webpEncoder } from '../formats/webp/codec.ts';
import { isTransparent, smoothHidden } from '../pixels/alpha.ts';
import type { PictureShape } from '../pixels/raster.ts';
import { bytesPerRasterPixel, type Raster } from '../pixels/raster.ts';
import { refuseOptions, refuseTooLarge } from '../refusal.ts';
import { arena, CodecError } from '../wasm/codec.ts';
import { type Curve, interpolated } from '../wasm/measured-curve.ts';
import { arenaCeiling, type Peak } from '../wasm/memory-ledger.ts';
import { type PixelSteps, type PreparedPixels, preparingPeak } from './prepare-pixels.ts';
import type { Source } from './read-source.ts';
import { type Produced, produced } from './result.ts';

/** What the raster engine is to make of a picture. */
export interface RasterJob extends Coding {
  readonly engine: 'raster';
  readonly pixels: PixelSteps;
}

/** Memory that a job is given, the file itself not counted; no end of it when there is no way to code so large a picture. */
export function rasterPeak(source: Source, job: RasterJob): Peak {
  const preparing = preparingPeak(source, job.pixels);
  const shape = codedShape(source, job);
  const raster = bytesPerRasterPixel * shape.width * shape.height;
  const coding = attemptsFor(shape, job).map(({ arenaBytes }) => arenaBytes);
  return {
    arena: coding.length > 0 ? Math.max(preparing.arena, ...coding) : Infinity,
    buffers: Math.max(
      preparing.buffers,
      raster + codingBytes(shape, job),
      // the result and its finished copy, once the raster has gone
      2 * resultBytes(shape, job),
    ),
  };
}

/**
 * Codes the prepared pixels. Runs from end to end without yielding, so no other
 * request's pixels are ever in memory beside these.
 */
export function runRaster(pixels: PreparedPixels, { image }: Source, job: RasterJob): Produced {
  const raster = pixels.through(job.pixels);
  if ('kind' in raster) return raster;
  if (job.type === 'jpeg' && image.hasAlpha && !job.pixels.background && isTransparent(raster)) {
    return transparentToJpeg;
  }
  return coded(raster, image.hasAlpha, job);
}

const transparentToJpeg = refuseOptions(
  'The picture is transparent and JPEG is not: give a background, or another format.',
);

/** The first attempt that gets by with its memory, or a refusal. */
function coded(raster: Raster, hasAlpha: boolean, job: RasterJob): Produced {
  const { width, height } = raster;
  let isTooLarge = false;
  for (const attempt of attemptsFor({ width, height, hasAlpha }, job)) {
    arena.reserve(attempt.arenaBytes);
    try {
      const { bytes, quality } = attempt.encode(raster);
      return produced(bytes, quality);
    } catch (error) {
      if (!(error instanceof CodecError)) throw error;
      isTooLarge ||= error.exhausted;
    }
  }
  // Mostly noise comes here, since an encoder keeps more of it than of any picture.
  const refusal = isTooLarge ? refuseTooLarge(Math.floor((width * height) / 2)) : cannotBeCoded;
  return { kind: 'no-way', refusal };
}

/** An AVIF of several cells, some opaque and some not, has no way to be exact. */
const cannotBeCoded = refuseOptions(
  'This picture cannot be coded like that: use another quality or format.',
);

/** The shape that the encoder gets to see. */
function codedShape({ image }: Source, { pixels: { target, turn } }: RasterJob): PictureShape {
  const { width, height } = target ?? image;
  const { hasAlpha } = image;
  return turn >= 5 ? { width: height, height: width, hasAlpha } : { width, height, hasAlpha };
}

/** One way to code a raster. */
export interface Attempt {
  /** What it is given; it may run out of that, and the next attempt takes over. */
  readonly arenaBytes: number;
  /** @throws CodecError where this way does not work for this picture */
  encode(raster: Raster): Encoded;
}

/**
 * Ways to code a picture of this shape, the best first.
 *
 * What an encoder takes depends on the picture: noise makes it keep several
 * times as much as a photo does. Planning for noise alone would refuse most
 * photos that fit, so an attempt is in the list when a photo fits (`least`),
 * gets what noise would take (`most`) as far as the arena may grow, and hands
 * over to a leaner one when it runs out. None gets past what it was given.
 */
export function attemptsFor(shape: PictureShape, coding: Coding): readonly Attempt[] {
  return attempts[coding.type](shape, coding).flatMap(({ least, most, encode }) =>
    least <= arenaCeiling ? [{ arenaBytes: Math.min(most, arenaCeiling), encode }] : [],
  );
}

interface Way {
  readonly least: number;
  readonly most: number;
  encode(raster: Raster): Encoded;
}

const attempts = {
  jpeg: jpegWays,
  webp: webpWays,
  avif: avifWays,
  png: pngWays,
} satisfies Record<ImageType, (shape: PictureShape, coding: Coding) => readonly Way[]>;

/** What runs out of the memory that a photo takes is gone through twice instead of being kept. */
function jpegWays(shape: PictureShape, { quality, grey }: Coding): readonly Way[] {
  if (quality === 'lossless') throw new RangeError('JPEG has no lossless quality');
  return [false, true].map((lowMemory) => {
    const settings = { quality, grey, lowMemory };
    const { expected, most } = jpegEncodingBytes(shape, settings);
    const bytes = lowMemory ? most : expected;
    return {
      least: bytes,
      most: bytes,
      encode: (raster) => ({ bytes: jpegEncoder.encode(raster, settings), quality }),
    };
  });
}

function webpWays(shape: PictureShape, { quality, exact }: Coding): readonly Way[] {
  return (quality === 'lossless' ? [false] : [false, true]).map((lowMemory) => {
    const settings = { quality, exact, lowMemory };
    const most = webpEncoder.arenaBytes(shape, settings);
    const photo = 11.5 * shape.width * shape.height;
    const isBounded = quality === 'lossless' || shape.hasAlpha || lowMemory;
    return {
      least: isBounded ? most : photo,
      most,
      encode: (raster) => ({ bytes: webpEncoder.encode(raster, settings), quality }),
    };
  });
}

/**
 * A photo is coded whole or in large cells, and given what photos take. Screen
 * content runs out of that within milliseconds, and gets cells so small that
 * the ceiling is enough for it.
 */
function avifWays(shape: PictureShape, { quality, exact }: Coding): readonly Way[] {
  // With halved chroma, a grid has to have even sides (MIAF §7.3.11.4.2).
  const isOdd = ((shape.width | shape.height) & 1) === 1;
  const isFull = quality === 'lossless' || isOdd;
  return (isFull ? [896, 512, 256] : [longestCell, 512, 256]).map((longestSide, i) => {
    const grid = gridOf(shape, longestSide);
    const { cellWidth: width, cellHeight: height } = grid;
    const settings = { quality, fullChroma: isOdd && grid.columns * grid.rows > 1 };
    const photo = 9_000_000 + (isFull ? 62 : 43) * width * height;
    const bound = avifEncoder.arenaBytes({ width, height, hasAlpha: shape.hasAlpha }, settings);
    return {
      least: photo,
      most: i === 0 ? Math.min(photo, bound) : bound,
      encode: (raster) => {
        // no other coding of these pixels minds, since hidden colours are nobody's then
        if (shape.hasAlpha && !exact) smoothHidden(raster);
        const bytes = encodeGrid(raster, grid, quality !== 'lossless', (cell) =>
          avifEncoder.encode(cell, settings),
        );
        if (!bytes) throw new CodecError('avif-encode', false, 'the cells do not fit together');
        return { bytes, quality };
      },
    };
  });
}

/**
 * What a photo presses to fits as a rule, beside its palette that is tried first. Noise takes as much
 * as its samples do.
 */
function pngWays(shape: PictureShape, { quality, exact, grey, icc }: Coding): readonly Way[] {
  const settings = { quality, exact, kinds: sampleKinds(icc) };
  const most = mostPngBytes(shape, grey);
  return [
    {
      least: pngEncoder.arenaBytes(shape, settings, 0.75 * most),
      most: pngEncoder.arenaBytes(shape, settings, 1.33 * most),
      encode: (raster) => pngEncoder.encode(raster, settings),
    },
  ];
}

/** Of the first attempt at an AVIF, in pixels. */
const longestCell = 1024;

/** The most that coding takes beside the raster and the arena: the result, and what it is made from. */
function codingBytes(shape: PictureShape, coding: Coding): number {
  const result = resultBytes(shape, coding);
  switch (coding.type) {
    case 'jpeg':
    case 'png':
    case 'webp':
      return result;
    case 'avif': {
      // the pixels of a cell, and the cells before they are joined
      const { columns, rows, cellWidth, cellHeight } = gridOf(shape, longestCell);
      if (columns * rows === 1) return result;
      return 2 * result + bytesPerRasterPixel * cellWidth * cellHeight;
    }
  }
}

/** Upper bound of an encoded picture in bytes: noise is what fills it. */
function resultBytes(shape: PictureShape, { type, quality, grey }: Coding): number {
  const { width, height, hasAlpha } = shape;
  if (type === 'png') return mostPngBytes(shape, grey);
  if (type === 'jpeg') {
    if (quality === 'lossless') throw new RangeError('JPEG has no lossless quality');
    return mostJpegBytes(shape, { quality, grey });
  }
  // alpha may be noise as well
  const alpha = hasAlpha ? (type === 'avif' ? 2.7 : 1.1) : 0;
  const color = quality === 'lossless' ? 3.4 : interpolated(mostBytes[type], quality);
  return 4096 + (color + alpha) * width * height;
}

/** Bytes per pixel of random extremes, opaque, by quality: measured, and a tenth more. */
const mostBytes = {
  webp: [
    [70, 0.85],
    [90, 1.1],
    [100, 1.45],
  ],
  avif: [
    [70, 1.05],
    [90, 1.4],
    [100, 2.3],
  ],
} as const satisfies Record<string, Curve>;

/** What a raster is to be coded as. */
export interface Coding {
  readonly type: ImageType;
  readonly quality: Quality;
  /** Colours that nobody sees, under full transparency, are kept as well. */
  readonly exact: boolean;
  /** Profile for the result; null: sRGB. */
  readonly icc: Uint8Array | null;
  /** JPEG of one component. */
  readonly grey: boolean;
}
