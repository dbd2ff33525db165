import { Pace, type Slices } from '../../slices.ts';
import { type Effort, type TriedFilters, WrittenRows } from './candidates.ts';
import type { IndexRows } from './dithered-rows.ts';
import { expectRoom, type PngKernel, type Pointer } from './kernel.ts';
import type { PngLayout } from './layout.ts';
import { countBorders, indexMs, type OrderedPalette } from './palette.ts';

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
  *take(): Slices<boolean> {
    this.#filled += 1;
    return true;
  }

  /** For each index below `count`, 1 if a pixel has it, otherwise 0. */
  *used(count: number): Slices<Uint8Array> {
    const isUsed = new Uint8Array(count);
    const pace = Pace.ofRows(this.width, indexMs);
    for (let y = 0; y < this.height; y += 1) {
      for (const index of this.#row(y)) isUsed[index] = 1;
      yield* pace.after();
    }
    return isUsed;
  }

  /** How often each pair of indices below `count` meets. */
  *borders(count: number): Slices<Float64Array> {
    const indices = this.#kernel.bytes.subarray(this.#at, this.nextRow);
    return yield* countBorders(indices, this.width, count);
  }

  /** A view of the indices of a row. */
  #row(y: number): Uint8Array {
    const at = this.#at + y * this.width;
    return this.#kernel.bytes.subarray(at, at + this.width);
  }

  /**
   * Writes all rows.
   * @param packed buffer for a packed row
   * @returns the length of the stream in bytes; 0 if it exceeds `maxBytes`
   */
  *write(
    {
      layout,
      colors,
      filters,
      effort,
    }: { layout: PngLayout; colors: OrderedPalette; filters: TriedFilters; effort: Effort },
    packed: Pointer,
    maxBytes: number,
  ): Slices<number> {
    const kernel = this.#kernel;
    const written = new WrittenRows(kernel, this, { layout, maxBytes, filters, effort });
    kernel.bytes.set(colors.ranks, kernel.indexOrderAt());
    for (let y = 0; y < this.height && !written.isTooLong; y += 1) {
      kernel.packIndices(this.#at + y * this.width, this.width, packed);
      yield* written.write(packed);
    }
    return yield* written.end();
  }
}
