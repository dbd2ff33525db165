import { bytesPerRasterPixel } from '../../pixels/raster.ts';
import type { RowSource } from '../../pixels/row-source.ts';
import type { Arena } from '../../wasm/arena.ts';
import {
  countedBytes,
  expectRoom,
  expectSound,
  type Pointer,
  runWebpKernel,
  type WebpKernel,
} from './kernel.ts';
import type { WebpPicture } from './reader.ts';

/**
 * Opens a picture of a WebP file as rows of pixels. What it takes has been reserved before (`webpRowBytes`).
 *
 * @param memory arena to run in
 * @throws CodecError if the file is damaged or takes more memory than is available
 */
export function openWebpRows<Result>(
  file: Uint8Array,
  picture: WebpPicture,
  memory: Arena,
  use: (rows: RowSource) => Result,
): Result {
  return runWebpKernel(
    file,
    (kernel) => {
      const rows = new WebpRows(kernel, picture);
      rows.begin();
      return use({
        width: rows.width,
        height: rows.height,
        start: () => rows.start(),
        next() {
          const at = rows.next();
          return kernel.bytes.subarray(at, at + bytesPerRasterPixel * rows.width);
        },
        end: () => rows.end(),
      });
    },
    memory,
  );
}

/**
 * A picture of a WebP file as rows from the top: a still one, or that of a frame of an animation. What it
 * takes of the arena is what `webpRowBytes` says, however large the picture is.
 */
export class WebpRows {
  readonly width: number;
  readonly height: number;
  readonly #kernel: WebpKernel;
  readonly #picture: WebpPicture;
  #row: Pointer = 0;

  /** @param picture of the file that the kernel was linked with */
  constructor(kernel: WebpKernel, picture: WebpPicture) {
    this.#kernel = kernel;
    this.#picture = picture;
    this.width = picture.width;
    this.height = picture.height;
  }

  /**
   * Allocates what it takes, and reads what comes before the rows; once, before anything else is called.
   * @throws CodecError if there is no room, or the file is damaged
   */
  begin(): void {
    const kernel = this.#kernel;
    const { width, height } = this;
    const { color, alpha } = this.#picture;
    this.#row = kernel.allocate(kernel.rgbaRowBytes(width));
    expectRoom(this.#row);
    const { offset, length } = color.range;
    if (color.kind === 'lossless') {
      expectSound(kernel.openLossless(offset, offset + length, width, height));
      return;
    }
    expectRoom(kernel.allocateLossy(width, height));
    if (alpha) {
      expectSound(kernel.openAlpha(alpha.offset, alpha.offset + alpha.length, width, height));
    }
  }

  /**
   * Goes above the first row, as often as rows are wanted.
   * @throws CodecError if the file is damaged
   */
  start(): void {
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
   * The next row as straight RGBA of 8 bits each, four bytes a pixel, which is good until the next call.
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

  /** Behind the last row: with it all has been read that could be damaged. */
  end(): void {}
}

/**
 * The arena that the rows of a picture take, in bytes. Lossless data can be made that take more than any
 * encoder asks for; they are refused memory.
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

/** Samples of alpha may stand where the header says that there is none (RFC 9649 §3.4); browsers show none. */
export function makeOpaque(row: Uint8Array): void {
  const pixels = new Uint32Array(row.buffer, row.byteOffset, row.length / bytesPerRasterPixel);
  for (let x = 0; x < pixels.length; x += 1) pixels[x] = (pixels[x] ?? 0) | 0xff000000;
}
