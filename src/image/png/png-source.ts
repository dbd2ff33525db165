import type { PngInspection } from '../inspect/inspection.ts';
import { pngColors } from './color-chunks.ts';
import { greatestExpansion } from './greatest-expansion.ts';
import type { ImageData } from './image-data.ts';
import { damagedPng, expectRoom, expectSound, type PngKernel } from './kernel.ts';
import type { Pointer } from './kernel-exports.ts';
import type { DeepPixelRows } from './pixel-rows.ts';
import { pngRowBytes } from './row-bytes.ts';

/**
 * The rows of a PNG file from the top, interlaced or not, which is inflated anew for each run.
 *
 * The checksums must be right, and the data inflate to exactly the rows that the header states, which may
 * show only at their end.
 */
export class PngSource implements DeepPixelRows {
  readonly width: number;
  readonly height: number;
  readonly #kernel: PngKernel;
  readonly #data: ImageData;
  readonly #image: PngInspection;
  readonly #to8: Uint8Array | null;

  /**
   * @param data those that the kernel was linked with
   * @param image what `inspect` says of the file
   * @param to8 of 16-bit samples: an 8-bit value for each that colour or grey can have; null: the nearest
   */
  constructor(
    kernel: PngKernel,
    data: ImageData,
    image: PngInspection,
    to8: Uint8Array | null = null,
  ) {
    this.#kernel = kernel;
    this.#data = data;
    this.#image = image;
    this.#to8 = to8;
    this.width = image.width;
    this.height = image.height;
  }

  /** @throws CodecError where there is no room, or the file is too short for the rows that it states */
  begin(): void {
    const { width, height, colorType, bitDepth, interlaced } = this.#image;
    if (pngRowBytes(this.#image) > greatestExpansion * this.#data.file.length) {
      throw damagedPng('the file is too short for its rows');
    }
    const kernel = this.#kernel;
    kernel.setPicture(width, height, colorType, bitDepth, interlaced);
    this.#setColors();
    expectRoom(kernel.allocateReader());
    if (bitDepth < 16 || !this.#to8) return;
    const table = kernel.deepTable();
    expectRoom(table);
    kernel.bytes.set(this.#to8, table);
  }

  /** @throws CodecError where the file is damaged */
  start(): void {
    expectSound(this.#kernel.startReading());
  }

  /** @throws CodecError where the file is damaged */
  next(): void {
    expectSound(this.#kernel.readRow());
  }

  expand(to: Pointer): void {
    this.#kernel.expandRow(to);
  }

  expandDeep(to: Pointer): void {
    this.#kernel.expandDeepRow(to);
  }

  /** @throws CodecError where something follows which should not */
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
