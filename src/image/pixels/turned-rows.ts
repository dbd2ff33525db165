import type { Orientation } from '../metadata/exif-block.ts';
import { flipsRows, mirrorsRows, turnedSize } from './orientation.ts';
import { bytesPerRasterPixel } from './raster.ts';
import type { RowSource } from './row-source.ts';

/** Runs through a picture that turning it may take: past that it costs more than any coding. */
export const maxBands = 8;

/** Rows of a turned picture that are held at once, so that it takes so many bands. */
function rowsPerBand(height: number, bands: number): number {
  return Math.ceil(height / bands);
}

/** Whether rows of the turned picture come in another order, or from columns: then they are held in bands. */
export function turnsInBands(turn: Orientation): boolean {
  return turn > 2;
}

/**
 * What turning in so many bands holds, in bytes.
 * @param size of the picture as it comes
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

/** Rows that are put into columns together: a line of the processor's cache holds so many pixels. */
const rowsAtOnce = 16;

/**
 * The rows of a picture that has been turned upright (CIPA DC-008 §4.6.4, tag 0x0112), band by band: each band
 * takes a run through the picture, of which only what lies in the band is held.
 *
 * @param bands at least one
 */
export function turnedRows(rows: RowSource, turn: Orientation, bands: number): RowSource {
  if (turn === 1) return rows;
  return turnsInBands(turn) ? new BandRows(rows, turn, bands) : mirroredRows(rows);
}

/** Orientation 2. */
function mirroredRows(rows: RowSource): RowSource {
  return {
    width: rows.width,
    height: rows.height,
    start: () => rows.start(),
    next() {
      const row = rows.next();
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
  /** Some rows of the source that become columns. */
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

  start(): void {
    this.#y = 0;
  }

  next(): Uint8Array {
    const inBand = this.#y % this.#rowsPerBand;
    if (inBand === 0) this.#fill(this.#y, Math.min(this.#rowsPerBand, this.height - this.#y));
    this.#y += 1;
    const from = bytesPerRasterPixel * this.width * inBand;
    return new Uint8Array(this.#band.buffer, from, bytesPerRasterPixel * this.width);
  }

  /** That the picture is sound was seen when the first band was filled. */
  end(): void {
    this.#giveBack();
  }

  release(): void {
    this.#giveBack();
    this.#rows.release?.();
  }

  #giveBack(): void {
    this.#band.buffer.transfer(0);
    this.#waiting.buffer.transfer(0);
    this.#band = new Uint32Array(0);
    this.#waiting = new Uint32Array(0);
  }

  #fill(first: number, count: number): void {
    // not before the source has all of its own
    if (this.#band.length === 0) this.#band = new Uint32Array(this.width * this.#rowsPerBand);
    if (this.#turn >= 5) this.#fillFromColumns(first, count);
    else this.#fillFromBelow(first, count);
  }

  /** Orientations 3 and 4: the last row becomes the first, so the first band goes through the whole picture. */
  #fillFromBelow(first: number, count: number): void {
    const { width, height } = this;
    const rows = this.#rows;
    const [from, to] = [height - first - count, height - first];
    rows.start();
    for (let y = 0; y < to; y += 1) {
      const row = pixelsOf(rows.next());
      if (y < from) continue;
      const at = width * (to - 1 - y);
      const target = this.#band.subarray(at, at + width);
      target.set(row);
      if (mirrorsRows(this.#turn)) target.reverse();
    }
    if (to === height) rows.end();
  }

  /** Orientations 5 to 8: columns become rows. */
  #fillFromColumns(first: number, count: number): void {
    const rows = this.#rows;
    if (this.#waiting.length === 0) this.#waiting = new Uint32Array(rowsAtOnce * count);
    const isFlipped = flipsRows(this.#turn);
    const left = isFlipped ? rows.width - first - count : first;
    rows.start();
    for (let y = 0; y < rows.height; y += rowsAtOnce) {
      const taken = Math.min(rowsAtOnce, rows.height - y);
      for (let i = 0; i < taken; i += 1) {
        const row = pixelsOf(rows.next()).subarray(left, left + count);
        this.#waiting.set(row, i * count);
        // rows of the band come from the last column down
        if (isFlipped) this.#waiting.subarray(i * count, (i + 1) * count).reverse();
      }
      this.#putColumns(y, taken, count);
    }
    rows.end();
  }

  /** Puts rows of the source from `y` on, which wait, where they belong in the band. */
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
