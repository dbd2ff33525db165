import { type ColorTolerance, signedPixels } from '../../animation/differences.ts';
import type { PlannedFrame } from '../../animation/timeline.ts';

/** Colors of a region as words of RGBA, each with how many pixels have it. */
export class CountedColors {
  readonly #words = new Uint32Array(slotCount);
  readonly #counts = new Uint32Array(slotCount);
  #size = 0;
  /** There are no more of them than are counted. */
  isComplete = true;

  get size(): number {
    return this.#size;
  }

  /**
   * Counts pixels of a color.
   * @param word of an opaque color, which is not taken where there are more than a table holds
   */
  add(word: number, pixels = 1): void {
    const slot = this.#slotOf(word);
    if (this.#words[slot] === 0 && this.#size === maxCounted) {
      this.isComplete = false;
      return;
    }
    this.#counts[slot] = (this.#counts[slot] ?? 0) + pixels;
    if (this.#words[slot] !== 0) return;
    this.#words[slot] = word;
    this.#size += 1;
  }

  addAll(others: CountedColors): void {
    for (const { word, count } of others.sorted()) this.add(word, count);
    this.isComplete &&= others.isComplete;
  }

  has(word: number): boolean {
    return this.#words[this.#slotOf(word)] !== 0;
  }

  /** The most frequent ones first. */
  sorted(): { readonly word: number; readonly count: number }[] {
    const all: { word: number; count: number }[] = [];
    for (const [slot, word] of this.#words.entries()) {
      if (word !== 0) all.push({ word, count: this.#counts[slot] ?? 0 });
    }
    return all.sort((a, b) => b.count - a.count || a.word - b.word);
  }

  #slotOf(word: number): number {
    const mask = slotCount - 1;
    let slot = (Math.imul(word, 0x9e3779b1) >>> 8) & mask;
    while (this.#words[slot] !== 0 && this.#words[slot] !== word) slot = (slot + 1) & mask;
    return slot;
  }
}

/** More than a table holds by so many that it is clear which are frequent. */
const maxCounted = 1024;
/** A power of two. */
const slotCount = 4096;

/** What colors a frame has in its region. */
export interface FrameColors {
  /** Those of pixels that what is below does not show, none of which can be done without. */
  readonly needed: CountedColors;
  /** Those of pixels that are as they are below. */
  readonly shared: CountedColors;
  /** There are pixels that are transparent, as they are below. */
  readonly hasClear: boolean;
}

/** What a frame takes without loss, and with it. */
export interface ColorsByLoss {
  readonly exact: FrameColors;
  readonly lossy: FrameColors;
}

/**
 * Counts the colors of a frame in one pass.
 * @param frame whose pixels are opaque, or 0
 * @param isAcceptable with loss
 */
export function frameColors(
  { region, picture, base }: PlannedFrame,
  isAcceptable: ColorTolerance,
): ColorsByLoss {
  const [pixels, bases] = [signedPixels(picture), signedPixels(base)];
  const [same, changed] = [new CountedColors(), new CountedColors()];
  // of those that change, what may stay as it is with loss, and what may not
  const [close, needed] = [new CountedColors(), new CountedColors()];
  let hasClear = false;
  for (let y = region.top; y < region.top + region.height; y += 1) {
    const start = y * picture.width + region.left;
    const end = start + region.width;
    for (let i = start; i < end; ) {
      const pixel = pixels[i] ?? 0;
      const below = bases[i] ?? 0;
      const runStart = i;
      do i += 1;
      while (i < end && pixels[i] === pixel && bases[i] === below);
      if (pixel === 0) {
        hasClear = true;
        continue;
      }
      const word = pixel >>> 0;
      const count = i - runStart;
      if (pixel === below) {
        same.add(word, count);
        continue;
      }
      changed.add(word, count);
      if (isAcceptable(below >>> 0, word)) close.add(word, count);
      else needed.add(word, count);
    }
  }
  close.addAll(same);
  return {
    exact: { needed: changed, shared: same, hasClear },
    lossy: { needed, shared: close, hasClear },
  };
}
