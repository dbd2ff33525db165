import { freeMemory } from '../container/workspace.ts';
import type { Slices } from '../slices.ts';
import { bytesPerRasterPixel } from './raster.ts';
import { type Columns, forEachRowOf, type RowSource } from './row-source.ts';

/** Opens rows while `use` runs; nothing else may use the reader's memory meanwhile. */
export type Opened = (use: (rows: RowSource) => Slices<void>) => Slices<void>;

/**
 * Rows of a reader that uses its memory only while it fills a strip, so that the consumer can use it in between. For
 * each strip, the reader starts again and skips the rows above.
 *
 * @param size size of the picture
 * @param stripRows number of rows per strip, unless the consumer requests another number
 */
export function rowsInTurns(
  { width, height }: { readonly width: number; readonly height: number },
  stripRows: number,
  open: Opened,
): RowSource {
  const whole: Columns = { left: 0, width };
  let strip = new Uint8Array(0);
  let y = 0;
  /** The rows and columns of the picture in the strip. */
  let held = { first: 0, end: 0, columns: whole };
  const fill = function* (count: number, columns: Columns): Slices<void> {
    const end = Math.min(y + count, height);
    const from = bytesPerRasterPixel * columns.left;
    const rowBytes = bytesPerRasterPixel * columns.width;
    yield* open(function* (rows) {
      yield* rows.start();
      for (let at = 0; at < end; at += 1) {
        const row = yield* rows.next();
        if (at < y) continue;
        // Only after the source has allocated its own memory.
        if (strip.length < rowBytes * count) strip = grown(strip, rowBytes * count);
        strip.set(row.subarray(from, from + rowBytes), (at - y) * rowBytes);
      }
      if (end === height) yield* rows.end();
    });
    held = { first: y, end, columns };
  };
  const taken = function* (
    count: number,
    fillRows: number,
    columns: Columns,
  ): Slices<Uint8Array<ArrayBuffer>> {
    if (y === held.end) yield* fill(fillRows, columns);
    const rowBytes = bytesPerRasterPixel * held.columns.width;
    const from = rowBytes * (y - held.first);
    y += count;
    return strip.subarray(from, from + count * rowBytes);
  };
  return {
    width,
    height,
    *start() {
      y = 0;
      held = { first: 0, end: 0, columns: whole };
    },
    next: () => taken(1, stripRows, whole),
    nextRows: (count, columns) => taken(count, count, columns),
    flow: (take) => open((rows) => forEachRowOf(rows, take)),
    *end() {},
    release() {
      freeMemory(strip);
      strip = new Uint8Array(0);
    },
  };
}

function grown(strip: Uint8Array<ArrayBuffer>, bytes: number): Uint8Array<ArrayBuffer> {
  freeMemory(strip);
  return new Uint8Array(bytes);
}
