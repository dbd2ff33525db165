import type { Curves } from '../color/curves.ts';
import { type LightTables, lightStep, lightTables, lightTablesBytes } from './light-table.ts';
import { bytesPerRasterPixel, type Raster, type Region } from './raster.ts';
import { RowAccumulation, RowReduction, type SummedRow } from './row-reduction.ts';

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Returns the zeroed memory for row `y` of a reduced picture, four bytes per pixel. */
type Place = (y: number) => Uint8Array | Uint8ClampedArray;

/**
 * Reduces a part of a picture while its rows are streamed, with Lanczos-3 in linear light and premultiplied alpha, so
 * that fine patterns do not get darker and hidden colors do not bleed. Holds only a few rows. If the size stays, pixels
 * are unchanged; otherwise fully transparent ones become black.
 */
export class RowResizer {
  /** The region extended to whole pixels. */
  readonly #window: Region;
  readonly #place: Place;
  readonly #reduction: { readonly across: RowReduction; readonly down: RowAccumulation } | null;
  #next = 0;

  /**
   * @param region region inside the source, in its pixels; it may start and end within a pixel if the source has been
   *   reduced before
   * @param target size of the result, no larger than the region
   * @param curves transfer curves of red, green and blue
   * @param place called for each row of the result, in order, when it is complete
   * @throws RangeError if the region or the target is invalid
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

  /** Upper bound of its memory in bytes. */
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
   * Takes the next row of the source, RGBA in its full width. Rows above and below the region are ignored.
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
    // A single array type keeps the reduction loops monomorphic and fast.
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

/** A `RowResizer` whose result is a raster. */
export class Resizer {
  readonly #rows: RowResizer;
  readonly #result: Raster;

  /** @throws RangeError if the region or the target is invalid */
  constructor(region: Region, target: Size, curves: Curves) {
    const { width, height } = target;
    refuseSenseless(region, target);
    const data = new Uint8ClampedArray(bytesPerRasterPixel * width * height);
    const rowBytes = bytesPerRasterPixel * width;
    this.#result = { width, height, data };
    this.#rows = new RowResizer(region, target, curves, (y) => data.subarray(rowBytes * y));
  }

  /** Upper bound of its memory in bytes, including the result. */
  static bufferBytes(region: Region, target: Size): number {
    const result = bytesPerRasterPixel * target.width * target.height;
    return result + RowResizer.bufferBytes(region, target);
  }

  /** Takes the next row of the source; see `RowResizer.push`. */
  push(row: Uint8ClampedArray | Uint8Array): void {
    this.#rows.push(row);
  }

  /** Returns the reduced picture, once, after the last row; missing rows are transparent. */
  finish(): Raster {
    this.#rows.end();
    return this.#result;
  }
}

/** Resizes a part of a raster, which is not changed; see `Resizer`. */
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
    // At edges, the sums of color and alpha overshoot alike, but not their ratio.
    const cover = isOpaque ? 1 : (alpha[i] ?? 0) + solid;
    // Alpha is limited to the maximum of its sources, since overshoot would make the rim of a shape visible.
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
