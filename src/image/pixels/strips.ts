import { freeMemory } from '../container/workspace.ts';
import type { Slices } from '../slices.ts';
import { bytesPerRasterPixel, type Raster } from './raster.ts';
import type { Columns, RowSource } from './row-source.ts';

/** Bytes of strips with this many rows. */
export function stripBytes(
  { width, height }: { readonly width: number; readonly height: number },
  rows: number,
): number {
  return bytesPerRasterPixel * width * Math.min(rows, height);
}

/** Reads a picture, or some of its columns, in strips from top to bottom. */
export class Strips {
  readonly #rows: RowSource;
  readonly #most: number;
  readonly #columns: Columns;
  #held = new Uint8ClampedArray(0);
  #y = 0;

  /**
   * @param rows rows that have been started
   * @param most maximum number of rows per strip
   */
  constructor(rows: RowSource, most: number, columns: Columns = { left: 0, width: rows.width }) {
    this.#rows = rows;
    this.#most = most;
    this.#columns = columns;
  }

  /** Returns the next strip of this many rows, or the rest; read-only, and valid until the next call. */
  *next(rows = this.#most): Slices<Raster> {
    const { width } = this.#columns;
    const height = Math.min(rows, this.#rows.height - this.#y);
    this.#y += height;
    const held = this.#rows.nextRows && (yield* this.#rows.nextRows(height, this.#columns));
    if (held) {
      const { buffer, byteOffset, length } = held;
      return { width, height, data: new Uint8ClampedArray(buffer, byteOffset, length) };
    }
    return { width, height, data: yield* this.#collected(height) };
  }

  /** Frees the memory. */
  end(): void {
    freeMemory(this.#held);
    this.#held = new Uint8ClampedArray(0);
  }

  *#collected(height: number): Slices<Uint8ClampedArray<ArrayBuffer>> {
    const { left, width } = this.#columns;
    const [from, to] = [bytesPerRasterPixel * left, bytesPerRasterPixel * (left + width)];
    for (let y = 0; y < height; y += 1) {
      const row = yield* this.#rows.next();
      // Only after the source has allocated its own memory.
      if (this.#held.length === 0) {
        const size = { width, height: this.#rows.height };
        this.#held = new Uint8ClampedArray(stripBytes(size, this.#most));
      }
      this.#held.set(row.subarray(from, to), y * (to - from));
    }
    return this.#held.subarray(0, height * (to - from));
  }
}
