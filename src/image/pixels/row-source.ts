import { freeMemory } from '../container/workspace.ts';
import { freedUnlessDone, Pace, type Slices } from '../slices.ts';
import { bytesPerRasterPixel, type Raster } from './raster.ts';

/** The pixels of a picture as a stream of rows from top to bottom, which can be read repeatedly, and may pause. */
export interface RowSource {
  /** Size in pixels. */
  readonly width: number;
  readonly height: number;
  /** Moves back to before the first row. */
  start(): Slices<void>;
  /**
   * Returns the next row as straight RGBA, four bytes per pixel, valid until the next call. Stages may modify the rows
   * of a reader in place (`changedRows`); writers must not, because the rows may belong to a shared raster.
   */
  next(): Slices<Uint8Array>;
  /**
   * Returns these columns of the next `count` rows at once, read-only, if they are held anyway; absent or null if rows
   * are only available one by one.
   */
  nextRows?(count: number, columns: Columns): Slices<Uint8Array<ArrayBuffer> | null>;
  /** Reads all rows in one pass, if that is faster than one by one; absent if it is not. */
  flow?(take: TakeRow): Slices<void>;
  /** Called after the last row; verifies that the picture is intact. */
  end(): Slices<void>;
  /** Frees held memory, at any row; absent if nothing is held. */
  release?(): void;
}

/** Receives a row, which is valid until it returns. */
export type TakeRow = (row: Uint8Array, y: number) => void;

/** Some of the columns of a picture, in pixels. */
export interface Columns {
  readonly left: number;
  readonly width: number;
}

/**
 * Reads all rows of a picture in order.
 * @throws whatever the source throws if the picture is damaged, at the latest after its last row
 */
export function* forEachRowOf(rows: RowSource, take: TakeRow): Slices<void> {
  if (rows.flow) {
    yield* rows.flow(take);
    return;
  }
  yield* rows.start();
  for (let y = 0; y < rows.height; y += 1) take(yield* rows.next(), y);
  yield* rows.end();
}

/** Reads the first rows of a picture in order; those below are not read. */
export function* forFirstRowsOf(rows: RowSource, count: number, take: TakeRow): Slices<void> {
  yield* rows.start();
  for (let y = 0; y < count; y += 1) take(yield* rows.next(), y);
}

/** Collects all rows in a raster, which is allocated when the first row has been read. */
export function* gathered(rows: RowSource): Slices<Raster> {
  const { width, height } = rows;
  let data = new Uint8ClampedArray(0);
  const reading = forEachRowOf(rows, (row, y) => {
    if (y === 0) data = new Uint8ClampedArray(bytesPerRasterPixel * width * height);
    data.set(row, y * row.length);
  });
  yield* freedUnlessDone(reading, () => freeMemory(data));
  return { width, height, data };
}

/** Collects a range of rows in a raster; rows below it are not read. */
export function* gatheredPart(rows: RowSource, top: number, height: number): Slices<Raster> {
  const { width } = rows;
  const data = new Uint8ClampedArray(bytesPerRasterPixel * width * height);
  const reading = forFirstRowsOf(rows, top + height, (row, y) => {
    if (y >= top) data.set(row, (y - top) * row.length);
  });
  yield* freedUnlessDone(reading, () => freeMemory(data));
  return { width, height, data };
}

/** The rows of a raster, as views: modifying them modifies the raster. */
export function rowsOf({ width, height, data }: Raster): RowSource {
  const rowBytes = bytesPerRasterPixel * width;
  let y = 0;
  return {
    width,
    height,
    *start() {
      y = 0;
    },
    *next() {
      const at = data.byteOffset + rowBytes * y;
      y += 1;
      return new Uint8Array(data.buffer, at, rowBytes);
    },
    *nextRows(count, columns) {
      if (columns.width !== width) return null;
      const at = data.byteOffset + rowBytes * y;
      y += count;
      return new Uint8Array(data.buffer, at, count * rowBytes);
    },
    *end() {},
  };
}

/**
 * Wraps rows so that their consumer pauses as its work proceeds.
 * @param rowMs predicted CPU time of reading a row and of what is done with it, in milliseconds
 * @param count called with the number of rows whenever some are read
 */
export function pacedRows(
  rows: RowSource,
  rowMs: number,
  count: (taken: number) => void = () => {},
): RowSource {
  const nextRows = rows.nextRows?.bind(rows);
  const flow = rows.flow?.bind(rows);
  const pace = new Pace(rowMs);
  return {
    width: rows.width,
    height: rows.height,
    start: () => rows.start(),
    *next() {
      count(1);
      yield* pace.after();
      return yield* rows.next();
    },
    ...(nextRows && {
      *nextRows(wanted: number, columns: Columns) {
        yield* pace.after(wanted);
        const taken = yield* nextRows(wanted, columns);
        if (taken) count(wanted);
        return taken;
      },
    }),
    ...(flow && {
      *flow(take: TakeRow) {
        yield* flow((row, y) => {
          count(1);
          take(row, y);
        });
      },
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
    *next() {
      const row = yield* rows.next();
      change(row);
      return row;
    },
    end: () => rows.end(),
    release: () => rows.release?.(),
  };
}

/** Copies rows, which may then be modified, when those of their source must stay. */
export function copiedRows(rows: RowSource): RowSource {
  const own = new Uint8Array(bytesPerRasterPixel * rows.width);
  return {
    width: rows.width,
    height: rows.height,
    start: () => rows.start(),
    *next() {
      own.set(yield* rows.next());
      return own;
    },
    end: () => rows.end(),
  };
}
