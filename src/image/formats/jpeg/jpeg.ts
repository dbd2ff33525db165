import { storedProfile } from '../../color/icc-reader.ts';
import { startsWith } from '../../container/assemble.ts';
import type { Keeping } from '../../metadata/carried.ts';
import type { PictureShape } from '../../pixels/raster.ts';
import { arena } from '../../wasm/arena.ts';
import { arenaCeiling, sideCeiling } from '../../wasm/memory-ledger.ts';
import { copiedOut, type ReleaseFile } from '../../wasm/run-in-arena.ts';
import type {
  Appearance,
  Coding,
  Finished,
  Format,
  GainMapRole,
  Reader,
  Recoder,
  RecodeSettings,
  RowDecoder,
  RowEncoder,
  Source,
  Writer,
} from '../format.ts';
import { finishedUntouched, keptAppearance, untouched } from '../passthrough.ts';
import { jpegDecodingMs, jpegDetail, jpegEncodingMs, jpegRecodingMs } from './cpu.ts';
import { openJpegRows } from './decode.ts';
import { encodeJpegRows } from './encode.ts';
import { jpegFacts } from './facts.ts';
import { inspectWithGainMap } from './gain-map.ts';
import type { JpegGainMap, JpegInspection } from './inspect.ts';
import {
  jpegDrainingBytes,
  jpegEncodingBytes,
  jpegReadingBytes,
  jpegRecodingBytes,
  maxJpegBytes,
} from './memory.ts';
import { sourceQuality } from './quantization-tables.ts';
import { recodeJpeg } from './recode.ts';
import { recodedGainMap } from './recode-gain-map.ts';
import {
  gainMapBytes,
  jpegHead,
  readJpegMetadata,
  rewrapJpeg,
  rewrappedJpeg,
  withGainMap,
} from './rewrap.ts';

const decoder: RowDecoder<JpegInspection> = {
  kind: 'rows',
  arenaBytes: jpegReadingBytes,
  cpuMs: jpegDecodingMs,
  maxHalvings: 3,
  /**
   * One at most: a smaller transform takes means of codes, not of light, which shows in fine contrast.
   * After two halvings photos reduced to an eighth fell to 79 in SSIMULACRA2 against exact reduction,
   * after one they stay above 99.
   */
  halvingsFor: (reduction) => (reduction >= 4 ? 1 : 0),
  open: (file, image, { halvings }, memory, use) =>
    openJpegRows(file, image, halvings, memory, use),
};

/** The coefficients are coded anew; a JPEG that keeps its size never becomes pixels. */
const recoder: Recoder<JpegInspection> = {
  engine: 'jpeg-coefficients',
  arenaBytes({ image, fileBytes }, settings) {
    const map = keptGainMap(image, settings);
    const own = jpegRecodingBytes(image, fileBytes, settings.quality);
    return map ? Math.max(own, jpegRecodingBytes(map.image, map.at.length, 'lossless')) : own;
  },
  bufferBytes({ image }, settings) {
    const map = keptGainMap(image, settings);
    return map ? map.at.length + maxGainMapGrowth : 0;
  },
  cpuMs({ image, fileBytes }, settings) {
    const map = keptGainMap(image, settings);
    const own = jpegRecodingMs(image, fileBytes, settings.quality);
    return map ? own + jpegRecodingMs(map.image, map.at.length, 'lossless') : own;
  },
  recode(file, source, settings, keeping, makeWay) {
    const kept = keptGainMap(source.image, settings);
    const map = kept && recodedGainMap(file, kept);
    const { quality } = settings;
    return recodedWith(kept && map ? { kind: 'picture', statement: kept.statement, map } : null, {
      file,
      source,
      quality,
      keeping,
      makeWay,
    });
  },
};

/** What says how a gain map is applied is written anew, at most so many bytes longer than it was. */
const maxGainMapGrowth = 2048;

function keptGainMap(
  { gainMap }: JpegInspection,
  { keepsGainMap }: RecodeSettings,
): JpegGainMap | null {
  return keepsGainMap && gainMap && gainMap !== 'bound' ? gainMap : null;
}

/** What a picture is recoded with, whether it has a gain map or not. */
interface RecodingJob extends Pick<RecodeSettings, 'quality'> {
  readonly file: Uint8Array<ArrayBuffer>;
  readonly source: Source<JpegInspection>;
  readonly keeping: Keeping;
  readonly makeWay: ReleaseFile;
}

/** The picture with this gain map behind it, but without where the file would grow by it. */
function recodedWith(gainMap: GainMapRole | null, job: RecodingJob): Finished {
  const { file, source, quality, keeping, makeWay } = job;
  const withRole = (appearance: Appearance) => (gainMap ? { ...appearance, gainMap } : appearance);
  const original = untouched(file, source, keeping, (appearance) =>
    rewrappedJpeg(file, withRole(appearance)),
  );
  if (gainMap && original.length > file.length) return recodedWith(null, job);
  const appearance = withRole(keptAppearance(source, keeping));
  const head = jpegHead(file, appearance);
  const recoded = recodeJpeg(file, source.image, {
    quality,
    head,
    originalBytes: original.length - gainMapBytes(appearance),
    mayStream: arena.reserved >= arenaCeiling,
  });
  if (!recoded) return finishedUntouched(original, makeWay);
  const parts = withGainMap([recoded.bytes], head.length, appearance);
  const bytes = copiedOut(parts, makeWay);
  return { kind: 'finished', bytes, quality: recoded.quality, isComplete: true };
}

const read: Reader<JpegInspection> = {
  recognizes: (file) => startsWith(file, '\xff\xd8'),
  inspect: inspectWithGainMap,
  samples({ colorSpace, isGrey, bitDepth }) {
    const areInks = colorSpace === 'cmyk' || colorSpace === 'ycck';
    const kind = areInks ? 'cmyk' : isGrey ? 'grey' : 'rgb';
    // a grey picture may have a profile for RGB, since decoders hand it out as such
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
    kind: 'rows',
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
