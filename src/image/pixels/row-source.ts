import { bytesPerRasterPixel, type Raster } from './raster.ts';

/** The pixels of a picture as a stream of rows from top to bottom, which can be read repeatedly. */
export interface RowSource {
  /** Size in pixels. */
  readonly width: number;
  readonly height: number;
  /** Moves back to before the first row. */
  start(): void;
  /**
   * Returns the next row as straight RGBA, four bytes per pixel, valid until the next call. Stages may modify the rows
   * of a reader in place (`changedRows`); writers must not, because the rows may belong to a shared raster.
   */
  next(): Uint8Array;
  /**
   * Returns these columns of the next `count` rows at once, read-only, if they are held anyway; absent or null if rows
   * are only available one by one.
   */
  nextRows?(count: number, columns: Columns): Uint8Array<ArrayBuffer> | null;
  /** Reads all rows in one pass, if that is faster than one by one; absent if it is not. */
  flow?(take: (row: Uint8Array, y: number) => void): void;
  /** Called after the last row; verifies that the picture is intact. */
  end(): void;
  /** Frees held memory, at any row; absent if nothing is held. */
  release?(): void;
}

/** Some of the columns of a picture, in pixels. */
export interface Columns {
  readonly left: number;
  readonly width: number;
}

/**
 * Reads all rows of a picture in order.
 * @throws whatever the source throws if the picture is damaged, at the latest after its last row
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

/** Collects all rows in a raster, which is allocated when the first row has been read. */
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

/** Collects a range of rows in a raster; rows below it are not read. */
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

/** The rows of a raster, as views: modifying them modifies the raster. */
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

/** Wraps rows so that `count` is called with the number of rows whenever some are read. */
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
 * Wraps rows with a function that modifies them in place; not to be used on the rows of a raster that must stay
 * unchanged.
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
