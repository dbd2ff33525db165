import type { Pointer } from './kernel-exports.ts';

/**
 * The pixels of a picture as rows that flow, as often as they are wanted: of a PNG file that is
 * read again for each run, or of a raster.
 */
export interface PixelRows {
  readonly width: number;
  readonly height: number;
  /** Allocates what it takes; once, before anything else is called. */
  begin(): void;
  /** Goes back to above the first row. */
  start(): void;
  /** Goes to the next row. */
  next(): void;
  /** Writes the row as straight RGBA of 8 bits each, four bytes a pixel. */
  expand(to: Pointer): void;
  /** Behind the last row: makes sure that the picture was sound. */
  end(): void;
}

/** Rows whose samples can be had in all their 16 bits. */
export interface DeepPixelRows extends PixelRows {
  /** Writes the row as RGBA of 16 bits each, the low byte first, eight bytes a pixel. */
  expandDeep(to: Pointer): void;
}

/**
 * Takes a picture's rows in turn, until one says that no more are wanted.
 * @throws CodecError where the picture is damaged, at the latest behind its last row
 */
export function forEachRow(rows: PixelRows, take: () => boolean | undefined): void {
  rows.start();
  for (let y = 0; y < rows.height; y += 1) {
    rows.next();
    if (take() === false) return;
  }
  rows.end();
}
