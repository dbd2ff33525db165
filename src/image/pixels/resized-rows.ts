import type { Curves } from '../color/curves.ts';
import type { Slices } from '../slices.ts';
import { bytesPerRasterPixel, type Region } from './raster.ts';
import { RowResizer } from './resizer.ts';
import type { RowSource } from './row-source.ts';

/**
 * Maximum number of rows that one row of the source can complete: those it contributes to, and some more at the end.
 */
const maxReady = 8;

/** The rows of a part of a picture, reduced while streaming (see `RowResizer`). */
export class ResizedRows implements RowSource {
  readonly width: number;
  readonly height: number;
  readonly #rows: RowSource;
  readonly #begin: () => RowResizer;
  readonly #ready: Uint8Array<ArrayBuffer>;
  #resizer: RowResizer | null = null;
  #last: Uint8Array = new Uint8Array();
  /** Number of source rows read. */
  #read = 0;
  /** Row numbers of the result: rows from `#given` up to, but excluding, `#complete` are ready. */
  #complete = 0;
  #given = 0;

  /**
   * @param region part of these rows; it may start and end within a pixel
   * @param target size of the result, no larger than the region
   */
  constructor(
    rows: RowSource,
    region: Region,
    { width, height }: { readonly width: number; readonly height: number },
    curves: Curves,
  ) {
    this.width = width;
    this.height = height;
    this.#rows = rows;
    this.#ready = new Uint8Array(maxReady * bytesPerRasterPixel * width);
    this.#begin = () =>
      new RowResizer(region, { width, height }, curves, (y) => {
        this.#complete = y + 1;
        return this.#row(y).fill(0);
      });
  }

  /** Upper bound of its memory in bytes. */
  static bufferBytes(region: Region, target: { width: number; height: number }): number {
    const ready = maxReady * bytesPerRasterPixel * target.width;
    return ready + RowResizer.bufferBytes(region, target);
  }

  *start(): Slices<void> {
    this.#resizer?.end();
    yield* this.#rows.start();
    this.#resizer = this.#begin();
    this.#read = 0;
    this.#complete = 0;
    this.#given = 0;
  }

  *next(): Slices<Uint8Array> {
    while (this.#given >= this.#complete) yield* this.#push();
    const row = this.#row(this.#given);
    this.#given += 1;
    return row;
  }

  /** Reads the source to its end, in case it is damaged there. */
  *end(): Slices<void> {
    for (; this.#read < this.#rows.height; this.#read += 1) yield* this.#rows.next();
    yield* this.#rows.end();
    this.#giveBack();
  }

  release(): void {
    this.#giveBack();
    this.#rows.release?.();
  }

  #giveBack(): void {
    this.#resizer?.end();
    this.#resizer = null;
  }

  /** Pushes the next row; the last one is repeated if rounding extends the region beyond it. */
  *#push(): Slices<void> {
    if (this.#read < this.#rows.height) this.#last = yield* this.#rows.next();
    this.#resizer?.push(this.#last);
    this.#read += 1;
  }

  #row(y: number): Uint8Array<ArrayBuffer> {
    const rowBytes = bytesPerRasterPixel * this.width;
    const at = rowBytes * (y % maxReady);
    return this.#ready.subarray(at, at + rowBytes);
  }
}
