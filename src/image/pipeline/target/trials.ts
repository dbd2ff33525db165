import { joinBytes } from '../../container/assemble.ts';
import { freeMemory } from '../../container/workspace.ts';
import { type Coding, type Detail, type Speed, usualSpeed } from '../../formats/coding.ts';
import type { TrialForm } from '../../formats/format.ts';
import type { Quality } from '../../formats/inspection.ts';
import {
  decoderOf,
  formatOf,
  inspect,
  outputFormat,
  trialFormOf,
  trialWriter,
} from '../../formats/registry.ts';
import { noMetadata } from '../../metadata/metadata.ts';
import { type Sample, scoreOf } from '../../metric/mosaic.ts';
import { endRaster, type PictureShape, type Raster } from '../../pixels/raster.ts';
import { gathered, pacedRows, type RowSource, rowsOf } from '../../pixels/row-source.ts';
import type { Slices } from '../../slices.ts';
import { arena, sideArena } from '../../wasm/arena.ts';
import { arenaCeiling } from '../../wasm/budgets.ts';
import { CodecError } from '../../wasm/codec.ts';
import type { EncodeCandidate } from '../candidates.ts';
import { encodingRowMs } from '../conversion.ts';
import { openPaced } from '../decode.ts';
import { readSource } from '../read-source.ts';
import { trialSpeed } from './open-candidate.ts';
import type { Trial, TryAt } from './search.ts';

/** A sample, and facts about the picture it was taken from. */
export interface Trying {
  readonly sample: Sample;
  readonly hasAlpha: boolean;
}

/** Facts about a picture and its encoding. */
interface About {
  /** Shape of the whole encoded picture. */
  readonly shape: PictureShape;
  readonly detail: Detail;
  /** See `isRough`. */
  readonly isRough: boolean;
  /** Whether the result will be scored, so that a first guess is enough. */
  readonly isChecked: boolean;
}

/**
 * Encodes a sample like the candidate, and scores it. If trials run at a faster speed, the gain of the usual speed is
 * added: for photos, it is a nearly constant share of the distance to a score of 100; drawn or transparent pictures are
 * first encoded at both speeds, unless the result will be scored.
 *
 * @returns a function that tries a quality; it throws a CodecError if no encoder works for the sample
 */
export function encodingTrials(
  { sample, hasAlpha }: Trying,
  candidate: EncodeCandidate,
  { shape, detail, isRough, isChecked }: About,
): TryAt {
  const { speed = usualSpeed } = candidate;
  const { trial } = outputFormat(candidate.type).write;
  const form = trialFormOf(candidate.type);
  const quick = trialSpeed(candidate);
  const tryAt = function* (quality: number, at: Speed): Slices<Trial> {
    const how = { quality, detail, speed: at, sampleOf: { shape, speed } };
    const file = yield* encodedSample(sample.raster, hasAlpha, candidate, how);
    return yield* trialOf({ sample, hasAlpha }, file, quality, form);
  };
  const isSmall = sample.raster.width * sample.raster.height <= smallPixels && !isChecked;
  if (!trial || quick === speed || isSmall) return (quality) => tryAt(quality, speed);
  let gain = isRough ? (isChecked ? trial.drawnGain : null) : trial.gain(detail);
  return function* (quality) {
    const made = yield* tryAt(quality, quick);
    const lacking = Math.max(1, 100 - made.score);
    if (gain === null) {
      const usual = yield* tryAt(quality, speed);
      gain = (usual.score - made.score) / lacking;
      return usual;
    }
    return { ...made, score: made.score + gain * lacking };
  };
}

/** Samples up to this number of pixels are always tried at the usual speed, since that takes little time. */
const smallPixels = 150_000;

/** Typical `Detail.density` of a sample, by which its encoding pauses: parts with much detail are preferred. */
const sampleDensity = 0.3;

/** Encodes pixels with the first encoder that works, of a format or its trial format. */
function* encodedSample(
  raster: Raster,
  hasAlpha: boolean,
  { type, grey, exact }: EncodeCandidate,
  how: Required<Pick<Coding, 'quality' | 'detail' | 'speed' | 'sampleOf'>>,
): Slices<Uint8Array<ArrayBuffer>> {
  const { width, height } = raster;
  const coding = { ...how, grey, exact, icc: null };
  const shape = { width, height, hasAlpha };
  let failure: unknown;
  for (const encoder of trialWriter(type).encoders(shape, coding)) {
    if (encoder.photoBytes > arenaCeiling) continue;
    arena.reserve(Math.min(encoder.maxBytes, arenaCeiling));
    try {
      const cpuMs = encoder.cpuMs({ ...how.detail, density: sampleDensity });
      const runs = encoder.runs + (encoder.strips?.(1).runs ?? 0);
      const rowMs = encodingRowMs(encoder, cpuMs, runs * height);
      const { parts } = yield* encoder.encode(pacedRows(rowsOf(raster), rowMs), {
        memory: arena,
        appearance: { icc: null, metadata: noMetadata },
        maxBytes: encoder.maxBufferBytes,
        bufferBytes: encoder.maxBufferBytes,
      });
      return joinBytes(parts);
    } catch (error) {
      if (!(error instanceof CodecError)) throw error;
      failure = error;
    }
  }
  throw failure ?? new CodecError(type, false, 'no encoder fits');
}

/**
 * Recodes the file of a sample with the recoder of its format, and scores it.
 * @param file a file with the pixels of the sample
 * @param form how the format of the result is tried, in the format of the file
 * @throws CodecError if that is not possible
 */
export function* tryRecoding(
  trying: Trying,
  file: Uint8Array<ArrayBuffer>,
  quality: number,
  form: Omit<TrialForm, 'type'> = ownForm,
): Slices<Trial> {
  return yield* trialOf(trying, yield* recodedSample(file, quality), quality, form);
}

const ownForm = { bytesShare: 1 } as const;

/** @throws CodecError if that is not possible */
export function* recodedSample(
  file: Uint8Array<ArrayBuffer>,
  quality: Quality,
): Slices<Uint8Array<ArrayBuffer>> {
  const source = readSource(file);
  if (source.kind !== 'source') throw new CodecError('sample', false, source.kind);
  const { recoder } = formatOf(source.image).read;
  if (!recoder) throw new TypeError(`${source.image.type} has no recoder`);
  const settings = { quality, exact: false };
  arena.reserve(Math.min(arenaCeiling, recoder.arenaBytes(source, settings)));
  sideArena.reserve(recoder.sideBytes?.(source, settings) ?? 0);
  const keeping = { level: 'none', metadata: noMetadata } as const;
  const { bytes } = yield* recoder.recode(file, source, settings, keeping, () => null);
  return bytes;
}

function* trialOf(
  trying: Trying,
  file: Uint8Array<ArrayBuffer>,
  quality: number,
  form: Omit<TrialForm, 'type'>,
): Slices<Trial> {
  try {
    const score = yield* scoreOfFile(trying, file, form);
    return { quality, score, bytes: form.bytesShare * file.length };
  } finally {
    freeMemory(file);
  }
}

/** Scores the pixels of a file compared with a sample. @param form the trial form of the format it was made for */
export function* scoreOfFile(
  { sample, hasAlpha }: Trying,
  file: Uint8Array<ArrayBuffer>,
  form: Pick<TrialForm, 'asTranscoded'>,
): Slices<number> {
  const coded = yield* decodedFile(file, form);
  try {
    return (yield* scoreOf(sample, coded, hasAlpha, arena)) ?? Number.NaN;
  } finally {
    endRaster(coded);
  }
}

/**
 * Decodes a file that was made here.
 * @param form the trial form of the format it was made for
 * @param take selects some of the pixels; absent for all
 * @throws CodecError if there is no room for them
 */
export function* decodedFile(
  file: Uint8Array<ArrayBuffer>,
  form: Pick<TrialForm, 'asTranscoded'> = {},
  take: (rows: RowSource) => Slices<Raster> = gathered,
): Slices<Raster> {
  const result = inspect(file);
  if (result.kind !== 'image') throw new TypeError('what was coded here can be read');
  const decoder = decoderOf(result.image);
  arena.reserve(Math.min(arenaCeiling, decoder.arenaBytes(result.image, file.length, form)));
  const how = { halvings: 0, deepSamples: null, ...form } as const;
  return yield* openPaced(decoder, file, result.image, how, arena, take);
}
