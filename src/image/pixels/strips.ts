import { bytesPerRasterPixel, type Raster } from './raster.ts';
import type { RowSource } from './row-source.ts';

/** What strips of so many rows hold, in bytes. */
export function stripBytes(
  { width, height }: { readonly width: number; readonly height: number },
  rows: number,
): number {
  return bytesPerRasterPixel * width * Math.min(rows, height);
}

/** A picture strip by strip from the top, each a raster of so many rows, the last one of what is left. */
export class Strips {
  readonly #rows: RowSource;
  readonly #height: number;
  #held = new Uint8ClampedArray(0);
  #y = 0;

  /** @param rows that have been started */
  constructor(rows: RowSource, height: number) {
    this.#rows = rows;
    this.#height = height;
  }

  /** The next strip, which holds until the call after and is not to be changed. */
  next(): Raster {
    const { width } = this.#rows;
    const height = Math.min(this.#height, this.#rows.height - this.#y);
    this.#y += height;
    const held = this.#rows.nextRows?.(height);
    if (held) {
      const { buffer, byteOffset, length } = held;
      return { width, height, data: new Uint8ClampedArray(buffer, byteOffset, length) };
    }
    return { width, height, data: this.#collected(height) };
  }

  /** Gives the memory back. */
  end(): void {
    this.#held.buffer.transfer(0);
    this.#held = new Uint8ClampedArray(0);
  }

  #collected(height: number): Uint8ClampedArray<ArrayBuffer> {
    for (let y = 0; y < height; y += 1) {
      const row = this.#rows.next();
      // not before the source has all of its own
      if (this.#held.length === 0) {
        this.#held = new Uint8ClampedArray(stripBytes(this.#rows, this.#height));
      }
      this.#held.set(row, y * row.length);
    }
    const rowBytes = bytesPerRasterPixel * this.#rows.width;
    return this.#held.subarray(0, height * rowBytes);
  }
}
