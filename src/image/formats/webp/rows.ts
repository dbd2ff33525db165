import { bytesPerRasterPixel } from '../../pixels/raster.ts';
import type { RowSource } from '../../pixels/row-source.ts';
import { Pace, type Slices } from '../../slices.ts';
import type { Arena } from '../../wasm/arena.ts';
import {
  countedBytes,
  expectRoom,
  expectSound,
  type Pointer,
  runWebpKernel,
  type WebpKernel,
} from './kernel.ts';
import { kernelConstants } from './kernel-exports.ts';
import type { WebpPicture } from './reader.ts';

/**
 * Opens a picture of a WebP file as rows of pixels. Its memory has been reserved before (`webpRowBytes`).
 *
 * @param memory arena to run in
 * @throws CodecError if the file is damaged or takes more memory than is available
 */
export function* openWebpRows<Result>(
  file: Uint8Array,
  picture: WebpPicture,
  memory: Arena,
  use: (rows: RowSource) => Slices<Result>,
): Slices<Result> {
  return yield* runWebpKernel(
    file,
    function* (kernel) {
      const rows = new WebpRows(kernel, picture);
      yield* rows.begin();
      return yield* use({
        width: rows.width,
        height: rows.height,
        start: () => rows.start(),
        *next() {
          const at = rows.next();
          return kernel.bytes.subarray(at, at + bytesPerRasterPixel * rows.width);
        },
        // With the last row, everything that could be damaged has been read.
        *end() {},
      });
    },
    memory,
  );
}

/**
 * A still picture or a frame of a WebP file as rows from top to bottom. It takes `webpRowBytes` of the arena,
 * regardless of the size of the picture.
 */
export class WebpRows {
  readonly width: number;
  readonly height: number;
  readonly #kernel: WebpKernel;
  readonly #picture: WebpPicture;
  #row: Pointer = 0;

  /** @param picture a picture in the file that the kernel was linked with */
  constructor(kernel: WebpKernel, picture: WebpPicture) {
    this.#kernel = kernel;
    this.#picture = picture;
    this.width = picture.width;
    this.height = picture.height;
  }

  /**
   * Allocates memory and reads everything before the rows; must be called once, before anything else.
   * @throws CodecError if there is no room, or the file is damaged
   */
  *begin(): Slices<void> {
    const kernel = this.#kernel;
    const { width, height } = this;
    const { color, alpha } = this.#picture;
    this.#row = kernel.allocate(kernel.rgbaRowBytes(width));
    expectRoom(this.#row);
    const { offset, length } = color.range;
    if (color.kind === 'lossless') {
      yield* this.#readOn(kernel.openLossless(offset, offset + length, width, height));
      return;
    }
    expectRoom(kernel.allocateLossy(width, height));
    if (alpha) {
      const stop = alpha.offset + alpha.length;
      yield* this.#readOn(kernel.openAlpha(alpha.offset, stop, width, height));
    }
  }

  /** Reads on until rows can be read. @param opened status of opening the picture */
  *#readOn(opened: number): Slices<void> {
    const pace = Pace.ofRows(Math.min(this.width * this.height, readingPixels), readingMs);
    let status = opened;
    while (status === kernelConstants.incomplete) {
      status = this.#kernel.readOn();
      yield* pace.after();
    }
    expectSound(status);
  }

  /**
   * Moves before the first row; may be called repeatedly.
   * @throws CodecError if the file is damaged
   */
  *start(): Slices<void> {
    const { color, alpha } = this.#picture;
    const { offset, length } = color.range;
    if (color.kind === 'lossless') {
      this.#kernel.startLossless();
      return;
    }
    expectSound(this.#kernel.startLossy(offset, offset + length));
    if (alpha) this.#kernel.startAlpha();
  }

  /**
   * The next row as straight 8-bit RGBA, four bytes per pixel, valid until the next call.
   * @throws CodecError if the file is damaged
   */
  next(): Pointer {
    const kernel = this.#kernel;
    const { color, alpha } = this.#picture;
    if (color.kind === 'lossless') {
      expectSound(kernel.nextLosslessRow(this.#row));
      return this.#row;
    }
    expectSound(kernel.nextLossyRow(this.#row));
    if (alpha) {
      const levels = kernel.nextAlphaRow();
      expectSound(kernel.alphaStatus());
      kernel.setAlpha(levels, this.width, this.#row);
    }
    return this.#row;
  }
}

/** Pixels of a step of `readOn`, at most, and their predicted CPU time in milliseconds per megapixel. */
const readingPixels = 65_536;
const readingMs = 30;

/**
 * Bytes of the arena for the rows of a picture. Lossless data can be crafted to take more than any encoder's output;
 * they are refused memory.
 */
export function webpRowBytes({ width, height, color, alpha }: WebpPicture): number {
  return countedBytes((kernel) => {
    kernel.allocate(kernel.rgbaRowBytes(width));
    if (color.kind === 'lossless') {
      kernel.countLossless(width, height, color.range.length);
    } else {
      kernel.allocateLossy(width, height);
      if (alpha) kernel.countAlpha(width, height, alpha.length);
    }
  });
}

/**
 * Makes a row opaque: alpha samples may be present although the header denies it (RFC 9649 §3.4), and browsers ignore
 * them.
 */
export function makeOpaque(row: Uint8Array): void {
  const pixels = new Uint32Array(row.buffer, row.byteOffset, row.length / bytesPerRasterPixel);
  for (let x = 0; x < pixels.length; x += 1) pixels[x] = (pixels[x] ?? 0) | 0xff000000;
}
