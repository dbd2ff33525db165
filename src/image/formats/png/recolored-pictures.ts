import { emptyCanvas, endCanvas } from '../../animation/composition.ts';
import type { Canvas } from '../../animation/timeline.ts';
import type { Slices } from '../../slices.ts';
import type { Arena } from '../../wasm/arena.ts';
import { interpolated } from '../../wasm/memory-ledger.ts';
import type { AnimationCoding, Recoloring, RecoloringCost } from '../animation-format.ts';
import { pngFacts } from './facts.ts';
import { sampleKinds } from './layout.ts';
import { paletteTarget } from './palette-candidates.ts';
import {
  type ChosenColors,
  countedColorsBytes,
  type FrameColors,
  recolor,
} from './shared-palette.ts';

/** The cost of reducing the colors of an APNG; null if all of them are kept. */
export function recoloringCost({ quality, icc }: AnimationCoding): RecoloringCost | null {
  return quality === 'lossless' || sampleKinds(icc) === 'grey' ? null : cost;
}

/**
 * The recolored picture is a separate canvas. An animation is read three times, to count colors, to assess some
 * pictures, and to recolor all of them: for a photo, these take 50 ms, 20 ms and 190 ms per megapixel, for drawings
 * half of that.
 */
const cost: RecoloringCost = {
  bufferBytes: ({ width, height }) => 4 * width * height + countedColorsBytes,
  cpuMs: ({ count, pixels }) => count + 80e-6 * pixels,
};

/** Maximum number of colors besides the transparent entry. */
const maxColors = 255;

/** Maximum number of times that colors are chosen; the last time, as many as possible. */
const maxChoices = 6;

/** Factor on the initial error below the automatic quality, where a target score decides how far it has to fall. */
const coarseBegin = 4;

/**
 * Minimum factor by which the error falls from one choice to the next, and margin on the factor derived from the score;
 * and its maximum.
 */
const margin = 1.2;
const mostGain = 16;

/** Pictures recolored with a palette chosen for all of them, as long as the result is good enough. */
export class RecoloredPictures implements Recoloring {
  readonly minScore: number;
  readonly #counted: FrameColors;
  readonly #memory: Arena;
  /** Error of the first palette. */
  readonly #enough: number;
  readonly #hopeless: number;
  readonly #most: number;
  #chosen: ChosenColors | null = null;
  #choices = 0;
  #shown: Canvas | null = null;

  /**
   * Has no colors until `begin` has chosen some.
   * @param counted colors of all frames
   * @param size number of colors; null: more than 256
   */
  constructor(counted: FrameColors, size: number | null, quality: number, memory: Arena) {
    this.minScore = interpolated(pngFacts.output.quality.targets, quality) - tolerance;
    const { enough, hopeless, reducesFew } = paletteTarget(quality, this.minScore);
    this.#enough = Math.min(reducesFew ? coarseBegin * enough : enough, hopeless / 2);
    this.#counted = counted;
    this.#memory = memory;
    this.#hopeless = hopeless;
    this.#most = size === null ? maxColors : reducesFew ? Math.min(maxColors, size - 1) : 0;
  }

  /** Chooses the first palette. */
  *begin(): Slices<void> {
    yield* this.#choose(this.#enough, 0);
  }

  /** RGBA, four bytes each; null for all colors are kept. */
  get colors(): Uint8Array<ArrayBuffer> | null {
    return this.#chosen?.colors ?? null;
  }

  /** The distance of a score from 100 grows about with the square root of the error. */
  *refine(score: number | null): Slices<void> {
    const chosen = this.#chosen;
    this.#chosen = null;
    if (score === null || !chosen) return;
    const gain = margin * ((100 - score) / (100 - this.minScore - tolerance)) ** 2;
    yield* this.#choose(chosen.error / Math.min(mostGain, gain), chosen.colors.length);
  }

  /** Chooses colors with an error of at most `enough`, and more than `before` bytes of them. */
  *#choose(enough: number, before: number): Slices<void> {
    for (let wanted = enough; before < 4 * this.#most; wanted /= margin) {
      this.#choices += 1;
      if (this.#choices > maxChoices) return;
      const isLast = this.#choices === maxChoices;
      const chosen = yield* this.#counted.chosen(this.#most, isLast ? 0 : wanted);
      const isMost = chosen.colors.length === 4 * this.#most;
      if (isMost && chosen.error > this.#hopeless) return;
      if (chosen.error > this.#hopeless || chosen.colors.length <= before) continue;
      this.#chosen = chosen;
      return;
    }
  }

  *shown(picture: Canvas): Slices<Canvas> {
    const { width, height } = picture;
    const fits = this.#shown?.width === width && this.#shown.height === height;
    if (!fits) this.free();
    this.#shown ??= emptyCanvas(picture);
    if (this.colors) yield* recolor(picture, this.#shown, this.colors, this.#memory);
    return this.#shown;
  }

  /** Releases the memory now. */
  free(): void {
    if (this.#shown) endCanvas(this.#shown);
    this.#shown = null;
  }
}

/** Points by which the score may be below the target of a quality. */
const tolerance = 2;
