import { bytesPerRasterPixel, type Region, type Size } from '../../pixels/raster.ts';
import type { RowSource } from '../../pixels/row-source.ts';
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
 * Opens a still GIF, or the first frame of an animation, as rows of its canvas, which is transparent where the picture does
 * not lie. What it takes has been reserved before (`canvasRowBytes`).
 *
 * @param memory arena to run in
 * @throws CodecError if the file is damaged or takes more memory than is available
 */
export function openCanvasRows<Result>(
  file: Uint8Array,
  { width, height, picture }: Pick<GifInspection, 'width' | 'height' | 'picture'>,
  memory: Arena,
  use: (rows: RowSource) => Result,
): Result {
  const { left, top } = picture.region;
  return withPicture(file, picture, memory, (kernel, rows) => {
    const row = allocatedRow(kernel, width);
    let y = 0;
    const shown = () => kernel.bytes.subarray(row, row + bytesPerRasterPixel * width);
    return use({
      width,
      height,
      start() {
        y = 0;
        rows.start();
      },
      next() {
        const isInside = y >= top && y < top + picture.region.height;
        y += 1;
        // whoever took the row before may have changed it
        if (!isInside || picture.region.width < width) shown().fill(0);
        if (isInside) rows.next(row + bytesPerRasterPixel * left, picture.region.width);
        return shown();
      },
      end() {},
    });
  });
}

/**
 * Opens what a frame draws, as rows of its region. What it takes has been reserved before (`longestRowBytes`).
 *
 * @param memory arena to run in
 * @throws CodecError if the file is damaged or takes more memory than is available
 */
export function openFrameRows<Result>(
  file: Uint8Array,
  { picture, region, isOutside }: GifFrame,
  memory: Arena,
  use: (rows: RowSource) => Result,
): Result {
  const { width, height } = region;
  return withPicture(file, picture, memory, (kernel, rows) => {
    const row = allocatedRow(kernel, width);
    return use({
      width,
      height,
      start: () => rows.start(),
      next() {
        if (!isOutside) rows.next(row, width);
        return kernel.bytes.subarray(row, row + bytesPerRasterPixel * width);
      },
      // what lies below the canvas has to be sound as well
      end: () => rows.end(),
    });
  });
}

/** The arena that rows of a canvas take, in bytes. */
export function canvasRowBytes({ width, picture }: GifInspection): number {
  return pictureBytes(picture, width);
}

/** The arena that rows of any frame take, in bytes: it may be coded as wide as a GIF can be, and interlaced. */
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

/** @throws CodecError if there is no room */
function allocatedRow(kernel: Pick<GifKernel, 'allocate'>, width: number): Pointer {
  const row = kernel.allocate(bytesPerRasterPixel * width);
  expectRoom(row);
  return row;
}

/** @throws CodecError if there is no room */
function allocatePicture(
  kernel: GifKernel,
  { region: { width, height }, isInterlaced, minCodeSize }: GifPicture & { readonly region: Size },
): Pointer {
  const colors = kernel.allocatePicture(width, height, isInterlaced, minCodeSize);
  expectRoom(colors);
  return colors;
}

/** The rows of a picture as it is coded. */
interface CodedRows {
  /** @throws CodecError if the file is damaged */
  start(): void;
  /**
   * Writes the next row to `to`.
   * @param columns that are wanted, from the left
   * @throws CodecError if the file is damaged
   */
  next(to: Pointer, columns: number): void;
  /**
   * Goes through all rows that are left.
   * @throws CodecError if the file is damaged
   */
  end(): void;
}

function withPicture<Result>(
  file: Uint8Array,
  picture: GifPicture,
  memory: Arena,
  use: (kernel: GifKernel, rows: CodedRows) => Result,
): Result {
  return runGifKernel(
    new SubBlocks(file, picture.data),
    (kernel) => {
      const colors = allocatePicture(kernel, picture);
      kernel.bytes.set(colorsOf(file, picture), colors);
      return use(kernel, codedRows(kernel, picture.region));
    },
    memory,
  );
}

function codedRows(kernel: GifKernel, { height }: Region): CodedRows {
  let y = 0;
  return {
    start() {
      y = 0;
      expectSound(kernel.startPicture());
    },
    next(to, columns) {
      y += 1;
      expectSound(kernel.nextPictureRow(to, columns));
    },
    end() {
      for (; y < height; y += 1) expectSound(kernel.skipPictureRow());
    },
  };
}

/** RGBA for each of 256 indices: nothing where an index has no color, or is that of what is transparent. */
export function colorsOf(file: Uint8Array, { table, transparent }: GifPicture): Uint8Array {
  const colors = new Uint8Array(bytesPerRasterPixel * 256);
  for (let index = 0; 3 * index < table.length; index += 1) {
    if (index === transparent) continue;
    const at = table.offset + 3 * index;
    colors.set(file.subarray(at, at + 3), bytesPerRasterPixel * index);
    colors[bytesPerRasterPixel * index + 3] = 255;
  }
  return colors;
}
