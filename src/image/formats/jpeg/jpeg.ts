import { storedProfile } from '../../color/icc-reader.ts';
import { startsWith } from '../../container/assemble.ts';
import type { PictureShape } from '../../pixels/raster.ts';
import { sideCeiling } from '../../wasm/memory-ledger.ts';
import type { Coding, RowDecoder, RowEncoder } from '../coding.ts';
import type { Format, Reader, Writer } from '../format.ts';
import { jpegDecodingMs, jpegDetail, jpegEncodingMs } from './cpu.ts';
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
   * One at most: a smaller transform takes means of codes, not of light, which shows in fine contrast.
   * After two halvings photos reduced to an eighth fell to 79 in SSIMULACRA2 against exact reduction,
   * after one they stay above 99.
   */
  halvingsFor: (reduction) => (reduction >= 4 ? 1 : 0),
  open: (file, image, how, memory, use) => openJpegRows(file, image, how, memory, use),
};

const read: Reader<JpegInspection> = {
  recognizes: (file) => startsWith(file, '\xff\xd8'),
  inspect: inspectWithGainMap,
  samples({ colorSpace, isGrey, bitDepth }) {
    const areInks = colorSpace === 'cmyk' || colorSpace === 'ycck';
    const kind = areInks ? 'cmyk' : isGrey ? 'grey' : 'rgb';
    // a gray picture may have a profile for RGB, since decoders hand it out as such
    return { kind, bitDepth, profiles: kind === 'grey' ? ['grey', 'rgb'] : [kind], stated: null };
  },
  profile: (file, { icc }) => storedProfile(file, icc),
  metadata: readJpegMetadata,
  rewrap: rewrapJpeg,
  decoder,
  detail: jpegDetail,
  jpegQuality: sourceQuality,
  candidates({ image }, { quality, exact }) {
    // coding at a quality that the file does not have any more would only add damage
    const isWorthwhile = quality !== 'lossless' && quality < sourceQuality(image);
    return [{ kind: 'recode', quality: isWorthwhile ? quality : 'lossless', exact }];
  },
  recoder,
};

const write: Writer = {
  /** What runs out of the memory that a photo takes is gone through again for each scan instead of being kept. */
  encoders: (shape, coding) => [false, true].map((lowMemory) => encoder(shape, coding, lowMemory)),
  asideEncoders: (shape, coding) => [drainingEncoder(shape, coding)],
};

/** That in a small memory, which holds nothing of the result. */
function drainingEncoder(shape: PictureShape, coding: Coding): RowEncoder {
  const { quality, grey } = coding;
  const settings = { quality: lossyQuality(quality), grey, lowMemory: true, drains: true };
  const bytes = jpegDrainingBytes(shape, settings);
  return {
    ...encoder(shape, coding, true),
    photoBytes: bytes,
    maxBytes: sideCeiling,
    encode: (rows, run) => ({ parts: encodeJpegRows(rows, settings, run), quality }),
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
    encode: (rows, run) => ({ parts: encodeJpegRows(rows, settings, run), quality }),
  };
}

/** Coefficients that did not fit, then each scan twice: there is one. */
const streamedRuns = 3;

function lossyQuality(quality: number | 'lossless'): number {
  if (quality === 'lossless') throw new RangeError('JPEG has no lossless quality');
  return quality;
}

/** JPEG: ITU-T T.81, JFIF (T.871) and Adobe's segments (T.872). */
export const jpeg = { facts: jpegFacts, read, write } as const satisfies Format<JpegInspection>;

export { typicalJpeg } from './cpu.ts';
