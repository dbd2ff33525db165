import { emptyCanvas, endCanvas, rowsOfRegion, wholeOf } from '../../animation/composition.ts';
import type { Canvas } from '../../animation/timeline.ts';
import { joinBytes } from '../../container/assemble.ts';
import type { AnimationCoding, AnimationWriter, Quality, Source } from '../../formats/format.ts';
import { formatOf, inspect } from '../../formats/registry.ts';
import { isScored, ScorePool, scoringBytes } from '../../metric/ssimulacra2.ts';
import type { Size } from '../../pixels/raster.ts';
import { arena, sideArena } from '../../wasm/arena.ts';
import { CodecError } from '../../wasm/codec.ts';
import type { PixelSteps } from '../candidates.ts';
import {
  expectedBytes,
  finestWithin,
  type SearchedScale,
  searchQuality,
  type Trial,
} from '../target/search.ts';
import { type AnimateCandidate, animationWriterOf } from './candidates.ts';
import { preparedSize, shownPictures } from './pictures.ts';

/** Pictures that are looked at, and pixels of them all together. */
const maxSamples = 8;
const maxSamplePixels = 2 ** 20;

/** A picture may be so many points worse than all of them in the mean. */
const maxBelowMean = 5;

/** Trials of all samples, at most. */
const maxTrials = 5;

/** What a search is for. */
interface Search {
  readonly target: number;
  readonly scale: SearchedScale;
}

/** What a search has come to. */
export interface FoundAnimation {
  readonly quality: Quality;
  /** Expected of it; null: nothing was searched. */
  readonly score: number | null;
  /** A lower quality that is expected to take so many bytes, where this one has taken others; null: there is none. */
  lower(quality: number, bytes: number, wanted: number): number | null;
}

/** Bytes of buffers that looking for a quality takes beside the source's canvases, and of the arena. */
export function searchMemory(
  source: Source,
  steps: PixelSteps,
): { buffers: number; arena: number } {
  const size = sampleSize(preparedSize(source, steps));
  const bytes = 4 * size.width * size.height;
  const samples = Math.min(maxSamples, source.image.frames);
  return { buffers: (samples + 2) * bytes, arena: scoringBytes(size.width, true) };
}

/**
 * Finds the quality at which the pictures of an animation look as they shall, by coding some of them, each by itself.
 * @throws ReadingError where a frame is damaged
 */
export function foundQuality(
  candidate: AnimateCandidate,
  file: Uint8Array,
  source: Source,
): FoundAnimation {
  const search = searchFor(candidate);
  const size = preparedSize(source, candidate.pixels);
  const unsearched = { quality: candidate.quality, score: null, lower: () => null };
  if (!search || !isScored(size)) return unsearched;
  const samples = sampledPictures(candidate, file, source);
  try {
    const tryAt = (quality: number) => trialOf(samples, { ...candidate, quality });
    const how = { most: maxTrials };
    const { quality, score, trials } = searchQuality(search.target, search.scale, tryAt, how);
    return {
      quality,
      score,
      lower(last, bytes, wanted) {
        const share = bytes / expectedBytes(last, trials);
        const bytesAt = (at: number) => share * expectedBytes(at, trials);
        const { lowest } = search.scale;
        const next = finestWithin(wanted, { lowest, highest: last - 1 }, bytesAt);
        return next < last && last > lowest ? next : null;
      },
    };
  } catch (error) {
    if (!(error instanceof CodecError)) throw error;
    // what cannot be tried gets what is usual
    return unsearched;
  } finally {
    for (const sample of samples) endCanvas(sample);
  }
}

/** What shall look good is coded no coarser, however little there is to see in what is tried. */
const decentQuality = 20;
const decentTarget = 60;

/** Null where the quality is not open, or is not about detail. */
function searchFor(candidate: AnimateCandidate): Search | null {
  const { scores } = animationWriterOf(candidate);
  const { quality, sought } = candidate;
  if (!scores || !sought || quality === 'lossless') return null;
  const lowest = sought.maxBytes === null && sought.target >= decentTarget ? decentQuality : 5;
  return { target: sought.target, scale: { scores, leaps: [], lowest, highest: 98 } };
}

/** Parts of pictures that are spread over the animation. */
function sampledPictures(
  { pixels, isFirstOnly }: AnimateCandidate,
  file: Uint8Array,
  source: Source,
): readonly Canvas[] {
  const frames = isFirstOnly ? 1 : source.image.frames;
  const count = Math.min(maxSamples, frames);
  const wanted = new Set(
    Array.from({ length: count }, (_, i) => Math.floor(((i + 0.5) * frames) / count)),
  );
  const samples: Canvas[] = [];
  let index = 0;
  for (const { picture } of shownPictures(file, source, pixels)) {
    if (wanted.has(index)) samples.push(partOf(picture, samples.length));
    index += 1;
    if (samples.length === count) break;
  }
  return samples;
}

/** All of a picture where that is small. */
function sampleSize({ width, height }: Size): Size {
  const most = maxSamplePixels / maxSamples;
  if (width * height <= most) return { width, height };
  const side = Math.floor(Math.sqrt(most));
  const left = Math.min(width, Math.max(side, Math.floor(most / height)));
  return { width: left, height: Math.min(height, Math.floor(most / left)) };
}

/** Where parts lie one after the other, in shares of what is left beside them. */
const places = [
  [0.5, 0.5],
  [0.25, 0.25],
  [0.75, 0.75],
  [0.75, 0.25],
  [0.25, 0.75],
  [0.5, 0.1],
  [0.5, 0.9],
  [0.5, 0.5],
] as const;

function partOf(picture: Canvas, index: number): Canvas {
  const size = sampleSize(picture);
  const [x, y] = places[index] ?? [0.5, 0.5];
  const left = Math.floor(x * (picture.width - size.width));
  const top = Math.floor(y * (picture.height - size.height));
  const part = emptyCanvas(size);
  for (let row = 0; row < size.height; row += 1) {
    const from = (top + row) * picture.width + left;
    part.pixels.set(picture.pixels.subarray(from, from + size.width), row * size.width);
  }
  return part;
}

/** What coding samples comes to: their mean score, or less where one of them is far below that. */
function trialOf(
  samples: readonly Canvas[],
  coding: AnimateCandidate & { quality: number },
): Trial {
  const writer = animationWriterOf(coding);
  let [sum, least, bytes] = [0, Number.POSITIVE_INFINITY, 0];
  for (const sample of samples) {
    const file = codedAlone(sample, writer, coding);
    const score = scoreOf(sample, file) ?? 100;
    sum += score;
    least = Math.min(least, score);
    bytes += file.length;
  }
  const score = Math.min(sum / samples.length, least + maxBelowMean);
  return { quality: coding.quality, score, bytes };
}

/** A picture as the only frame of an animation. */
function codedAlone(sample: Canvas, writer: AnimationWriter, coding: AnimationCoding): Uint8Array {
  const { width, height } = sample;
  const base = emptyCanvas(sample);
  const picture = { ...base, pixels: sample.pixels.slice() };
  const shape = { width, height, hasAlpha: true, plays: 1 };
  const run = { memory: arena, maxBytes: Number.POSITIVE_INFINITY };
  const sink = writer.begin(shape, coding, run);
  try {
    const frame = {
      region: wholeOf(sample),
      picture,
      base,
      duration: { ticks: 1, perSecond: writer.durations.perSecond ?? 1 },
      disposal: 'keep',
    } as const;
    sink.survey?.(frame);
    sink.add(frame);
    return joinBytes(
      sink.finish({ icc: null, metadata: { exif: null, xmp: null, iptc: null } }).parts,
    );
  } finally {
    sink.free();
    endCanvas(base);
    endCanvas(picture);
  }
}

/** SSIMULACRA2 of a picture and the first frame of a file; null where it cannot be scored. */
function scoreOf(sample: Canvas, file: Uint8Array): number | null {
  const result = inspect(file);
  if (result.kind !== 'image') throw new TypeError('what was just coded cannot be read');
  const { animation } = formatOf(result.image).read;
  const [frame] = animation?.frames(file, result.image) ?? [];
  if (!animation || !frame) throw new TypeError('what was just coded has no frame');
  const pool = new ScorePool(true);
  const whole = rowsOfRegion(sample, wholeOf(sample));
  animation.open(file, result.image, frame, sideArena, (rows) =>
    pool.add(whole, rows, null, arena),
  );
  return pool.score;
}
