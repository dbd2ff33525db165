import type { PngInspection } from '../inspect/inspection.ts';
import { pngColors } from './color-chunks.ts';
import { greatestExpansion } from './greatest-expansion.ts';
import type { ImageData } from './image-data.ts';
import { damagedPng, expectRoom, expectSound, type PngKernel } from './kernel.ts';
import type { Pointer } from './kernel-exports.ts';
import { pngRowBytes } from './row-bytes.ts';

/**
 * The rows of a PNG from the top, interlaced or not, as often as they are needed.
 *
 * The checksums must be right, and the data inflate to exactly the rows that the header states, which may
 * show only at their end.
 */
export class PngSource {
  readonly #kernel: PngKernel;
  readonly #data: ImageData;
  readonly #image: PngInspection;

  /**
   * @param data those that the kernel was linked with
   * @param image what `inspect` says of the file
   */
  constructor(kernel: PngKernel, data: ImageData, image: PngInspection) {
    this.#kernel = kernel;
    this.#data = data;
    this.#image = image;
  }

  /**
   * Allocates what reading takes.
   *
   * @param to8 of 16-bit samples: an 8-bit value for each that colour or grey can have; null: the nearest
   * @throws CodecError where there is no room, or the file is too short for the rows that it states
   */
  begin(to8: Uint8Array | null): void {
    const { width, height, colorType, bitDepth, interlaced } = this.#image;
    if (pngRowBytes(this.#image) > greatestExpansion * this.#data.file.length) {
      throw damagedPng('the file is too short for its rows');
    }
    const kernel = this.#kernel;
    kernel.setPicture(width, height, colorType, bitDepth, interlaced);
    this.#setColors();
    expectRoom(kernel.allocateReader());
    if (bitDepth < 16 || !to8) return;
    const table = kernel.deepTable();
    expectRoom(table);
    kernel.bytes.set(to8, table);
  }

  /**
   * Goes to the first row.
   * @throws CodecError where the file is damaged
   */
  start(): void {
    expectSound(this.#kernel.startReading());
  }

  /**
   * Reads the next row.
   * @returns where it lies, as the file packs it without its filter, until the next one is read
   * @throws CodecError where the file is damaged
   */
  nextRow(): Pointer {
    expectSound(this.#kernel.readRow());
    return this.#kernel.sourceRow();
  }

  /**
   * Makes sure, behind the last row, that nothing follows which should not.
   * @throws CodecError where the file is damaged
   */
  end(): void {
    expectSound(this.#kernel.endReading());
    this.#data.checkRest();
  }

  #setColors(): void {
    const { colorType } = this.#image;
    const { palette, transparency } = pngColors(this.#data.file);
    if (colorType === 3) {
      this.#fillPalette(palette, transparency);
    } else if (colorType === 0 || colorType === 2) {
      const [red, green = red, blue = red] = samplesOf(transparency);
      if (red !== undefined && green !== undefined && blue !== undefined) {
        this.#kernel.setKey(red, green, blue);
      }
    }
  }

  /** Indices beyond PLTE are opaque black, as in libpng. */
  #fillPalette(palette: Uint8Array, transparency: Uint8Array): void {
    const at = this.#kernel.palettePixels();
    const table = this.#kernel.bytes.subarray(at, at + 4 * 256);
    for (let index = 0; index < 256; index += 1) {
      table.set(palette.subarray(3 * index, 3 * index + 3), 4 * index);
      table[4 * index + 3] = transparency[index] ?? 255;
    }
  }
}

/** The 16-bit samples of tRNS. */
function samplesOf(bytes: Uint8Array): number[] {
  const samples: number[] = [];
  for (let at = 0; at + 1 < bytes.length; at += 2) {
    samples.push(((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0));
  }
  return samples;
}
