import { freeMemory } from '../container/workspace.ts';
import type { Orientation } from '../metadata/exif-block.ts';
import type { Slices } from '../slices.ts';
import { flipsRows, mirrorsRows, turnedSize } from './orientation.ts';
import { bytesPerRasterPixel } from './raster.ts';
import type { RowSource } from './row-source.ts';

/** Maximum number of passes for a rotation; more would cost more than any encoding. */
export const maxBands = 8;

/** Number of rows of the rotated picture per band. */
function rowsPerBand(height: number, bands: number): number {
  return Math.ceil(height / bands);
}

/** Whether a rotation changes the order of rows or turns columns into rows, which requires bands. */
export function turnsInBands(turn: Orientation): boolean {
  return turn > 2;
}

/**
 * Bytes of the buffers for rotation in this many bands.
 * @param size size of the picture before rotation
 */
export function turningBytes(
  size: { readonly width: number; readonly height: number },
  turn: Orientation,
  bands: number,
): number {
  if (!turnsInBands(turn)) return 0;
  const { width, height } = turnedSize(size, turn);
  return bytesPerRasterPixel * (width + rowsAtOnce) * rowsPerBand(height, bands);
}

/** Number of rows written to columns together: as many pixels as a cache line holds. */
const rowsAtOnce = 16;

/**
 * The rows of a picture rotated upright (CIPA DC-008 §4.6.4, tag 0x0112), in bands: each band takes a pass through the
 * picture, of which only the part in the band is held.
 *
 * @param bands number of bands, at least one
 */
export function turnedRows(rows: RowSource, turn: Orientation, bands: number): RowSource {
  if (turn === 1) return rows;
  return turnsInBands(turn) ? new BandRows(rows, turn, bands) : mirroredRows(rows);
}

/** Rows for orientation 2. */
function mirroredRows(rows: RowSource): RowSource {
  return {
    width: rows.width,
    height: rows.height,
    start: () => rows.start(),
    *next() {
      const row = yield* rows.next();
      pixelsOf(row).reverse();
      return row;
    },
    end: () => rows.end(),
    release: () => rows.release?.(),
  };
}

function pixelsOf(row: Uint8Array): Uint32Array {
  return new Uint32Array(row.buffer, row.byteOffset, row.length / bytesPerRasterPixel);
}

class BandRows implements RowSource {
  readonly width: number;
  readonly height: number;
  readonly #rows: RowSource;
  readonly #turn: Orientation;
  readonly #rowsPerBand: number;
  #band = new Uint32Array(0);
  /** Source rows waiting to be written to columns. */
  #waiting = new Uint32Array(0);
  #y = 0;

  constructor(rows: RowSource, turn: Orientation, bands: number) {
    const { width, height } = turnedSize(rows, turn);
    this.width = width;
    this.height = height;
    this.#rows = rows;
    this.#turn = turn;
    this.#rowsPerBand = rowsPerBand(height, bands);
  }

  *start(): Slices<void> {
    this.#y = 0;
  }

  *next(): Slices<Uint8Array> {
    const inBand = this.#y % this.#rowsPerBand;
    if (inBand === 0) {
      yield* this.#fill(this.#y, Math.min(this.#rowsPerBand, this.height - this.#y));
    }
    this.#y += 1;
    const from = bytesPerRasterPixel * this.width * inBand;
    return new Uint8Array(this.#band.buffer, from, bytesPerRasterPixel * this.width);
  }

  /** Filling the first band has verified that the picture is intact. */
  *end(): Slices<void> {
    this.#giveBack();
  }

  release(): void {
    this.#giveBack();
    this.#rows.release?.();
  }

  #giveBack(): void {
    freeMemory(this.#band);
    freeMemory(this.#waiting);
    this.#band = new Uint32Array(0);
    this.#waiting = new Uint32Array(0);
  }

  *#fill(first: number, count: number): Slices<void> {
    // Only after the source has allocated its own memory.
    if (this.#band.length === 0) this.#band = new Uint32Array(this.width * this.#rowsPerBand);
    if (this.#turn >= 5) yield* this.#fillFromColumns(first, count);
    else yield* this.#fillFromBelow(first, count);
  }

  /** Fills a band for orientations 3 and 4, which reverse the rows, so the first band reads the whole picture. */
  *#fillFromBelow(first: number, count: number): Slices<void> {
    const { width, height } = this;
    const rows = this.#rows;
    const [from, to] = [height - first - count, height - first];
    yield* rows.start();
    for (let y = 0; y < to; y += 1) {
      const row = pixelsOf(yield* rows.next());
      if (y < from) continue;
      const at = width * (to - 1 - y);
      const target = this.#band.subarray(at, at + width);
      target.set(row);
      if (mirrorsRows(this.#turn)) target.reverse();
    }
    if (to === height) yield* rows.end();
  }

  /** Fills a band for orientations 5 to 8, which turn columns into rows. */
  *#fillFromColumns(first: number, count: number): Slices<void> {
    const rows = this.#rows;
    if (this.#waiting.length === 0) this.#waiting = new Uint32Array(rowsAtOnce * count);
    const isFlipped = flipsRows(this.#turn);
    const left = isFlipped ? rows.width - first - count : first;
    yield* rows.start();
    for (let y = 0; y < rows.height; y += rowsAtOnce) {
      const taken = Math.min(rowsAtOnce, rows.height - y);
      for (let i = 0; i < taken; i += 1) {
        const row = pixelsOf(yield* rows.next()).subarray(left, left + count);
        this.#waiting.set(row, i * count);
        // The rows of the band start from the last column.
        if (isFlipped) this.#waiting.subarray(i * count, (i + 1) * count).reverse();
      }
      this.#putColumns(y, taken, count);
    }
    yield* rows.end();
  }

  /** Writes the waiting source rows, which start at `y`, to columns of the band. */
  #putColumns(y: number, taken: number, count: number): void {
    const { width } = this;
    const [band, waiting] = [this.#band, this.#waiting];
    const isMirrored = mirrorsRows(this.#turn);
    const step = isMirrored ? -1 : 1;
    const column = isMirrored ? width - 1 - y : y;
    for (let row = 0; row < count; row += 1) {
      let to = row * width + column;
      for (let i = 0, from = row; i < taken; i += 1, from += count, to += step) {
        band[to] = waiting[from] ?? 0;
      }
    }
  }
}
