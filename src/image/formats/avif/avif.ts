import { storedProfile } from '../../color/icc-reader.ts';
import { viewOf } from '../../container/byte-cursor.ts';
import { fileTypeBrands } from '../../container/iso-boxes.ts';
import type { Orientation } from '../../metadata/exif-block.ts';
import { smoothHidden } from '../../pixels/raster.ts';
import { CodecError } from '../../wasm/codec.ts';
import { type Format, type Reader, usualSpeed, type Writer } from '../format.ts';
import { lossyPassthrough } from '../passthrough.ts';
import { avifEncoder } from './codec.ts';
import { resizedCoding } from './coding.ts';
import { avifDetail, avifEncodingMs } from './cpu.ts';
import { avifRowDecoder } from './decoder.ts';
import { avifFacts } from './facts.ts';
import { encodeGrid, gridOf, maxCellSide } from './grid.ts';
import { type AvifInspection, inspectAvif, isAvif } from './inspect.ts';
import { bufferBytes, photoEncodingBytes } from './memory.ts';
import { readAvifMetadata } from './metadata.ts';
import { rewrapAvif } from './rewrap.ts';

const read: Reader<AvifInspection> = {
  recognizes: (file) => isAvif(fileTypeBrands(viewOf(file))),
  inspect(file) {
    const view = viewOf(file);
    return inspectAvif(view, fileTypeBrands(view));
  },
  samples: ({ isGrey, bitDepth, nclx }) => ({
    kind: isGrey ? 'grey' : 'rgb',
    bitDepth,
    // a grey picture may have a profile for RGB, since decoders hand it out as such
    profiles: isGrey ? ['grey', 'rgb'] : ['rgb'],
    // whatever the range of its samples, they are decoded to the full one
    stated: nclx && { kind: 'code-points', ...nclx, fullRange: true },
  }),
  /**
   * It is cut to its clean aperture, rotated anti-clockwise, then mirrored (ISO/IEC 23000-22 §7.3.6.7);
   * each combination of turns equals one of EXIF's.
   */
  placement: ({ cleanAperture, mirror, rotation }) => ({
    region: cleanAperture,
    turn: turns[mirror][rotation],
  }),
  withSize: (image, size) => ({
    ...image,
    ...size,
    cleanAperture: null,
    coding: resizedCoding(image.coding, size),
  }),
  profile: (file, { icc }) => storedProfile(file, icc),
  metadata: readAvifMetadata,
  rewrap: rewrapAvif,
  decoder: avifRowDecoder,
  detail: avifDetail,
  candidates: ({ image }, { quality, exact, hasColorObstacle }) =>
    exact || image.bitDepth > 8 || hasColorObstacle
      ? [{ ...lossyPassthrough, verify: true }]
      : [{ kind: 'encode', quality }, lossyPassthrough],
};

const turns = {
  none: { 0: 1, 90: 8, 180: 3, 270: 6 },
  'left-right': { 0: 2, 90: 7, 180: 4, 270: 5 },
  'top-bottom': { 0: 4, 90: 5, 180: 2, 270: 7 },
} as const satisfies Record<string, Record<number, Orientation>>;

const write: Writer = {
  /**
   * A photo is coded whole or in large cells, and given what photos take. Screen content runs out of that
   * within milliseconds, and gets cells so small that the ceiling is enough for it.
   */
  encoders(shape, { quality, exact, speed = usualSpeed }) {
    // With halved chroma, a grid has to have even sides (MIAF §7.3.11.4.2).
    const isOdd = ((shape.width | shape.height) & 1) === 1;
    const isFull = quality === 'lossless' || isOdd;
    return (isFull ? [896, 512, 256] : [maxCellSide, 512, 256]).map((longestSide, i) => {
      const grid = gridOf(shape, longestSide);
      const { cellWidth: width, cellHeight: height } = grid;
      const settings = { quality, speed, fullChroma: isOdd && grid.columns * grid.rows > 1 };
      const photo = photoEncodingBytes({ width, height }, isFull);
      const bound = avifEncoder.arenaBytes({ width, height, hasAlpha: shape.hasAlpha }, settings);
      return {
        kind: 'raster',
        bufferBytes: bufferBytes(shape, { quality }),
        maxBufferBytes: bufferBytes(shape, { quality }),
        photoBytes: photo,
        maxBytes: i === 0 ? Math.min(photo, bound) : bound,
        cpuMs: (detail) => avifEncodingMs(shape, settings, detail),
        encode: (raster) => {
          // no other coding of these pixels minds, since hidden colours are nobody's then
          if (shape.hasAlpha && !exact) smoothHidden(raster);
          const bytes = encodeGrid(raster, grid, quality !== 'lossless', (cell) =>
            avifEncoder.encode(cell, settings),
          );
          // several cells, some opaque and some not, cannot be exact
          if (!bytes) throw new CodecError('avif-encode', false, 'the cells do not fit together');
          return bytes;
        },
      };
    });
  },
  speeds: [1, 2, 3],
};

/** AVIF: AV1 Image File Format 1.1 in HEIF (ISO/IEC 23008-12), as MIAF (ISO/IEC 23000-22). */
export const avif = { facts: avifFacts, read, write } as const satisfies Format<AvifInspection>;
