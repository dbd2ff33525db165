import { emptyCanvas, endCanvas } from '../../animation/composition.ts';
import type { Canvas } from '../../animation/timeline.ts';
import type { Arena } from '../../wasm/arena.ts';
import { interpolated } from '../../wasm/memory-ledger.ts';
import type { AnimationCoding, Recoloring, RecoloringCost } from '../format.ts';
import { pngFacts } from './facts.ts';
import { sampleKinds } from './layout.ts';
import { paletteTarget } from './palette-candidates.ts';
import { countedColorsBytes, type FrameColors, recolor } from './shared-palette.ts';

/** What it takes to show an APNG in fewer colours; null where all of them stay. */
export function recoloringCost({ quality, icc }: AnimationCoding): RecoloringCost | null {
  return quality === 'lossless' || sampleKinds(icc) === 'grey' ? null : cost;
}

/**
 * What is shown is a canvas of its own. An animation is gone through three times, to count colours, to look at some pictures,
 * and to show all of them: for a photo, these take 50 ms, 20 ms and 190 ms for a million pixels, for drawn pictures half of that.
 */
const cost: RecoloringCost = {
  bufferBytes: ({ width, height }) => 4 * width * height + countedColorsBytes,
  cpuMs: ({ count, pixels }) => count + 80e-6 * pixels,
};

/** Colours beside the one that lets through what is below. */
const mostColors = 255;

/** Pictures in colours that are chosen for all of them, as long as these are good enough. */
export class RecoloredPictures implements Recoloring {
  readonly leastScore: number;
  readonly #counted: FrameColors;
  readonly #memory: Arena;
  readonly #hopeless: number;
  readonly #most: number;
  /** Errors with which fewer colours are enough, those to be tried last. */
  readonly #enough: number[];
  #colors: Uint8Array<ArrayBuffer> | null = null;
  #shown: Canvas | null = null;

  /**
   * @param counted colours of all frames
   * @param size how many there are; null: more than 256
   */
  constructor(counted: FrameColors, size: number | null, quality: number, memory: Arena) {
    this.leastScore = interpolated(pngFacts.output.quality.targets, quality) - tolerance;
    const { enough, hopeless, reducesFew } = paletteTarget(quality, this.leastScore);
    this.#counted = counted;
    this.#memory = memory;
    this.#hopeless = hopeless;
    this.#most = size === null ? mostColors : reducesFew ? Math.min(mostColors, size - 1) : 0;
    this.#enough = [enough / 8, enough];
    this.refine();
  }

  /** RGBA, four bytes each; null: all colours stay. */
  get colors(): Uint8Array<ArrayBuffer> | null {
    return this.#colors;
  }

  refine(): void {
    const hadMost = this.#colors?.length === 4 * this.#most;
    const enough = this.#enough.pop();
    this.#colors = null;
    if (hadMost || enough === undefined || this.#most < 1) return;
    const { colors, error } = this.#counted.chosen(this.#most, enough);
    if (error <= this.#hopeless) this.#colors = colors;
  }

  shown(picture: Canvas): Canvas {
    const { width, height } = picture;
    const fits = this.#shown?.width === width && this.#shown.height === height;
    if (!fits) this.free();
    this.#shown ??= emptyCanvas(picture);
    if (this.#colors) recolor(picture, this.#shown, this.#colors, this.#memory);
    return this.#shown;
  }

  /** Gives the memory back now. */
  free(): void {
    if (this.#shown) endCanvas(this.#shown);
    this.#shown = null;
  }
}

/** Points by which what is shown may miss the score that a quality stands for. */
const tolerance = 2;
