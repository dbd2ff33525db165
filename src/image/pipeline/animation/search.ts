import { emptyCanvas, endCanvas, rowsOfRegion, wholeOf } from '../../animation/composition.ts';
import type { Canvas } from '../../animation/timeline.ts';
import { joinBytes } from '../../container/assemble.ts';
import type { AnimationCoding, AnimationWriter, Quality, Source } from '../../formats/format.ts';
import { formatOf, inspect } from '../../formats/registry.ts';
import { isScored, ScorePool } from '../../metric/ssimulacra2.ts';
import { arena, sideArena } from '../../wasm/arena.ts';
import { CodecError } from '../../wasm/codec.ts';
import {
  expectedBytes,
  finestWithin,
  nearestQuality,
  type SearchedScale,
  searchQuality,
  type Trial,
} from '../target/search.ts';
import { type AnimateCandidate, animationWriterOf } from './candidates.ts';
import { preparedSize } from './pictures.ts';
import { pooledScore, type Sample, sampledPictures } from './samples.ts';

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
  /**
   * The quality to code it with once more, where the whole has come to another score than it should; null: it is good
   * enough, or there is none that is better.
   */
  nearer(quality: number, score: number): Quality | null;
  /** A lower quality that is expected to take so many bytes, where this one has taken others; null: there is none. */
  lower(quality: number, bytes: number, wanted: number): number | null;
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
  const { quality: usual } = candidate;
  const unsearched = { quality: usual, score: null, nearer: () => null, lower: coarser };
  if (!search || !isScored(size)) return unsearched;
  const samples = sampledPictures(candidate, file, source);
  try {
    const tryAt = (quality: number) => trialOf(samples, { ...candidate, quality });
    const how = { most: maxTrials };
    const { quality, score, trials } = searchQuality(search.target, search.scale, tryAt, how);
    return {
      quality,
      score,
      nearer(last, measured) {
        if (Math.abs(measured - search.target) <= tolerance) return null;
        const bytes = expectedBytes(last, trials);
        const next = nearestQuality(search.target, search.scale, [
          ...trials
            .filter((trial) => trial.quality !== last)
            .map((trial) => shifted(trial, measured - score)),
          { quality: last, score: measured, bytes },
        ]);
        if (next !== last) return next;
        return measured < search.target - tolerance ? 'lossless' : null;
      },
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
    for (const { picture } of samples) endCanvas(picture);
  }
}

/** A quality that is some steps lower, where nothing is known of what it takes. */
function coarser(last: number): number | null {
  return last > lowestUnknown ? Math.max(lowestUnknown, last - blindSteps) : null;
}

const lowestUnknown = 30;
const blindSteps = 35;

/** Points by which the whole may be off its target. */
const tolerance = 2;

function shifted(trial: Trial, by: number): Trial {
  return { ...trial, score: trial.score + by };
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

/** What coding samples comes to, each by itself. */
function trialOf(
  samples: readonly Sample[],
  coding: AnimateCandidate & { quality: number },
): Trial {
  const writer = animationWriterOf(coding);
  let bytes = 0;
  const scores = samples.map(({ picture }) => {
    const file = codedAlone(picture, writer, coding);
    bytes += file.length;
    return scoreOf(picture, file) ?? 100;
  });
  return { quality: coding.quality, score: pooledScore(scores), bytes };
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
