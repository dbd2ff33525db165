import { emptyCanvas, endCanvas, rowsOfRegion, wholeOf } from '../../animation/composition.ts';
import { secondsOf } from '../../animation/durations.ts';
import type { Canvas } from '../../animation/timeline.ts';
import type { Recoloring, Source } from '../../formats/format.ts';
import { ScorePool, scoringBytes } from '../../metric/ssimulacra2.ts';
import type { Size } from '../../pixels/raster.ts';
import { arena } from '../../wasm/arena.ts';
import type { PixelSteps } from '../candidates.ts';
import { readSource } from '../read-source.ts';
import { type AnimateCandidate, animationWriterOf } from './candidates.ts';
import { preparedSize, type Shown, shownPictures } from './pictures.ts';

/** Pictures that are looked at, and pixels of them all together. */
const maxSamples = 8;
const maxSamplePixels = 2 ** 20;

/** Part of a picture of an animation. */
export interface Sample {
  readonly picture: Canvas;
  /** A moment at which it is seen, in seconds from the beginning; null: it is shown for no time. */
  readonly at: number | null;
}

/** Bytes of buffers that samples take beside the source's canvases, with what is made of one; and of the arena. */
export function samplingMemory(
  source: Source,
  steps: PixelSteps,
): { buffers: number; arena: number } {
  const size = sampleSize(preparedSize(source, steps));
  const bytes = 4 * size.width * size.height;
  const samples = Math.min(maxSamples, source.image.frames);
  return { buffers: (samples + 2) * bytes, arena: scoringBytes(size.width, true) };
}

/**
 * Parts of pictures that are spread over the animation.
 * @throws ReadingError where a frame before the last of them is damaged
 */
export function sampledPictures(
  candidate: AnimateCandidate,
  file: Uint8Array,
  source: Source,
): readonly Sample[] {
  const { pixels, isFirstOnly } = candidate;
  const { holdsPartialAlpha } = animationWriterOf(candidate);
  const frames = isFirstOnly ? 1 : source.image.frames;
  const count = Math.min(maxSamples, frames);
  const wanted = new Set(
    Array.from({ length: count }, (_, i) => Math.floor(((i + 0.5) * frames) / count)),
  );
  const samples: Sample[] = [];
  let [index, begin] = [0, 0];
  for (const { picture, duration } of shownPictures(file, source, pixels, holdsPartialAlpha)) {
    const seconds = secondsOf(duration);
    if (wanted.has(index)) {
      const at = seconds > 0 ? begin + seconds / 2 : null;
      samples.push({ picture: partOf(picture, samples.length), at });
    }
    index += 1;
    begin += seconds;
    if (samples.length === count) break;
  }
  return samples;
}

/**
 * SSIMULACRA2 of what was made of an animation, at the moments of the samples; null where none can be scored.
 * @throws ReadingError where it cannot be decoded
 */
export function madeScore(samples: readonly Sample[], made: Uint8Array): number | null {
  const source = readSource(made);
  if (source.kind !== 'source') throw new TypeError('what was just coded cannot be read');
  const scores: number[] = [];
  const pictures = shownPictures(made, source, noSteps)[Symbol.iterator]();
  let shown: Shown | undefined;
  let end = 0;
  try {
    for (const [index, { picture, at }] of samples.entries()) {
      if (at === null) continue;
      while (end <= at || !shown) {
        const next = pictures.next();
        shown = next.done ? undefined : next.value;
        if (!shown) break;
        end += secondsOf(shown.duration);
      }
      // durations were rounded, and it is over: its canvas has gone
      if (!shown) break;
      const part = partOf(shown.picture, index);
      const score = scoreBetween(picture, part);
      endCanvas(part);
      if (score !== null) scores.push(score);
    }
  } finally {
    pictures.return?.(undefined);
  }
  return scores.length > 0 ? pooledScore(scores) : null;
}

/** SSIMULACRA2 of samples in other colours; null where they cannot be scored. */
export function shownScore(
  samples: readonly Sample[],
  recoloring: Pick<Recoloring, 'shown'>,
): number | null {
  const scores = samples
    .map(({ picture }) => scoreBetween(picture, recoloring.shown(picture)))
    .filter((score) => score !== null);
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
