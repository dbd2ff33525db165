import type { Curves } from '../color/curves.ts';
import { type LightTables, lightStep, lightTables, lightTablesBytes } from './light-table.ts';
import { bytesPerRasterPixel, type Raster, type Region } from './raster.ts';
import { RowAccumulation, RowReduction, type SummedRow } from './row-reduction.ts';

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Where the row `y` of a reduced picture is to be written: zeros, four bytes a pixel. */
type Place = (y: number) => Uint8Array | Uint8ClampedArray;

/**
 * Reduces a part of a picture whose rows flow in from the top: Lanczos-3 in linear light with premultiplied alpha, so
 * that neither fine patterns get darker nor the color under transparent pixels shows. Only a few rows exist. Pixels
 * that stay as large as they were stay as they were; otherwise transparent ones become black.
 */
export class RowResizer {
  /** The whole pixels that the region lies in. */
  readonly #window: Region;
  readonly #place: Place;
  readonly #reduction: { readonly across: RowReduction; readonly down: RowAccumulation } | null;
  #next = 0;

  /**
   * @param region inside the source, in its pixels; it may begin and end within one, where the
   *   source has been reduced before
   * @param target size of the result; a side may stay, none may grow
   * @param curves of red, green and blue
   * @param place is asked for each row of the result in turn, when that is complete
   * @throws RangeError if the region or the target is none
   */
  constructor(region: Region, target: Size, curves: Curves, place: Place) {
    const { width, height } = target;
    refuseSenseless(region, target);
    const window = windowOf(region);
    this.#window = window;
    this.#place = place;
    if (isCopy(region, target)) {
      this.#reduction = null;
      return;
    }
    const tables = lightTables(curves);
    this.#reduction = {
      across: new RowReduction(window.width, width, tables, {
        start: region.left - window.left,
        length: region.width,
      }),
      down: new RowAccumulation(
        width,
        window.height,
        height,
        { start: region.top - window.top, length: region.height },
        (row, y) => {
          writeRow(row, tables, place(y));
        },
      ),
    };
  }

  /** Upper bound of what it allocates. */
  static bufferBytes(region: Region, target: Size): number {
    if (isCopy(region, target)) return 0;
    const window = windowOf(region);
    return (
      lightTablesBytes +
      RowReduction.bufferBytes(window.width, target.width) +
      RowAccumulation.bufferBytes(target.width, window.height, target.height)
    );
  }

  /**
   * The next row of the source, RGBA, its whole width. Rows above and below
   * the region are passed over.
   *
   * @throws RangeError if the row is too short for the region
   */
  push(row: Uint8ClampedArray | Uint8Array): void {
    const { left, top, width, height } = this.#window;
    const y = this.#next - top;
    this.#next += 1;
    if (y < 0 || y >= height) return;
    const start = bytesPerRasterPixel * left;
    const length = bytesPerRasterPixel * width;
    if (row.length < start + length) throw new RangeError(`A row has only ${row.length} bytes.`);
    // one type of array keeps the loops of the reduction fast
    const part = new Uint8Array(row.buffer, row.byteOffset + start, length);
    if (this.#reduction) {
      const { across, down } = this.#reduction;
      const isOpaque = across.reduce(part);
      down.add(across.color, isOpaque ? null : across);
    } else {
      this.#place(y).set(part);
    }
  }

  /** Frees the memory. */
  end(): void {
    this.#reduction?.across.end();
    this.#reduction?.down.end();
  }
}

/** A `RowResizer` into a raster. */
export class Resizer {
  readonly #rows: RowResizer;
  readonly #result: Raster;

  /** @throws RangeError if the region or the target is none */
  constructor(region: Region, target: Size, curves: Curves) {
    const { width, height } = target;
    refuseSenseless(region, target);
    const data = new Uint8ClampedArray(bytesPerRasterPixel * width * height);
    const rowBytes = bytesPerRasterPixel * width;
    this.#result = { width, height, data };
    this.#rows = new RowResizer(region, target, curves, (y) => data.subarray(rowBytes * y));
  }

  /** Upper bound of what a resizer allocates, its result included. */
  static bufferBytes(region: Region, target: Size): number {
    const result = bytesPerRasterPixel * target.width * target.height;
    return result + RowResizer.bufferBytes(region, target);
  }

  /** The next row of the source: see `RowResizer.push`. */
  push(row: Uint8ClampedArray | Uint8Array): void {
    this.#rows.push(row);
  }

  /** Once, after the last row: the reduced picture. Where rows are missing, it is transparent. */
  finish(): Raster {
    this.#rows.end();
    return this.#result;
  }
}

/** The resized part of a raster, which stays; see `Resizer`. */
export function resized(
  { width, height, data }: Raster,
  region: Region,
  target: Size,
  curves: Curves,
): Raster {
  const resizer = new Resizer(region, target, curves);
  const length = bytesPerRasterPixel * width;
  for (let y = 0; y < height; y += 1) resizer.push(data.subarray(length * y, length * (y + 1)));
  return resizer.finish();
}

function writeRow(row: SummedRow, tables: LightTables, to: Uint8ClampedArray | Uint8Array): void {
  const { color, alpha, maxAlpha, solid, isOpaque } = row;
  const [{ codes: red }, { codes: green }, { codes: blue }] = tables;
  for (let i = 0, from = 0, at = 0; i < alpha.length; i += 1, from += 3, at += 4) {
    // The sums overshoot at edges, color and alpha alike: their ratio does not.
    const cover = isOpaque ? 1 : (alpha[i] ?? 0) + solid;
    // Alpha itself stays below what was there: overshot, the rim of a shape would stand out on any ground.
    const most = solid === 0 ? (maxAlpha[i] ?? 0) : 1;
    const code = (Math.min(Math.max(cover, 0), most) * 255 + 0.5) | 0;
    if (code === 0) continue;
    to[at] = red[lightStep((color[from] ?? 0) / cover)] ?? 0;
    to[at + 1] = green[lightStep((color[from + 1] ?? 0) / cover)] ?? 0;
    to[at + 2] = blue[lightStep((color[from + 2] ?? 0) / cover)] ?? 0;
    to[at + 3] = code;
  }
}

function windowOf({ left, top, width, height }: Region): Region {
  const [first, above] = [Math.floor(left), Math.floor(top)];
  return {
    left: first,
    top: above,
    width: Math.ceil(left + width) - first,
    height: Math.ceil(top + height) - above,
  };
}

function isCopy(region: Region, target: Size): boolean {
  return region.width === target.width && region.height === target.height;
}

function refuseSenseless({ left, top, width, height }: Region, target: Size): void {
  const lengths = [left + 1, top + 1, width, height, target.width, target.height];
  const areLengths = lengths.every((length) => Number.isFinite(length) && length >= 1);
  const areWhole = Number.isSafeInteger(target.width) && Number.isSafeInteger(target.height);
  if (!areLengths || !areWhole || target.width > width || target.height > height) {
    throw new RangeError(
      `${width} × ${height} pixels from ${left}, ${top} cannot be reduced to ${target.width} × ${target.height}.`,
    );
  }
}
