import { emptyCanvas, endCanvas } from '../../animation/composition.ts';
import type { Canvas } from '../../animation/timeline.ts';
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

/** What it takes to show an APNG in fewer colors; null if all of them stay. */
export function recoloringCost({ quality, icc }: AnimationCoding): RecoloringCost | null {
  return quality === 'lossless' || sampleKinds(icc) === 'grey' ? null : cost;
}

/**
 * What is shown is a canvas of its own. An animation is gone through three times, to count colors, to look at some
 * pictures, and to show all of them: for a photo, these take 50 ms, 20 ms and 190 ms for a million pixels, for drawn
 * pictures half of that.
 */
const cost: RecoloringCost = {
  bufferBytes: ({ width, height }) => 4 * width * height + countedColorsBytes,
  cpuMs: ({ count, pixels }) => count + 80e-6 * pixels,
};

/** Colors beside the one that lets through what is below. */
const mostColors = 255;

/** Times that colors are chosen at most; the last time, as many as there may be. */
const maxChoices = 6;

/** What is wanted coarser than usual begins with so much more of an error, since there is a score to come down to. */
const coarseBegin = 4;

/** By how much the error becomes less from one choice to the next, beyond what the score says; and at most. */
const margin = 1.2;
const mostGain = 16;

/** Pictures in colors that are chosen for all of them, as long as these are good enough. */
export class RecoloredPictures implements Recoloring {
  readonly leastScore: number;
  readonly #counted: FrameColors;
  readonly #memory: Arena;
  readonly #hopeless: number;
  readonly #most: number;
  #chosen: ChosenColors | null = null;
  #choices = 0;
  #shown: Canvas | null = null;

  /**
   * @param counted colors of all frames
   * @param size how many there are; null: more than 256
   */
  constructor(counted: FrameColors, size: number | null, quality: number, memory: Arena) {
    this.leastScore = interpolated(pngFacts.output.quality.targets, quality) - tolerance;
    const { enough, hopeless, reducesFew } = paletteTarget(quality, this.leastScore);
    this.#counted = counted;
    this.#memory = memory;
    this.#hopeless = hopeless;
    this.#most = size === null ? mostColors : reducesFew ? Math.min(mostColors, size - 1) : 0;
    this.#choose(Math.min(reducesFew ? coarseBegin * enough : enough, hopeless / 2), 0);
  }

  /** RGBA, four bytes each; null for all colors stay. */
  get colors(): Uint8Array<ArrayBuffer> | null {
    return this.#chosen?.colors ?? null;
  }

  /** What a score lacks grows about with the root of the error. */
  refine(score: number | null): void {
    const chosen = this.#chosen;
    this.#chosen = null;
    if (score === null || !chosen) return;
    const gain = margin * ((100 - score) / (100 - this.leastScore - tolerance)) ** 2;
    this.#choose(chosen.error / Math.min(mostGain, gain), chosen.colors.length);
  }

  /** Chooses colors that come as near as this, and more bytes of them than there were. */
  #choose(enough: number, before: number): void {
    for (let wanted = enough; before < 4 * this.#most; wanted /= margin) {
      this.#choices += 1;
      if (this.#choices > maxChoices) return;
      const isLast = this.#choices === maxChoices;
      const chosen = this.#counted.chosen(this.#most, isLast ? 0 : wanted);
      const isMost = chosen.colors.length === 4 * this.#most;
      if (isMost && chosen.error > this.#hopeless) return;
      if (chosen.error > this.#hopeless || chosen.colors.length <= before) continue;
      this.#chosen = chosen;
      return;
    }
  }

  shown(picture: Canvas): Canvas {
    const { width, height } = picture;
    const fits = this.#shown?.width === width && this.#shown.height === height;
    if (!fits) this.free();
    this.#shown ??= emptyCanvas(picture);
    if (this.colors) recolor(picture, this.#shown, this.colors, this.#memory);
    return this.#shown;
  }

  /** Frees the memory immediately. */
  free(): void {
    if (this.#shown) endCanvas(this.#shown);
    this.#shown = null;
  }
}

/** Points by which what is shown may miss the score that a quality stands for. */
const tolerance = 2;
