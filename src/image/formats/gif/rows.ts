import { bytesPerRasterPixel, type Region, type Size } from '../../pixels/raster.ts';
import type { RowSource } from '../../pixels/row-source.ts';
import { Pace, type Slices } from '../../slices.ts';
import type { Arena } from '../../wasm/arena.ts';
import {
  countedBytes,
  expectRoom,
  expectSound,
  type GifKernel,
  type Pointer,
  runGifKernel,
} from './kernel.ts';
import type { GifFrame, GifInspection, GifPicture } from './reader.ts';
import { SubBlocks } from './sub-blocks.ts';

/**
 * Opens a still GIF, or the first frame of an animation, as rows of its canvas, which is transparent outside the
 * picture. The memory must have been reserved (`canvasRowBytes`).
 *
 * @param memory arena to run in
 * @throws CodecError if the file is damaged, or memory runs out
 */
export function* openCanvasRows<Result>(
  file: Uint8Array,
  { width, height, picture }: Pick<GifInspection, 'width' | 'height' | 'picture'>,
  memory: Arena,
  use: (rows: RowSource) => Slices<Result>,
): Slices<Result> {
  const { left, top } = picture.region;
  return yield* withPicture(file, picture, memory, function* (kernel, rows) {
    const row = allocatedRow(kernel, width);
    let y = 0;
    const currentRow = () => kernel.bytes.subarray(row, row + bytesPerRasterPixel * width);
    return yield* use({
      width,
      height,
      *start() {
        y = 0;
        yield* rows.start();
      },
      *next() {
        const isInside = y >= top && y < top + picture.region.height;
        y += 1;
        // The consumer may have modified the previous row.
        if (!isInside || picture.region.width < width) currentRow().fill(0);
        if (isInside) rows.next(row + bytesPerRasterPixel * left, picture.region.width);
        return currentRow();
      },
      *end() {},
    });
  });
}

/**
 * Opens the pixels that a frame draws as rows of its region. The memory must have been reserved (`longestRowBytes`).
 *
 * @param memory arena to run in
 * @throws CodecError if the file is damaged, or memory runs out
 */
export function* openFrameRows<Result>(
  file: Uint8Array,
  { picture, region, isOutside }: GifFrame,
  memory: Arena,
  use: (rows: RowSource) => Slices<Result>,
): Slices<Result> {
  const { width, height } = region;
  return yield* withPicture(file, picture, memory, function* (kernel, rows) {
    const row = allocatedRow(kernel, width);
    return yield* use({
      width,
      height,
      start: () => rows.start(),
      *next() {
        if (!isOutside) rows.next(row, width);
        return kernel.bytes.subarray(row, row + bytesPerRasterPixel * width);
      },
      // Rows below the canvas have to be sound as well.
      end: () => rows.end(),
    });
  });
}

/** Bytes of arena needed to read rows of a canvas. */
export function canvasRowBytes({ width, picture }: GifInspection): number {
  return pictureBytes(picture, width);
}

/** Bytes of arena needed to read rows of any frame, which may be interlaced and coded at the maximum width of a GIF. */
export function longestRowBytes({ width, picture }: GifInspection): number {
  const region = { left: 0, top: 0, width: longestSide, height: longestSide };
  return pictureBytes({ ...picture, region, isInterlaced: true, minCodeSize: 8 }, width);
}

/** GIF89a §20: sides have 16 bits. */
const longestSide = 0xffff;

function pictureBytes(picture: GifPicture, rowWidth: number): number {
  return countedBytes((kernel) => {
    allocatePicture(kernel, picture);
    allocatedRow(kernel, rowWidth);
  });
}

/** @throws CodecError if memory runs out */
function allocatedRow(kernel: Pick<GifKernel, 'allocate'>, width: number): Pointer {
  const row = kernel.allocate(bytesPerRasterPixel * width);
  expectRoom(row);
  return row;
}

/** @throws CodecError if memory runs out */
function allocatePicture(
  kernel: GifKernel,
  { region: { width, height }, isInterlaced, minCodeSize }: GifPicture & { readonly region: Size },
): Pointer {
  const colors = kernel.allocatePicture(width, height, isInterlaced, minCodeSize);
  expectRoom(colors);
  return colors;
}

/** CPU time of decoding rows, in milliseconds per megapixel. */
export const readingMs = 12;

/** The rows of a picture at its coded size. */
interface CodedRows {
  /** @throws CodecError if the file is damaged */
  start(): Slices<void>;
  /**
   * Writes the next row to `to`.
   * @param columns number of pixels to write, from the left
   * @throws CodecError if the file is damaged
   */
  next(to: Pointer, columns: number): void;
  /**
   * Decodes and discards the remaining rows.
   * @throws CodecError if the file is damaged
   */
  end(): Slices<void>;
}

function* withPicture<Result>(
  file: Uint8Array,
  picture: GifPicture,
  memory: Arena,
  use: (kernel: GifKernel, rows: CodedRows) => Slices<Result>,
): Slices<Result> {
  return yield* runGifKernel(
    new SubBlocks(file, picture.data),
    function* (kernel) {
      const colors = allocatePicture(kernel, picture);
      kernel.bytes.set(colorsOf(file, picture), colors);
      return yield* use(kernel, codedRows(kernel, picture.region));
    },
    memory,
  );
}

function codedRows(kernel: GifKernel, { width, height }: Region): CodedRows {
  let y = 0;
  return {
    *start() {
      y = 0;
      expectSound(kernel.startPicture());
    },
    next(to, columns) {
      y += 1;
      expectSound(kernel.nextPictureRow(to, columns));
    },
    *end() {
      const pace = Pace.ofRows(width, readingMs);
      for (; y < height; y += 1) {
        expectSound(kernel.skipPictureRow());
        yield* pace.after();
      }
    },
  };
}

/** RGBA of each of 256 indices: 0 for the transparent one; those beyond the table are black, as in browsers. */
function colorsOf(file: Uint8Array, { table, transparent }: GifPicture): Uint8Array {
  const colors = new Uint8Array(bytesPerRasterPixel * 256);
  for (let index = 0; index < 256; index += 1) {
    if (index === transparent) continue;
    const at = table.offset + 3 * index;
    if (3 * index < table.length)
      colors.set(file.subarray(at, at + 3), bytesPerRasterPixel * index);
    colors[bytesPerRasterPixel * index + 3] = 255;
  }
  return colors;
}
