import type { Canvas, PlannedFrame } from '../../animation/timeline.ts';
import type { Arena } from '../../wasm/arena.ts';
import { countedBytes, expectRoom, type PngKernel, runPngKernel } from './kernel.ts';

/** Bytes of a color in the kernel's table, and how many it has at most (kernel/quantizer/color-table.ts). */
const colorBytes = 32;
const maxCounted = 32_768;

/** What is held of the colors of all frames, in bytes, at most. */
export const countedColorsBytes = maxCounted * colorBytes;

/** Loops over whole vectors may go some bytes beyond a row. */
const vectorBytes = 16;

/** The arena, in bytes, that counting colors and showing others takes for pictures of this width. */
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

/** Colors for all frames of an animation. */
export interface ChosenColors {
  /** RGBA, four bytes each. */
  readonly colors: Uint8Array<ArrayBuffer>;
  /** Mean squared distance in the quantizer's space. */
  readonly error: number;
}

/**
 * Counts the colors of frames, each in a run of the kernel of its own, since anything may run there between two frames:
 * the table of colors is kept here meanwhile.
 */
export class FrameColors {
  readonly #memory: Arena;
  #table = new Uint8Array();
  #droppedBits = 0;
  #pixels = 0;

  constructor(memory: Arena) {
    this.#memory = memory;
  }

  /** @throws CodecError if there is too little memory */
  add({ region, picture }: Pick<PlannedFrame, 'region' | 'picture'>): void {
    const { left, top, width, height } = region;
    this.#run((kernel) => {
      this.#resume(kernel, width);
      const row = kernel.allocate(4 * width + vectorBytes);
      expectRoom(row);
      for (let y = top; y < top + height; y += 1) {
        kernel.bytes.set(rowOf(picture, left, y, width), row);
        kernel.countRow(row);
      }
      const at = kernel.countedColorsAt();
      const bytes = colorBytes * kernel.countedColors();
      if (this.#table.length !== bytes) this.free();
      if (bytes > this.#table.length) this.#table = new Uint8Array(bytes);
      this.#table.set(kernel.bytes.subarray(at, at + bytes));
      this.#droppedBits = kernel.droppedColorBits();
    });
    this.#pixels += width * height;
  }

  /**
   * Chooses colors for all frames.
   * @param enough error with which fewer than `most` are enough
   */
  chosen(most: number, enough: number): ChosenColors {
    return this.#run((kernel) => {
      this.#resume(kernel, 1);
      const count = kernel.chooseSharedPalette(most, enough, this.#pixels);
      const at = kernel.paletteAt();
      return { colors: kernel.bytes.slice(at, at + 4 * count), error: kernel.paletteError() };
    });
  }

  /** Frees the memory immediately. */
  free(): void {
    this.#table.buffer.transfer(0);
    this.#table = new Uint8Array();
  }

  #resume(kernel: PngKernel, width: number): void {
    expectRoom(kernel.beginSharedColors(width));
    kernel.bytes.set(this.#table, kernel.countedColorsAt());
    kernel.resumeColors(this.#table.length / colorBytes, this.#droppedBits);
  }

  #run<Result>(work: (kernel: PngKernel) => Result): Result {
    return runPngKernel(null, work, { memory: this.#memory });
  }
}

/**
 * Gives the pixels of a picture the colors of a palette: the same color at the same place always becomes the same one.
 * @param to of the same size
 * @throws CodecError if there is too little memory
 */
export function recolor(picture: Canvas, to: Canvas, colors: Uint8Array, memory: Arena): void {
  const { width, height } = picture;
  runPngKernel(
    null,
    (kernel) => {
      kernel.bytes.set(colors, kernel.paletteAt());
      expectRoom(Number(kernel.beginRecoloring(colors.length / 4)));
      const row = kernel.allocate(4 * width + vectorBytes);
      expectRoom(row);
      for (let y = 0; y < height; y += 1) {
        kernel.bytes.set(rowOf(picture, 0, y, width), row);
        kernel.recolorRow(row, width, y);
        rowOf(to, 0, y, width).set(kernel.bytes.subarray(row, row + 4 * width));
      }
    },
    { memory },
  );
}

/** Some pixels of a row, where they lie. */
function rowOf({ pixels, width }: Canvas, left: number, y: number, length: number): Uint8Array {
  return new Uint8Array(pixels.buffer, pixels.byteOffset + 4 * (y * width + left), 4 * length);
}
