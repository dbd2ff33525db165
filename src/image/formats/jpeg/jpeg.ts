import { storedProfile } from '../../color/icc-reader.ts';
import type { PictureShape } from '../../pixels/raster.ts';
import { sideCeiling } from '../../wasm/budgets.ts';
import type { Coding, RowDecoder, RowEncoder } from '../coding.ts';
import type { Format, Reader, Writer } from '../format.ts';
import { jpegDecodingMs, jpegDetail, jpegEncodingMs, typicalJpeg } from './cpu.ts';
import { openJpegRows } from './decode.ts';
import { encodeJpegRows } from './encode.ts';
import { jpegFacts } from './facts.ts';
import { inspectWithGainMap } from './gain-map.ts';
import type { JpegInspection } from './inspect.ts';
import { jpegDrainingBytes, jpegEncodingBytes, jpegReadingBytes, maxJpegBytes } from './memory.ts';
import { sourceQuality } from './quantization-tables.ts';
import { recoder } from './recoder.ts';
import { readJpegMetadata, rewrapJpeg } from './rewrap.ts';

const decoder: RowDecoder<JpegInspection> = {
  arenaBytes: jpegReadingBytes,
  cpuMs: jpegDecodingMs,
  maxHalvings: 3,
  /**
   * At most one, because a smaller transform averages code values instead of linear light, which is visible in fine
   * contrast. Compared with exact reduction to an eighth, photos score 79 in SSIMULACRA2 after two halvings, and above
   * 99 after one.
   */
  halvingsFor: (reduction) => (reduction >= 4 ? 1 : 0),
  open: (file, image, how, memory, use) => openJpegRows(file, image, how, memory, use),
};

const read: Reader<JpegInspection> = {
  inspect: inspectWithGainMap,
  samples({ colorSpace, isGrey, bitDepth }) {
    const areInks = colorSpace === 'cmyk' || colorSpace === 'ycck';
    const kind = areInks ? 'cmyk' : isGrey ? 'grey' : 'rgb';
    // A gray picture may have an RGB profile, because decoders output RGB.
    return { kind, bitDepth, profiles: kind === 'grey' ? ['grey', 'rgb'] : [kind], stated: null };
  },
  profile: (file, { icc }) => storedProfile(file, icc),
  metadata: readJpegMetadata,
  rewrap: rewrapJpeg,
  decoder,
  detail: jpegDetail,
  jpegQuality: sourceQuality,
  candidates({ image }, { quality, exact }) {
    // Lossy coding at or above the quality of the file would only add loss.
    const isWorthwhile = quality !== 'lossless' && quality < sourceQuality(image);
    return [{ kind: 'recode', quality: isWorthwhile ? quality : 'lossless', exact }];
  },
  recoder,
};

const write: Writer = {
  /** If the memory for a photo does not suffice, the second encoder reads the rows again for each scan. */
  encoders: (shape, coding) => [false, true].map((lowMemory) => encoder(shape, coding, lowMemory)),
  asideEncoders: (shape, coding) => [drainingEncoder(shape, coding)],
};

/** The encoder with the least memory, which drains its result. */
function drainingEncoder(shape: PictureShape, coding: Coding): RowEncoder {
  const { quality, grey } = coding;
  const settings = { quality: lossyQuality(quality), grey, lowMemory: true, drains: true };
  const bytes = jpegDrainingBytes(shape, settings);
  return {
    ...encoder(shape, coding, true),
    photoBytes: bytes,
    maxBytes: sideCeiling,
    *encode(rows, run) {
      return { parts: yield* encodeJpegRows(rows, settings, run), quality };
    },
  };
}

function encoder(shape: PictureShape, { quality, grey }: Coding, lowMemory: boolean): RowEncoder {
  const settings = { quality: lossyQuality(quality), grey, lowMemory };
  const { expected, max, result } = jpegEncodingBytes(shape, settings);
  return {
    photoBytes: expected,
    maxBytes: lowMemory ? max : expected,
    bufferBytes: result,
    maxBufferBytes: maxJpegBytes(shape, settings),
    runs: lowMemory ? streamedRuns : 1,
    cpuMs: (detail) => jpegEncodingMs(shape, settings, detail),
    *encode(rows, run) {
      return { parts: yield* encodeJpegRows(rows, settings, run), quality };
    },
  };
}

/** Passes over the rows: one whose coefficients did not fit, then two for the single scan. */
const streamedRuns = 3;

function lossyQuality(quality: number | 'lossless'): number {
  if (quality === 'lossless') throw new RangeError('JPEG has no lossless quality');
  return quality;
}

/** JPEG: ITU-T T.81, JFIF (T.871) and Adobe's segments (T.872). */
export const jpeg = {
  ...{ facts: jpegFacts, read, write },
  typical: typicalJpeg,
} as const satisfies Format<JpegInspection> & { readonly typical: typeof typicalJpeg };
