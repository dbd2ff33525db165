import { bytesPerRasterPixel, type Raster } from '../raster.ts';
import type { PngKernel } from './kernel.ts';
import type { Pointer } from './kernel-exports.ts';
import type { PixelRows } from './pixel-rows.ts';

/** The rows of decoded pixels. */
export class RasterRows implements PixelRows {
  readonly width: number;
  readonly height: number;
  readonly #kernel: PngKernel;
  readonly #raster: Raster;
  #y = -1;

  constructor(kernel: PngKernel, raster: Raster) {
    this.#kernel = kernel;
    this.#raster = raster;
    this.width = raster.width;
    this.height = raster.height;
  }

  begin(): void {}

  start(): void {
    this.#y = -1;
  }

  next(): void {
    this.#y += 1;
  }

  expand(to: Pointer): void {
    const rowBytes = bytesPerRasterPixel * this.width;
    const from = this.#y * rowBytes;
    this.#kernel.bytes.set(this.#raster.data.subarray(from, from + rowBytes), to);
  }

  end(): void {}
}
