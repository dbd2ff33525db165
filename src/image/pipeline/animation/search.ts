import { emptyCanvases, endCanvas } from '../../animation/composition.ts';
import { wholeOf } from '../../animation/regions.ts';
import type { Canvas } from '../../animation/timeline.ts';
import { joinBytes } from '../../container/assemble.ts';
import { StreamPieces } from '../../container/drained-output.ts';
import { freeMemory, NoMemory, type Workspace } from '../../container/workspace.ts';
import type { AnimationCoding, AnimationSink } from '../../formats/animation-format.ts';
import { formatOf, inspect } from '../../formats/registry.ts';
import { noMetadata } from '../../metadata/metadata.ts';
import { isScored, measuredPixels } from '../../metric/ssimulacra2.ts';
import { targetRange } from '../../metric/targets.ts';
import type { Slices } from '../../slices.ts';
import { arena, sideArena } from '../../wasm/arena.ts';
import { CodecError } from '../../wasm/codec.ts';
import type { SpareCpu } from '../attempts.ts';
import {
  aimedBytes,
  expectedBytes,
  finestWithin,
  type SearchedScale,
  searchQuality,
  type Trial,
} from '../target/search.ts';
import { type AnimateCandidate, animationWriterOf, type PlannedAnimate } from './candidates.ts';
import { drawingCpu, scoringMs } from './cpu.ts';
import { preparedSize, type Reading } from './pictures.ts';
import { withSamples } from './samples.ts';
import { pooledScore, scoreOfRows } from './score.ts';

/** A candidate whose quality has been determined. */
export interface SearchedAnimation {
  readonly candidate: PlannedAnimate & {
    /** The trials, if the size is limited. */
    readonly found?: {
      readonly trials: readonly Trial[];
      /** Estimated size of the whole result relative to that of the samples. */
      readonly share: number;
      /** The lowest acceptable quality. */
      readonly floor: number;
    };
  };
  /** The quality scale; null if there was no search. */
  readonly scale: SearchedScale | null;
}

/** Maximum number of trials to reach a target, and to find the lowest quality. */
const maxTrials = 5;
const floorTrials = 2;

/**
 * Searches for the quality at which an animation reaches its target, by encoding some of its pictures individually.
 * @throws ReadingError if a frame is damaged
 */
export function* searched(
  candidate: PlannedAnimate,
  reading: Reading,
  spareCpu: SpareCpu,
): Slices<SearchedAnimation> {
  const { goal } = candidate;
  const scale = scaleFor(candidate);
  const unsearched = { candidate, scale: null };
  if (!goal || !scale || !isScored(preparedSize(reading.source, candidate.pixels))) {
    return unsearched;
  }
  spareCpu.spend(drawingCpu(candidate, reading.source));
  try {
    return yield* withSamples(candidate, reading, function* (samples) {
      const known = new Map<number, Trial>();
      const tryOnce = function* (quality: number): Slices<Trial> {
        const coding = { ...candidate, quality };
        const trial =
          known.get(quality) ?? (yield* trialOf(samples, coding, reading.workspace, spareCpu));
        known.set(quality, trial);
        return trial;
      };
      const { quality } = yield* searchQuality(goal.target, scale, tryOnce, { most: maxTrials });
      if (goal.maxBytes === null) return { candidate: { ...candidate, quality }, scale };
      const { quality: floor } = yield* searchQuality(targetRange.min, scale, tryOnce, {
        most: floorTrials,
      });
      const trials = [...known.values()];
      // The original is about as long as a nearly lossless result.
      const share = reading.source.fileBytes / expectedBytes(scale.highest, trials);
      const fitting = finestWithin(
        aimedBytes(goal.maxBytes) / share,
        { lowest: floor, highest: Math.max(floor, quality) },
        (at) => expectedBytes(at, trials),
      );
      const found = { trials, share, floor };
      return { candidate: { ...candidate, quality: fitting, found }, scale };
    });
  } catch (error) {
    // If trials are not possible, the usual quality is used.
    if (error instanceof CodecError || error instanceof NoMemory) return unsearched;
    throw error;
  }
}

/** Minimum quality for targets from `decentTarget` on, even if little is visible in the samples. */
const decentQuality = 20;
const decentTarget = 60;

/** The scale for a search; null if the quality is not open or does not determine detail. */
function scaleFor(candidate: AnimateCandidate): SearchedScale | null {
  const { scores } = animationWriterOf(candidate);
  const { quality, goal } = candidate;
  if (!scores || !goal || quality === 'lossless') return null;
  const lowest = goal.maxBytes === null && goal.target >= decentTarget ? decentQuality : 5;
  return { scores, leaps: [], lowest, highest: 98 };
}

/** Encodes and scores each sample individually. */
function* trialOf(
  samples: readonly Canvas[],
  coding: AnimateCandidate & { quality: number },
  workspace: Workspace,
  spareCpu: SpareCpu,
): Slices<Trial> {
  let bytes = 0;
  const scores: number[] = [];
  for (const picture of samples) {
    const file = yield* codedAlone(picture, coding, workspace);
    bytes += file.length;
    try {
      scores.push((yield* scoreOf(picture, file)) ?? 100);
    } finally {
      freeMemory(file);
    }
  }
  const pixels = samples.reduce((sum, { width, height }) => sum + width * height, 0);
  const coded = animationWriterOf(coding).cpuMs({ count: samples.length, pixels }, coding);
  const measured = samples.reduce((sum, sample) => sum + measuredPixels(sample), 0);
  spareCpu.spend(coded + (scoringMs * measured) / 1e6);
  return { quality: coding.quality, score: pooledScore(scores), bytes };
}

/** Encodes a picture as the only frame of an animation. */
function* codedAlone(
  sample: Canvas,
  coding: AnimateCandidate & AnimationCoding,
  workspace: Workspace,
): Slices<Uint8Array<ArrayBuffer>> {
  const writer = animationWriterOf(coding);
  const { width, height } = sample;
  const shape = { width, height, hasAlpha: true, plays: 1 };
  const pieces = new StreamPieces(Number.POSITIVE_INFINITY, workspace);
  const [base, picture] = emptyCanvases(sample, 2, workspace);
  if (!base || !picture) throw new TypeError('there are two canvases');
  picture.pixels.set(sample.pixels);
  let sink: AnimationSink | undefined;
  try {
    sink = writer.begin(shape, coding, { memory: arena, pieces });
    const frame = {
      region: wholeOf(sample),
      picture,
      base,
      duration: { ticks: 1, perSecond: writer.durations.perSecond ?? 1 },
      disposal: 'keep',
    } as const;
    if (sink.survey) yield* sink.survey(frame);
    if (sink.endSurvey) yield* sink.endSurvey();
    yield* sink.add(frame);
    const { parts } = yield* sink.finish({ icc: null, metadata: noMetadata });
    return joinBytes(parts);
  } finally {
    sink?.free?.();
    pieces.free();
    for (const canvas of [base, picture]) endCanvas(canvas, workspace);
  }
}

/** SSIMULACRA2 score of the first frame of a file compared with a picture; null if it cannot be scored. */
function* scoreOf(sample: Canvas, file: Uint8Array): Slices<number | null> {
  const result = inspect(file);
  if (result.kind !== 'image') throw new TypeError('what was just coded cannot be read');
  const { animation } = formatOf(result.image).read;
  const [frame] = animation?.frames(file, result.image) ?? [];
  if (!animation || !frame) throw new TypeError('what was just coded has no frame');
  return yield* animation.open(file, result.image, frame, sideArena, (rows) =>
    scoreOfRows(sample, rows),
  );
}
