import type { Canvas, PlannedFrame } from '../../animation/timeline.ts';
import { freeMemory } from '../../container/workspace.ts';
import { Pace, type Slices } from '../../slices.ts';
import type { Arena } from '../../wasm/arena.ts';
import { countedBytes, expectRoom, finishedWork, type PngKernel, runPngKernel } from './kernel.ts';
import { passMs } from './pixel-rows.ts';

/** Bytes per color in the kernel's table, and its maximum number of colors (kernel/quantizer/color-table.ts). */
const colorBytes = 32;
const maxCounted = 32_768;

/** Maximum bytes held for the colors of all frames. */
export const countedColorsBytes = maxCounted * colorBytes;

/** Loops over whole vectors may exceed a row by some bytes. */
const vectorBytes = 16;

/** Bytes of arena needed to count colors and to recolor, for pictures of this width. */
export function sharedPaletteBytes(width: number): number {
  const counting = countedBytes((kernel) => {
    kernel.beginSharedColors(width);
    kernel.allocate(4 * width + vectorBytes);
  });
  const showing = countedBytes((kernel) => {
    kernel.beginRecoloring(0);
    kernel.allocate(4 * width + vectorBytes);
  });
  return Math.max(counting, showing);
}

/** A palette for all frames of an animation. */
export interface ChosenColors {
  /** RGBA, four bytes each. */
  readonly colors: Uint8Array<ArrayBuffer>;
  /** Mean squared distance in the quantizer's space. */
  readonly error: number;
}

/**
 * Counts the colors of frames, each in a separate run of the kernel, since the memory may be used for anything between
 * two frames; meanwhile, the color table is kept here.
 */
export class FrameColors {
  readonly #memory: Arena;
  #table = new Uint8Array();
  #droppedBits = 0;
  #pixels = 0;

  constructor(memory: Arena) {
    this.#memory = memory;
  }

  /** @throws CodecError if memory runs out */
  *add(frame: Pick<PlannedFrame, 'region' | 'picture'>): Slices<void> {
    const { width, height } = frame.region;
    yield* this.#run((kernel) => this.#count(kernel, frame));
    this.#pixels += width * height;
  }

  /**
   * Chooses colors for all frames.
   * @param enough error at which fewer than `most` colors are enough
   */
  *chosen(most: number, enough: number): Slices<ChosenColors> {
    return yield* this.#run((kernel) => this.#choose(kernel, most, enough));
  }

  /** Releases the memory now. */
  free(): void {
    freeMemory(this.#table);
    this.#table = new Uint8Array();
  }

  *#count(
    kernel: PngKernel,
    { region, picture }: Pick<PlannedFrame, 'region' | 'picture'>,
  ): Slices<void> {
    const { left, top, width, height } = region;
    this.#resume(kernel, width);
    const row = kernel.allocate(4 * width + vectorBytes);
    expectRoom(row);
    const pace = Pace.ofRows(width, passMs.counting);
    for (let y = top; y < top + height; y += 1) {
      kernel.bytes.set(rowOf(picture, left, y, width), row);
      kernel.countRow(row);
      yield* pace.after();
    }
    const at = kernel.countedColorsAt();
    const bytes = colorBytes * kernel.countedColors();
    if (this.#table.length !== bytes) this.free();
    if (bytes > this.#table.length) this.#table = new Uint8Array(bytes);
    this.#table.set(kernel.bytes.subarray(at, at + bytes));
    this.#droppedBits = kernel.droppedColorBits();
  }

  *#choose(kernel: PngKernel, most: number, enough: number): Slices<ChosenColors> {
    this.#resume(kernel, 1);
    const first = kernel.chooseSharedPalette(most, enough, this.#pixels);
    const count = yield* finishedWork(first, () => kernel.continueChoosing());
    const at = kernel.paletteAt();
    return { colors: kernel.bytes.slice(at, at + 4 * count), error: kernel.paletteError() };
  }

  #resume(kernel: PngKernel, width: number): void {
    expectRoom(kernel.beginSharedColors(width));
    kernel.bytes.set(this.#table, kernel.countedColorsAt());
    kernel.resumeColors(this.#table.length / colorBytes, this.#droppedBits);
  }

  *#run<Result>(work: (kernel: PngKernel) => Slices<Result>): Slices<Result> {
    return yield* runPngKernel(null, work, { memory: this.#memory });
  }
}

/**
 * Recolors a picture with a palette: equal colors at the same position always become the same color.
 * @param to canvas of the same size
 * @throws CodecError if memory runs out
 */
export function* recolor(
  picture: Canvas,
  to: Canvas,
  colors: Uint8Array,
  memory: Arena,
): Slices<void> {
  const { width, height } = picture;
  yield* runPngKernel(
    null,
    function* (kernel) {
      kernel.bytes.set(colors, kernel.paletteAt());
      expectRoom(Number(kernel.beginRecoloring(colors.length / 4)));
      const row = kernel.allocate(4 * width + vectorBytes);
      expectRoom(row);
      const pace = Pace.ofRows(width, passMs.recoloring);
      for (let y = 0; y < height; y += 1) {
        kernel.bytes.set(rowOf(picture, 0, y, width), row);
        kernel.recolorRow(row, width, y);
        rowOf(to, 0, y, width).set(kernel.bytes.subarray(row, row + 4 * width));
        yield* pace.after();
      }
    },
    { memory },
  );
}

/** A view of some pixels of a row. */
function rowOf({ pixels, width }: Canvas, left: number, y: number, length: number): Uint8Array {
  return new Uint8Array(pixels.buffer, pixels.byteOffset + 4 * (y * width + left), 4 * length);
}
