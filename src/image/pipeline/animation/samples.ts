import { emptyCanvas, endCanvas, rowsOfRegion, wholeOf } from '../../animation/composition.ts';
import { seenSeconds } from '../../animation/durations.ts';
import type { Canvas } from '../../animation/timeline.ts';
import type { Workspace } from '../../container/workspace.ts';
import type { Source } from '../../formats/format.ts';
import { ScorePool, scoringBytes } from '../../metric/ssimulacra2.ts';
import { bytesPerRasterPixel, type Size } from '../../pixels/raster.ts';
import { arena } from '../../wasm/arena.ts';
import type { PixelSteps } from '../candidates.ts';
import { readSource } from '../read-source.ts';
import { type AnimateCandidate, animationWriterOf } from './candidates.ts';
import { preparedSize, type Reading, type Shown, shownPictures } from './pictures.ts';

/** Pictures that are looked at, and pixels of them all together. */
const maxSamples = 8;
const maxSamplePixels = 2 ** 20;

/** Part of a picture of an animation. */
export interface Sample {
  readonly picture: Canvas;
  /** A moment at which it is seen, in seconds from the beginning. */
  readonly at: number;
}

/** What samples take in bytes, with what is made of one; and of the arena, to score them. */
export function samplingMemory(
  source: Source,
  steps: PixelSteps,
): { readonly samples: number; readonly arena: number } {
  const { width, height } = sampleSize(preparedSize(source, steps));
  const count = Math.min(maxSamples, source.image.frames);
  return {
    samples: (count + 2) * bytesPerRasterPixel * width * height,
    arena: scoringBytes(width, true),
  };
}

/** How many samples are taken, and pixels of them all together. */
export function sampledPixels(
  source: Source,
  steps: PixelSteps,
): { readonly count: number; readonly pixels: number } {
  const { width, height } = sampleSize(preparedSize(source, steps));
  const count = Math.min(maxSamples, source.image.frames);
  return { count, pixels: count * width * height };
}

/**
 * What `use` makes of parts of pictures that are spread over the animation.
 * @throws ReadingError where a frame before the last of them is damaged, NoMemory where there is no memory for them
 */
export function withSamples<Outcome>(
  candidate: AnimateCandidate,
  reading: Reading,
  use: (samples: readonly Sample[]) => Outcome,
): Outcome {
  const samples: Sample[] = [];
  try {
    samplePictures(candidate, reading, samples);
    return use(samples);
  } finally {
    for (const { picture } of samples) endCanvas(picture, reading.workspace);
  }
}

/** @param samples are added here */
function samplePictures(candidate: AnimateCandidate, reading: Reading, samples: Sample[]): void {
  const { source, workspace } = reading;
  const { pixels, isFirstOnly } = candidate;
  const { holdsPartialAlpha } = animationWriterOf(candidate);
  const frames = isFirstOnly ? 1 : source.image.frames;
  const count = Math.min(maxSamples, frames);
  const wanted = new Set(
    Array.from({ length: count }, (_, i) => Math.floor(((i + 0.5) * frames) / count)),
  );
  let [index, begin] = [0, 0];
  for (const { picture, duration } of shownPictures(reading, pixels, holdsPartialAlpha)) {
    const seconds = seenSeconds(duration);
    if (wanted.has(index)) {
      samples.push({
        picture: partOf(picture, samples.length, workspace),
        at: begin + seconds / 2,
      });
    }
    index += 1;
    begin += seconds;
    if (samples.length === count) break;
  }
}

/**
 * SSIMULACRA2 of what was made of an animation, at the moments of the samples; null where none can be scored.
 * @throws ReadingError where it cannot be decoded
 */
export function madeScore(
  samples: readonly Sample[],
  made: Uint8Array,
  workspace: Workspace,
): number | null {
  const source = readSource(made);
  if (source.kind !== 'source') throw new TypeError('what was just coded cannot be read');
  const scores: number[] = [];
  const reading = { file: made, source, workspace };
  const pictures = shownPictures(reading, noSteps)[Symbol.iterator]();
  let shown: Shown | undefined;
  let end = 0;
  try {
    for (const [index, { picture, at }] of samples.entries()) {
      while (end <= at || !shown) {
        const next = pictures.next();
        shown = next.done ? undefined : next.value;
        if (!shown) break;
        end += seenSeconds(shown.duration);
      }
      // durations were rounded, and it is over: its canvas has gone
      if (!shown) break;
      const part = partOf(shown.picture, index, workspace);
      const score = scoreBetween(picture, part);
      endCanvas(part, workspace);
      if (score !== null) scores.push(score);
    }
  } finally {
    pictures.return?.(undefined);
  }
  return scores.length > 0 ? pooledScore(scores) : null;
}

const noSteps: PixelSteps = { toSrgb: false, target: null, turn: 1, background: null };

function scoreBetween(reference: Canvas, coded: Canvas): number | null {
  const pool = new ScorePool(true);
  const whole = wholeOf(reference);
  pool.add(rowsOfRegion(reference, whole), rowsOfRegion(coded, whole), null, arena);
  return pool.score;
}

/** A picture may be so many points worse than all of them in the mean. */
const maxBelowMean = 5;

/** The mean of scores, or less where one of them is far below that. */
export function pooledScore(scores: readonly number[]): number {
  const mean = scores.reduce((sum, score) => sum + score, 0) / scores.length;
  return Math.min(mean, Math.min(...scores) + maxBelowMean);
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

function partOf(picture: Canvas, index: number, workspace: Workspace): Canvas {
  const size = sampleSize(picture);
  const [x, y] = places[index] ?? [0.5, 0.5];
  const left = Math.floor(x * (picture.width - size.width));
  const top = Math.floor(y * (picture.height - size.height));
  const part = emptyCanvas(size, workspace);
  for (let row = 0; row < size.height; row += 1) {
    const from = (top + row) * picture.width + left;
    part.pixels.set(picture.pixels.subarray(from, from + size.width), row * size.width);
  }
  return part;
}
