import { rowsOfRegion } from '../../animation/composition.ts';
import { seenSeconds } from '../../animation/durations.ts';
import { wholeOf } from '../../animation/regions.ts';
import type { Canvas } from '../../animation/timeline.ts';
import { colorOf } from '../../color/source-color.ts';
import { formatOf, inspect } from '../../formats/registry.ts';
import { ScorePool } from '../../metric/ssimulacra2.ts';
import type { Size } from '../../pixels/raster.ts';
import type { RowSource } from '../../pixels/row-source.ts';
import type { Slices } from '../../slices.ts';
import { arena } from '../../wasm/arena.ts';
import type { PixelSteps } from '../candidates.ts';
import { type AnimateCandidate, animationWriterOf } from './candidates.ts';
import { isPause, type Pictures, preparedSize, type Reading, shownPictures } from './pictures.ts';

/**
 * Maximum number of moments at which pictures are compared, and of pixels in all of them; there are at least two
 * moments.
 */
const maxMoments = 8;
const maxComparedPixels = 6_000_000;

/** The number of moments at which pictures of a size are compared. */
export function momentCount({ width, height }: Size, frames: number): number {
  const fitting = Math.max(2, Math.floor(maxComparedPixels / (width * height)));
  return Math.min(maxMoments, fitting, frames);
}

/**
 * SSIMULACRA2 score of an encoded animation compared with the pictures it should show, at up to eight moments from the
 * first picture to the last, because errors may accumulate; null if no picture can be scored.
 * @throws ReadingError if a frame cannot be decoded, NoMemory if there is not enough memory for canvases
 */
export function* scoreOfResult(
  candidate: AnimateCandidate,
  reading: Reading,
  made: Uint8Array,
): Slices<number | null> {
  const { pixels, isFirstOnly, type } = candidate;
  const { holdsPartialAlpha, durations } = animationWriterOf(candidate);
  const isRounded = type !== reading.source.image.type && durations.perSecond !== null;
  // If frame times were rounded, another frame may be shown in the middle of a short one.
  const minSeconds = isRounded ? 1.5 / durations.perSecond : 0;
  const frames = isFirstOnly ? 1 : reading.source.image.frames;
  const size = preparedSize(reading.source, pixels);
  const moments = momentsOf(frames, momentCount(size, frames));
  const scores: number[] = [];
  const playback = new Playback(made, reading);
  try {
    let [index, begin] = [0, 0];
    for (const item of shownPictures(reading, pixels, holdsPartialAlpha)) {
      if (isPause(item)) {
        yield item;
        continue;
      }
      const { picture, duration } = item;
      const seconds = seenSeconds(duration);
      const isCompared = moments.has(index) && seconds >= minSeconds;
      const shown = isCompared ? yield* playback.pictureAt(begin + seconds / 2) : null;
      const score = shown && (yield* scoreBetween(picture, shown));
      if (score !== null) scores.push(score);
      index += 1;
      begin += seconds;
      if (index === frames) break;
    }
  } finally {
    playback.end();
  }
  return scores.length > 0 ? pooledScore(scores) : null;
}

/** The indexes of the pictures to compare, including the first and the last. */
function momentsOf(frames: number, count: number): ReadonlySet<number> {
  const step = count > 1 ? (frames - 1) / (count - 1) : 0;
  return new Set(Array.from({ length: count }, (_, i) => Math.round(i * step)));
}

/** Plays an animation, to find the picture shown at a moment. */
class Playback {
  readonly #pictures: Pictures;
  #shown: Canvas | null = null;
  /** End time of the current picture, in seconds. */
  #end = 0;

  constructor(file: Uint8Array, { workspace }: Reading) {
    const inspected = inspect(file);
    if (inspected.kind !== 'image') throw new TypeError('what was just coded cannot be read');
    // Pixels are compared as stored, regardless of their profile.
    const { image } = inspected;
    const color = colorOf(formatOf(image).read.samples(image), null);
    const source = { kind: 'source', image, fileBytes: file.length, icc: null, color } as const;
    this.#pictures = shownPictures({ file, source, workspace }, noSteps);
  }

  /** The picture shown at a moment, which must not be before earlier requests; null after the end. */
  *pictureAt(seconds: number): Slices<Canvas | null> {
    while (this.#end <= seconds || !this.#shown) {
      const { done, value } = this.#pictures.next();
      if (done) {
        this.#shown = null;
        return null;
      }
      if (isPause(value)) {
        yield value;
        continue;
      }
      this.#shown = value.picture;
      this.#end += seenSeconds(value.duration);
    }
    return this.#shown;
  }

  end(): void {
    this.#pictures.return();
  }
}

const noSteps: PixelSteps = { toSrgb: false, target: null, turn: 1, background: null };

/** SSIMULACRA2 score of a shown picture compared with its reference; null if they are too small to score. */
export function scoreBetween(reference: Canvas, coded: Canvas): Slices<number | null> {
  return scoreOfRows(reference, rowsOfRegion(coded, wholeOf(coded)));
}

/** SSIMULACRA2 score of encoded rows compared with their reference; null if they are too small to score. */
export function* scoreOfRows(reference: Canvas, coded: RowSource): Slices<number | null> {
  const pool = new ScorePool(true);
  yield* pool.add(rowsOfRegion(reference, wholeOf(reference)), coded, null, arena);
  return pool.score;
}

/** How many points a picture may score below the mean before it lowers the pooled score. */
const maxBelowMean = 5;

/** The mean of scores, or less if one of them is far below it. */
export function pooledScore(scores: readonly number[]): number {
  const mean = scores.reduce((sum, score) => sum + score, 0) / scores.length;
  return Math.min(mean, Math.min(...scores) + maxBelowMean);
}
