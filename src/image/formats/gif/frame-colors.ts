import { type ColorTolerance, signedPixels } from '../../animation/differences.ts';
import type { PlannedFrame } from '../../animation/timeline.ts';
import { Pace, type Slices } from '../../slices.ts';

/** CPU time of counting colors, in milliseconds per megapixel. */
export const countingMs = 40;

/** The colors of a region as RGBA words, each with its number of pixels. */
export class CountedColors {
  readonly #words = new Uint32Array(slotCount);
  readonly #counts = new Uint32Array(slotCount);
  #size = 0;
  /** Whether all colors have been counted. */
  isComplete = true;

  get size(): number {
    return this.#size;
  }

  /**
   * Counts pixels of a color.
   * @param word RGBA of an opaque color; a new color is ignored once `maxCounted` colors are known
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

  /** Returns the colors in order of decreasing frequency. */
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

/** Far more colors than a table holds, so that the most frequent ones are clear. */
const maxCounted = 1024;
/** A power of two. */
const slotCount = 4096;

/** The colors of a frame in its region. */
export interface FrameColors {
  /** Colors of pixels that differ from those below; the table must contain all of them. */
  readonly needed: CountedColors;
  /** Colors of pixels that are equal to those below. */
  readonly shared: CountedColors;
  /** Whether there are transparent pixels, where the pixels below are transparent, too. */
  readonly hasClear: boolean;
  /**
   * Whether the canvas is transparent beside or after the frame. Browsers show it so in any case, but libvips and Pillow
   * only if the frame has a transparent index.
   */
  readonly leavesClear: boolean;
}

/** The colors of a frame if it is encoded without loss, and with loss. */
export interface ColorsByLoss {
  readonly exact: FrameColors;
  readonly lossy: FrameColors;
}

/**
 * Counts the colors of a frame in one pass.
 * @param frame its pixels must be opaque or 0
 * @param isAcceptable tolerance for lossy coding
 * @param leavesClear see `FrameColors`
 */
export function* frameColors(
  { region, picture, base }: PlannedFrame,
  isAcceptable: ColorTolerance,
  leavesClear: boolean,
): Slices<ColorsByLoss> {
  const [pixels, bases] = [signedPixels(picture), signedPixels(base)];
  const [same, changed] = [new CountedColors(), new CountedColors()];
  // Changed pixels that may keep the color below with lossy coding, and those that may not.
  const [close, needed] = [new CountedColors(), new CountedColors()];
  let hasClear = false;
  const pace = Pace.ofRows(region.width, countingMs);
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
    yield* pace.after();
  }
  close.addAll(same);
  return {
    exact: { needed: changed, shared: same, hasClear, leavesClear },
    lossy: { needed, shared: close, hasClear, leavesClear },
  };
}
