import { bytesPerRasterPixel } from './raster.ts';
import { type Columns, forEachRowOf, type RowSource } from './row-source.ts';

/** Goes through rows from the top, as long as it runs; nothing else may use the memory that they are read in. */
export type Opened = (use: (rows: RowSource) => void) => void;

/**
 * Rows of a reader that has its memory only for as long as it fills a strip: whoever takes them has it in between.
 * The reader begins anew for each strip, and runs past the rows above it.
 *
 * @param size of the picture
 * @param stripRows rows that are read at once, where nobody asks for another number of them
 */
export function rowsInTurns(
  { width, height }: { readonly width: number; readonly height: number },
  stripRows: number,
  open: Opened,
): RowSource {
  const whole: Columns = { left: 0, width };
  let strip = new Uint8Array(0);
  let y = 0;
  /** What the strip holds: rows of the picture, and columns of them. */
  let held = { first: 0, end: 0, columns: whole };
  const fill = (count: number, columns: Columns) => {
    const end = Math.min(y + count, height);
    const from = bytesPerRasterPixel * columns.left;
    const rowBytes = bytesPerRasterPixel * columns.width;
    open((rows) => {
      rows.start();
      for (let at = 0; at < end; at += 1) {
        const row = rows.next();
        if (at < y) continue;
        // not before the source has all of its own
        if (strip.length < rowBytes * count) strip = grown(strip, rowBytes * count);
        strip.set(row.subarray(from, from + rowBytes), (at - y) * rowBytes);
      }
      if (end === height) rows.end();
    });
    held = { first: y, end, columns };
  };
  const taken = (count: number, fillRows: number, columns: Columns) => {
    if (y === held.end) fill(fillRows, columns);
    const rowBytes = bytesPerRasterPixel * held.columns.width;
    const from = rowBytes * (y - held.first);
    y += count;
    return strip.subarray(from, from + count * rowBytes);
  };
  return {
    width,
    height,
    start() {
      y = 0;
      held = { first: 0, end: 0, columns: whole };
    },
    next: () => taken(1, stripRows, whole),
    nextRows: (count, columns) => taken(count, count, columns),
    flow: (take) => open((rows) => forEachRowOf(rows, take)),
    end() {},
    release() {
      strip.buffer.transfer(0);
      strip = new Uint8Array(0);
    },
  };
}

function grown(strip: Uint8Array<ArrayBuffer>, bytes: number): Uint8Array<ArrayBuffer> {
  strip.buffer.transfer(0);
  return new Uint8Array(bytes);
}
