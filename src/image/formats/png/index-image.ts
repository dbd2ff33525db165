import { type Effort, type TriedFilters, WrittenRows } from './candidates.ts';
import type { IndexRows } from './dithered-rows.ts';
import { expectRoom, type PngKernel, type Pointer } from './kernel.ts';
import type { PngLayout } from './layout.ts';
import { countBorders, type OrderedPalette } from './palette.ts';

/** Maximum number of pixels of a picture that is held as indices while candidates are compared. */
export const maxHeldPixels = 2 ** 22;

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Indices of all pixels in the kernel's memory, a byte each. */
export class IndexImage implements IndexRows {
  readonly width: number;
  readonly height: number;
  readonly #kernel: PngKernel;
  readonly #at: Pointer;
  #filled = 0;

  /** @throws CodecError if memory runs out */
  constructor(kernel: PngKernel, { width, height }: Size) {
    this.#kernel = kernel;
    this.width = width;
    this.height = height;
    this.#at = kernel.allocate(width * height);
    expectRoom(this.#at);
  }

  /** Address of the first missing row. */
  get nextRow(): Pointer {
    return this.#at + this.#filled * this.width;
  }

  /** Marks one more row as present. */
  take(): boolean {
    this.#filled += 1;
    return true;
  }

  /** For each index below `count`, 1 if a pixel has it, otherwise 0. */
  used(count: number): Uint8Array {
    const isUsed = new Uint8Array(count);
    for (const index of this.#indices) isUsed[index] = 1;
    return isUsed;
  }

  /** How often each pair of indices below `count` meets. */
  borders(count: number): Float64Array {
    return countBorders(this.#indices, this.width, count);
  }

  get #indices(): Uint8Array {
    return this.#kernel.bytes.subarray(this.#at, this.nextRow);
  }

  /**
   * Writes all rows.
   * @param packed buffer for a packed row
   * @returns the length of the stream in bytes; 0 if it exceeds `maxBytes`
   */
  write(
    {
      layout,
      colors,
      filters,
      effort,
    }: { layout: PngLayout; colors: OrderedPalette; filters: TriedFilters; effort: Effort },
    packed: Pointer,
    maxBytes: number,
  ): number {
    const kernel = this.#kernel;
    const written = new WrittenRows(kernel, this, { layout, maxBytes, filters, effort });
    kernel.bytes.set(colors.ranks, kernel.indexOrderAt());
    for (let y = 0; y < this.height && !written.isTooLong; y += 1) {
      kernel.packIndices(this.#at + y * this.width, this.width, packed);
      written.write(packed);
    }
    return written.end();
  }
}
