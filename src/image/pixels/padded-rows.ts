import type { Slices } from '../slices.ts';
import { bytesPerRasterPixel, type Region, type Size } from './raster.ts';
import type { RowSource } from './row-source.ts';

/** A color and its opacity, as the four bytes of a pixel. */
export type Rgba = readonly [red: number, green: number, blue: number, alpha: number];

/** The rows of a picture with margins of one color. */
export class PaddedRows implements RowSource {
  readonly width: number;
  readonly height: number;
  readonly #rows: RowSource;
  readonly #place: Region;
  /** A row above or below the picture. */
  readonly #margin: Uint8Array<ArrayBuffer>;
  /** The row that was given last. */
  readonly #row: Uint8Array<ArrayBuffer>;
  #given = 0;

  /**
   * @param place where these rows lie in the result
   * @param size of the result
   */
  constructor(rows: RowSource, place: Region, { width, height }: Size, fill: Rgba) {
    this.width = width;
    this.height = height;
    this.#rows = rows;
    this.#place = place;
    this.#margin = new Uint8Array(bytesPerRasterPixel * width);
    for (let i = 0; i < this.#margin.length; i += bytesPerRasterPixel) this.#margin.set(fill, i);
    this.#row = this.#margin.slice();
  }

  /** Bytes of its memory. */
  static bufferBytes({ width }: Size): number {
    return 2 * bytesPerRasterPixel * width;
  }

  *start(): Slices<void> {
    yield* this.#rows.start();
    this.#given = 0;
  }

  *next(): Slices<Uint8Array> {
    const y = this.#given - this.#place.top;
    this.#given += 1;
    // Whoever took the last row may have modified it.
    this.#row.set(this.#margin);
    if (y >= 0 && y < this.#place.height) {
      this.#row.set(yield* this.#rows.next(), bytesPerRasterPixel * this.#place.left);
    }
    return this.#row;
  }

  end(): Slices<void> {
    return this.#rows.end();
  }

  release(): void {
    this.#rows.release?.();
  }
}
