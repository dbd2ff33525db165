import { type ColorTolerance, signedPixels } from '../../animation/differences.ts';
import type { PlannedFrame } from '../../animation/timeline.ts';

/** Colours of a region as words of RGBA, each with how many pixels have it. */
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
   * Counts pixels of a colour.
   * @param word of an opaque colour, which is not taken where there are more than a table holds
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

/** What colours a frame has in its region. */
export interface FrameColors {
  /** Those of pixels that what is below does not show, none of which can be done without. */
  readonly needed: CountedColors;
  /** Those of pixels that are as they are below. */
  readonly shared: CountedColors;
  /** There are pixels that are transparent, as they are below. */
  readonly hasClear: boolean;
}

/** @param frame whose pixels are opaque, or 0 */
export function frameColors(
  { region, picture, base }: PlannedFrame,
  isAcceptable: ColorTolerance,
): FrameColors {
  const needed = new CountedColors();
  const shared = new CountedColors();
  let hasClear = false;
  const [pixels, bases] = [signedPixels(picture), signedPixels(base)];
  for (let y = region.top; y < region.top + region.height; y += 1) {
    const start = y * picture.width + region.left;
    const end = start + region.width;
    for (let i = start; i < end; ) {
      const pixel = pixels[i] ?? 0;
      const baseBelow = bases[i] ?? 0;
      const runStart = i;
      do i += 1;
      while (i < end && pixels[i] === pixel && bases[i] === baseBelow);
      const [word, below] = [pixel >>> 0, baseBelow >>> 0];
      if (word === 0) hasClear = true;
      else if (word === below || isAcceptable(below, word)) shared.add(word, i - runStart);
      else needed.add(word, i - runStart);
    }
  }
  return { needed, shared, hasClear };
}
