import { storedProfile } from '../../color/icc-reader.ts';
import { viewOf } from '../../container/byte-cursor.ts';
import { fileTypeBrands } from '../../container/iso-boxes.ts';
import type { Orientation } from '../../metadata/exif-block.ts';
import type { Format, Reader, Writer } from '../format.ts';
import { lossyPassthrough } from '../passthrough.ts';
import { avifDetail, avifPatienceMs } from './codec/cpu.ts';
import { avifRowDecoder } from './codec/row-decoder.ts';
import { avifEncoders } from './codec/row-encoders.ts';
import { kindOf } from './codec/settings.ts';
import { resizedCoding } from './codec/stream-facts.ts';
import { readAvifMetadata } from './container/metadata.ts';
import { rewrapAvif } from './container/rewrap.ts';
import { avifFacts } from './facts.ts';
import { type AvifInspection, inspectAvif } from './inspect.ts';

const read: Reader<AvifInspection> = {
  inspect(file) {
    const view = viewOf(file);
    return inspectAvif(view, fileTypeBrands(view));
  },
  samples: ({ isGrey, bitDepth, nclx }) => ({
    kind: isGrey ? 'grey' : 'rgb',
    bitDepth,
    // A gray picture may have an RGB profile, because decoders output RGB.
    profiles: isGrey ? ['grey', 'rgb'] : ['rgb'],
    // Samples of any range are decoded to full range.
    stated: nclx && { kind: 'code-points', ...nclx, fullRange: true, cameraCurves: 'srgb' },
  }),
  /**
   * The picture is cropped to its clean aperture, rotated counterclockwise, then mirrored (ISO/IEC 23000-22 §7.3.6.7);
   * each combination corresponds to an EXIF orientation.
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
  encoders: avifEncoders,
  speeds: [1, 2, 3],
  trial: {
    // At the next speed, chroma would be halved more often.
    speed: 1,
    // Measured on parts of photos at scores of 65 to 86; detailed ones are coded in the same way at both speeds.
    gain: (detail) => (kindOf(detail) === 'smooth' ? 0.028 : 0),
    drawnGain: 0.1,
    codingShare: 0.8,
  },
  patience: { ms: avifPatienceMs, fastest: 3 },
};

/** AVIF: AV1 Image File Format 1.1 in HEIF (ISO/IEC 23008-12), as MIAF (ISO/IEC 23000-22). */
export const avif = { facts: avifFacts, read, write } as const satisfies Format<AvifInspection>;
