import { Pace, type Slices } from '../../slices.ts';
import { expectRoom, type PngKernel, type Pointer } from './kernel.ts';

/**
 * The pixels of a picture as a stream of rows that can be restarted: from a PNG file that is read again for each run,
 * or from another reader or a raster.
 */
export interface PixelRows {
  readonly width: number;
  readonly height: number;
  /** Allocates the memory needed; called once, before anything else. */
  begin(): void;
  /** Restarts before the first row. */
  start(): Slices<void>;
  /** Moves to the next row. */
  next(): Slices<void>;
  /** Writes the row as straight (non-premultiplied) 8-bit RGBA, four bytes per pixel. */
  expand(to: Pointer): void;
  /** Called after the last row: checks that the picture was sound. */
  end(): Slices<void>;
}

/** Rows whose samples are available in full 16 bits. */
export interface DeepPixelRows extends PixelRows {
  /** Writes the row as 16-bit RGBA, low byte first, eight bytes per pixel. */
  expandDeep(to: Pointer): void;
}

/**
 * CPU time of passes over rows that are read anew, in milliseconds per megapixel: to survey pixels, to count colors, to
 * dither and score, to recolor, and to pack samples for the writer, whose own time is not included.
 */
export const passMs = {
  survey: 15,
  counting: 30,
  dithering: 120,
  recoloring: 150,
  packing: 15,
} as const;

/**
 * Calls `take` for each row of a picture until it returns false.
 * @param msPerMegapixel predicted CPU time of reading the rows and of what is done with them, in milliseconds
 * @throws CodecError if the picture is damaged, at the latest after its last row
 */
export function* forEachRow(
  rows: PixelRows,
  msPerMegapixel: number,
  take: () => Slices<unknown>,
): Slices<void> {
  const pace = Pace.ofRows(rows.width, msPerMegapixel);
  yield* rows.start();
  for (let y = 0; y < rows.height; y += 1) {
    yield* rows.next();
    if ((yield* take()) === false) return;
    yield* pace.after();
  }
  yield* rows.end();
}

/** Row buffers in the kernel's memory. */
export interface RowBuffers {
  /** Straight 8-bit RGBA. */
  readonly rgba: Pointer;
  /** 16-bit RGBA; 0 if not needed. */
  readonly deep: Pointer;
  /** The row as it is written, without its filter byte. */
  readonly packed: Pointer;
}

/** Loops over whole vectors may exceed a row by some bytes. */
const vectorBytes = 16;

/** @throws CodecError if memory runs out */
export function allocateRowBuffers(kernel: PngKernel, width: number, isDeep: boolean): RowBuffers {
  const rgba = kernel.allocate(4 * width + vectorBytes);
  const deep = isDeep ? kernel.allocate(8 * width + vectorBytes) : 0;
  const packed = kernel.allocate((isDeep ? 8 : 4) * width + vectorBytes);
  expectRoom(packed);
  expectRoom(kernel.beginRowPacker(width));
  return { rgba, deep, packed };
}
