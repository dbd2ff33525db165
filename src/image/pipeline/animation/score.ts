import { rowsOfRegion } from '../../animation/composition.ts';
import { seenSeconds } from '../../animation/durations.ts';
import { wholeOf } from '../../animation/regions.ts';
import type { Canvas } from '../../animation/timeline.ts';
import { colorOf } from '../../color/source-color.ts';
import { formatOf, inspect } from '../../formats/registry.ts';
import { ScorePool } from '../../metric/ssimulacra2.ts';
import type { Size } from '../../pixels/raster.ts';
import type { RowSource } from '../../pixels/row-source.ts';
import { arena } from '../../wasm/arena.ts';
import type { PixelSteps } from '../candidates.ts';
import { type AnimateCandidate, animationWriterOf } from './candidates.ts';
import { preparedSize, type Reading, shownPictures } from './pictures.ts';

/** Moments at which pictures are compared, and pixels in all of them together, at most; there are two moments in any case. */
const maxMoments = 8;
const maxComparedPixels = 6_000_000;

/** At how many moments pictures of a size are compared. */
export function momentCount({ width, height }: Size, frames: number): number {
  const fitting = Math.max(2, Math.floor(maxComparedPixels / (width * height)));
  return Math.min(maxMoments, fitting, frames);
}

/**
 * SSIMULACRA2 of what was made of an animation against the pictures that it should show, at up to eight moments from the first
 * picture to the last, since errors may add up; null where none can be scored.
 * @throws ReadingError where a frame cannot be decoded, NoMemory where there is none for canvases
 */
export function madeScore(
  candidate: AnimateCandidate,
  reading: Reading,
  made: Uint8Array,
): number | null {
  const { pixels, isFirstOnly, type } = candidate;
  const { holdsPartialAlpha, durations } = animationWriterOf(candidate);
  const isRounded = type !== reading.source.image.type && durations.perSecond !== null;
  // where ends of frames were rounded, another one is seen in the middle of a short one
  const leastSeconds = isRounded ? 1.5 / durations.perSecond : 0;
  const frames = isFirstOnly ? 1 : reading.source.image.frames;
  const size = preparedSize(reading.source, pixels);
  const moments = momentsOf(frames, momentCount(size, frames));
  const scores: number[] = [];
  const playback = new Playback(made, reading);
  try {
    let [index, begin] = [0, 0];
    for (const { picture, duration } of shownPictures(reading, pixels, holdsPartialAlpha)) {
      const seconds = seenSeconds(duration);
      const isCompared = moments.has(index) && seconds >= leastSeconds;
      const shown = isCompared ? playback.pictureAt(begin + seconds / 2) : null;
      const score = shown && scoreBetween(picture, shown);
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

/** Which of so many pictures are compared, the first and the last among them. */
function momentsOf(frames: number, count: number): ReadonlySet<number> {
  const step = count > 1 ? (frames - 1) / (count - 1) : 0;
  return new Set(Array.from({ length: count }, (_, i) => Math.round(i * step)));
}

/** What an animation shows as time goes on. */
class Playback {
  readonly #pictures: ReturnType<typeof shownPictures>;
  #shown: Canvas | null = null;
  /** Until when that is shown, in seconds from the beginning. */
  #end = 0;

  constructor(file: Uint8Array, { workspace }: Reading) {
    const inspected = inspect(file);
    if (inspected.kind !== 'image') throw new TypeError('what was just coded cannot be read');
    // pixels are compared as they are, whatever profile they have
    const { image } = inspected;
    const color = colorOf(formatOf(image).read.samples(image), null);
    const source = { kind: 'source', image, fileBytes: file.length, icc: null, color } as const;
    this.#pictures = shownPictures({ file, source, workspace }, noSteps);
  }

  /** The picture that is seen at a moment, which is not before those that were asked for; null: the last one has been shown. */
  pictureAt(seconds: number): Canvas | null {
    while (this.#end <= seconds || !this.#shown) {
      const next = this.#pictures.next();
      this.#shown = next.done ? null : next.value.picture;
      if (next.done) return null;
      this.#end += seenSeconds(next.value.duration);
    }
    return this.#shown;
  }

  end(): void {
    this.#pictures.return(undefined);
  }
}

const noSteps: PixelSteps = { toSrgb: false, target: null, turn: 1, background: null };

/** SSIMULACRA2 of what is shown against what should be; null where they are too small for a score. */
export function scoreBetween(reference: Canvas, coded: Canvas): number | null {
  return scoreOfRows(reference, rowsOfRegion(coded, wholeOf(coded)));
}

/** SSIMULACRA2 of rows of what was coded against the picture that it is; null where they are too small for a score. */
export function scoreOfRows(reference: Canvas, coded: RowSource): number | null {
  const pool = new ScorePool(true);
  pool.add(rowsOfRegion(reference, wholeOf(reference)), coded, null, arena);
  return pool.score;
}

/** A picture may be so many points worse than all of them in the mean. */
const maxBelowMean = 5;

/** The mean of scores, or less where one of them is far below that. */
export function pooledScore(scores: readonly number[]): number {
  const mean = scores.reduce((sum, score) => sum + score, 0) / scores.length;
  return Math.min(mean, Math.min(...scores) + maxBelowMean);
}
