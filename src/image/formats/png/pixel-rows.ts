import { expectRoom, type PngKernel, type Pointer } from './kernel.ts';

/**
 * The pixels of a picture as rows that flow, as often as they are wanted: of a PNG file that is
 * read again for each run, or those that another reader or a raster gives.
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
 * @throws CodecError if the picture is damaged, at the latest behind its last row
 */
export function forEachRow(rows: PixelRows, take: () => boolean | undefined): void {
  rows.start();
  for (let y = 0; y < rows.height; y += 1) {
    rows.next();
    if (take() === false) return;
  }
  rows.end();
}

/** Rows in the kernel's memory that pixels pass through on their way. */
export interface RowBuffers {
  /** Straight RGBA of 8 bits each. */
  readonly rgba: Pointer;
  /** RGBA of 16 bits each; 0 where nobody wants them. */
  readonly deep: Pointer;
  /** The row as it is written, without its filter byte. */
  readonly packed: Pointer;
}

/** Loops over whole vectors may go some bytes beyond a row. */
const vectorBytes = 16;

/** @throws CodecError if there is no room for them */
export function allocateRowBuffers(kernel: PngKernel, width: number, isDeep: boolean): RowBuffers {
  const rgba = kernel.allocate(4 * width + vectorBytes);
  const deep = isDeep ? kernel.allocate(8 * width + vectorBytes) : 0;
  const packed = kernel.allocate((isDeep ? 8 : 4) * width + vectorBytes);
  expectRoom(packed);
  expectRoom(kernel.beginRowPacker(width));
  return { rgba, deep, packed };
}
