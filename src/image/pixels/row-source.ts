import { bytesPerRasterPixel, type Raster } from './raster.ts';

/**
 * The pixels of a picture as rows that flow from the top, as often as they are wanted: each run goes through
 * them anew, wherever they come from.
 */
export interface RowSource {
  /** In pixels. */
  readonly width: number;
  readonly height: number;
  /** Goes back to above the first row. */
  start(): void;
  /**
   * The next row as straight RGBA, four bytes a pixel, which holds until the next call. Stages change the rows of a
   * reader where they are (`changedRows`). Writers change none: they may be those of a raster that others share.
   */
  next(): Uint8Array;
  /**
   * These columns of the next so many rows at once, not to be changed, where they are held anyway; absent or null: they
   * come one by one.
   */
  nextRows?(count: number, columns: Columns): Uint8Array<ArrayBuffer> | null;
  /** Takes all rows in one run, where that is less work than one by one; absent: it is the same. */
  flow?(take: (row: Uint8Array, y: number) => void): void;
  /** Behind the last row: makes sure that the picture was sound. */
  end(): void;
  /** Gives back what is held, wherever the rows have come to; absent: nothing is. */
  release?(): void;
}

/** Some of the columns of a picture, in pixels. */
export interface Columns {
  readonly left: number;
  readonly width: number;
}

/**
 * Takes all rows of a picture in turn.
 * @throws what the source throws where the picture is damaged, at the latest behind its last row
 */
export function forEachRowOf(rows: RowSource, take: (row: Uint8Array, y: number) => void): void {
  if (rows.flow) {
    rows.flow(take);
    return;
  }
  rows.start();
  for (let y = 0; y < rows.height; y += 1) take(rows.next(), y);
  rows.end();
}

/** A raster of all rows; its memory is taken when the first of them is there. */
export function gathered(rows: RowSource): Raster {
  const { width, height } = rows;
  let data = new Uint8ClampedArray(0);
  try {
    forEachRowOf(rows, (row, y) => {
      if (y === 0) data = new Uint8ClampedArray(bytesPerRasterPixel * width * height);
      data.set(row, y * row.length);
    });
  } catch (error) {
    data.buffer.transfer(0);
    throw error;
  }
  return { width, height, data };
}

/** A raster of some of the rows; those below are not read. */
export function gatheredPart(rows: RowSource, top: number, height: number): Raster {
  const { width } = rows;
  const data = new Uint8ClampedArray(bytesPerRasterPixel * width * height);
  try {
    rows.start();
    for (let y = 0; y < top + height; y += 1) {
      const row = rows.next();
      if (y >= top) data.set(row, (y - top) * row.length);
    }
  } catch (error) {
    data.buffer.transfer(0);
    throw error;
  }
  return { width, height, data };
}

/** The rows of a raster where they lie in it: whatever changes them changes the raster. */
export function rowsOf({ width, height, data }: Raster): RowSource {
  const rowBytes = bytesPerRasterPixel * width;
  let y = 0;
  return {
    width,
    height,
    start() {
      y = 0;
    },
    next() {
      const at = data.byteOffset + rowBytes * y;
      y += 1;
      return new Uint8Array(data.buffer, at, rowBytes);
    },
    nextRows(count, columns) {
      if (columns.width !== width) return null;
      const at = data.byteOffset + rowBytes * y;
      y += count;
      return new Uint8Array(data.buffer, at, count * rowBytes);
    },
    end() {},
  };
}

/** The same rows; `count` is told how many of them are taken, whenever some are. */
export function countedRows(rows: RowSource, count: (taken: number) => void): RowSource {
  const nextRows = rows.nextRows?.bind(rows);
  const flow = rows.flow?.bind(rows);
  return {
    width: rows.width,
    height: rows.height,
    start: () => rows.start(),
    next() {
      count(1);
      return rows.next();
    },
    ...(nextRows && {
      nextRows(wanted: number, columns: Columns) {
        const taken = nextRows(wanted, columns);
        if (taken) count(wanted);
        return taken;
      },
    }),
    ...(flow && {
      flow: (take: (row: Uint8Array, y: number) => void) =>
        flow((row, y) => {
          count(1);
          take(row, y);
        }),
    }),
    end: () => rows.end(),
    release: () => rows.release?.(),
  };
}

/**
 * Rows that pass through a function, which may change their pixels where they are: not those of a raster that stays.
 */
export function changedRows(rows: RowSource, change: (row: Uint8Array) => void): RowSource {
  return {
    width: rows.width,
    height: rows.height,
    start: () => rows.start(),
    next() {
      const row = rows.next();
      change(row);
      return row;
    },
    end: () => rows.end(),
    release: () => rows.release?.(),
  };
}
