import { forEachRowOf, type RowSource } from './row-source.ts';
import { stripBytes } from './strips.ts';

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
  const rowBytes = stripBytes({ width, height }, 1);
  let strip = new Uint8Array(0);
  let y = 0;
  /** Rows of the picture that the strip holds. */
  let [first, filled] = [0, 0];
  const fill = (count: number) => {
    const end = Math.min(y + count, height);
    open((rows) => {
      rows.start();
      for (let at = 0; at < end; at += 1) {
        const row = rows.next();
        if (at < y) continue;
        // not before the source has all of its own
        if (strip.length < rowBytes * count) strip = grown(strip, rowBytes * count);
        strip.set(row, (at - y) * rowBytes);
      }
      if (end === height) rows.end();
    });
    [first, filled] = [y, end];
  };
  const taken = (count: number, fillRows: number) => {
    if (y === filled) fill(fillRows);
    const from = rowBytes * (y - first);
    y += count;
    return strip.subarray(from, from + count * rowBytes);
  };
  return {
    width,
    height,
    start() {
      y = 0;
      [first, filled] = [0, 0];
    },
    next: () => taken(1, stripRows),
    nextRows: (count) => taken(count, count),
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
