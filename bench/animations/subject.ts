import { createHash } from 'node:crypto';
import { ScorePool, scoringBytes } from '../../src/image/metric/ssimulacra2.ts';
import type { Raster } from '../../src/image/pixels/raster.ts';
import { rowsOf } from '../../src/image/pixels/row-source.ts';
import { runAtOnce } from '../../src/image/slices.ts';
import { arena } from '../../src/image/wasm/arena.ts';
import { animationIn } from '../../test/support/animations/judges.ts';
import type { AnimationType } from '../../test/support/animations/timeline.ts';
import type { CorpusFile } from '../harness/section.ts';
import type { Scorers } from '../likeness/scorers.ts';
import { least, mean } from '../measures/figures.ts';
import { momentsOf, shownAt } from './moments.ts';

/** SSIMULACRA2 of the pictures of an animation. */
export interface Scores {
  readonly mean: number;
  readonly worst: number;
  /** The mean by the service's own metric; for small pictures, the two may differ by many points. */
  readonly ownMean: number;
}

/** Minimum width and height in pixels that the scorer supports. */
const minSide = 8;

/** Maximum number of pixels of a file that are scored, because each million takes more than a second. */
const maxShownPixels = 6e6;
const minShown = 4;
/** Maximum number of pixels scored for the curves of peers, a subset of those above. */
const maxComparedPixels = 2e6;
const minCompared = 3;

/** An animation with which results are compared. */
export class Subject {
  readonly file: CorpusFile;
  readonly type: AnimationType;
  readonly frames: number;
  readonly width: number;
  readonly height: number;
  readonly moments: readonly number[];
  /** The moments at which results and peers are compared: a subset of `moments` if the pictures are large. */
  readonly compared: readonly number[];
  readonly #scorers: Scorers;
  readonly #shown: ReadonlyMap<number, Raster>;
  readonly #known = new Map<string, Promise<number>>();

  private constructor(
    { file, type }: Pick<Subject, 'file' | 'type'>,
    size: Pick<Subject, 'frames' | 'width' | 'height'>,
    shown: ReadonlyMap<number, Raster>,
    scorers: Scorers,
  ) {
    this.file = file;
    this.type = type;
    this.frames = size.frames;
    this.width = size.width;
    this.height = size.height;
    this.moments = [...shown.keys()];
    const maxCount = Math.floor(maxComparedPixels / (size.width * size.height));
    this.compared = spread(this.moments, Math.max(minCompared, maxCount));
    this.#shown = shown;
    this.#scorers = scorers;
  }

  static async of(file: CorpusFile, type: AnimationType, scorers: Scorers): Promise<Subject> {
    const animation = await animationIn(type, file.bytes);
    const { width, height, frames } = animation;
    const maxCount = Math.floor(maxShownPixels / (width * height));
    const moments = spread(momentsOf(animation), Math.max(minShown, maxCount));
    const pictures = await shownAt(type, file.bytes, moments);
    const shown = new Map(pictures.map((picture, i) => [moments[i] ?? 0, picture]));
    return new Subject({ file, type }, { width, height, frames: frames.length }, shown, scorers);
  }

  get isScored(): boolean {
    return Math.min(this.width, this.height) >= minSide;
  }

  get isAnimated(): boolean {
    return this.frames > 1;
  }

  /**
   * Scores a file against this animation at the given moments; identical pictures are scored only once.
   * @throws RangeError if its size differs
   */
  async scoresOf(
    type: AnimationType,
    file: Uint8Array,
    moments: readonly number[] = this.moments,
  ): Promise<Scores> {
    const shown = await shownAt(type, file, moments);
    const scores = await Promise.all(
      shown.map((after, i) => this.#scoreAt(moments[i] ?? 0, after)),
    );
    const own = shown.map((after, i) => ownScore(this.#shown.get(moments[i] ?? 0) ?? after, after));
    return {
      mean: mean(scores) ?? Number.NaN,
      worst: least(scores) ?? Number.NaN,
      ownMean: mean(own) ?? Number.NaN,
    };
  }

  #scoreAt(moment: number, after: Raster): Promise<number> {
    const before = this.#shown.get(moment);
    if (!before || before.width !== after.width || before.height !== after.height) {
      throw new RangeError('the result has another size');
    }
    const digest = createHash('sha1').update(after.data).digest('hex');
    const key = `${moment} ${digest}`;
    const found = this.#known.get(key) ?? this.#scoreOf(before, after);
    this.#known.set(key, found);
    return found;
  }

  async #scoreOf(before: Raster, after: Raster): Promise<number> {
    if (isSame(before, after)) return 100;
    return (await this.#scorers.likeness(before, after)) ?? Number.NaN;
  }
}

function ownScore(before: Raster, after: Raster): number | undefined {
  const pool = new ScorePool(false);
  arena.reserve(scoringBytes(before, false));
  runAtOnce(pool.add(rowsOf(before), rowsOf(after), null, arena));
  return pool.score ?? undefined;
}

function isSame(before: Raster, after: Raster): boolean {
  return before.data.every((sample, i) => sample === after.data[i]);
}

/** At most `maxCount` of the moments, each from the middle of its share. */
function spread(moments: readonly number[], maxCount: number): readonly number[] {
  if (moments.length <= maxCount) return moments;
  const middles = Array.from(
    { length: maxCount },
    (_, i) => ((i + 0.5) * moments.length) / maxCount,
  );
  const chosen = new Set(middles.map(Math.floor));
  return moments.filter((_, i) => chosen.has(i));
}
