import { smoothHidden } from '../alpha.ts';
import { avifEncoder } from '../codecs/avif.ts';
import { encodeGrid, gridOf } from '../codecs/avif-grid.ts';
import { CodecError, type Encoded, type PictureShape } from '../codecs/codec.ts';
import { webpEncoder } from '../codecs/webp.ts';
import type { ImageType } from '../inspect/inspection.ts';
import { jpegEncodingBytes } from '../jpeg/encoding-bytes.ts';
import { jpegEncoder } from '../jpeg/jpeg-encoder.ts';
import { arenaCeiling } from '../memory.ts';
import { mostPngBytes, pngEncoder } from '../png/png-encoder.ts';
import { sampleKinds } from '../png/sample-kinds.ts';
import type { Raster } from '../raster.ts';
import type { Coding } from './coding.ts';
import { longestCell } from './coding-bytes.ts';

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
