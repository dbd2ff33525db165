import type { Raster } from '../raster.ts';
import type { CoefficientRows } from './coded-rows.ts';
import { expectRoom, type JpegKernel } from './kernel.ts';
import { sourceFrame } from './kernel-exports.ts';
import { setKernelFrame } from './kernel-frame.ts';

const rowsInBlock = 8;

/**
 * The coefficients of pixels that no JPEG has been made of yet: YCbCr with a
 * sample of each component for each pixel, or grey, with steps of 1 that the
 * kernel counts in eighths. The pixels stay where they are, and eight rows of
 * them at a time are copied into the kernel.
 */
export class PixelCoefficients implements CoefficientRows {
  readonly quantization: readonly Uint16Array[];
  readonly areGathered = false;
  readonly #kernel: JpegKernel;
  readonly #raster: Raster;

  /** @param components 3, or 1 for the red of a picture whose colours are all the same */
  constructor(kernel: JpegKernel, raster: Raster, components: 1 | 3) {
    this.#kernel = kernel;
    this.#raster = raster;
    const { width, height } = raster;
    const sampling = Array.from({ length: components }, () => ({ horizontal: 1, vertical: 1 }));
    this.quantization = sampling.map(() => new Uint16Array(64).fill(1));
    setKernelFrame(kernel, sourceFrame, { width, height, sampling }, this.quantization);
  }

  /** @throws CodecError where it takes more memory than there is */
  begin(): void {
    expectRoom(this.#kernel.allocateRows(sourceFrame));
    expectRoom(this.#kernel.beginPixelBlocks());
  }

  rewind(): void {}

  read(m: number): void {
    const { width, height, data } = this.#raster;
    const kernel = this.#kernel;
    const first = m * rowsInBlock;
    const count = Math.min(rowsInBlock, height - first);
    for (let y = 0; y < count; y += 1) {
      const from = 4 * width * (first + y);
      kernel.bytes.set(data.subarray(from, from + 4 * width), kernel.pixelRow(y));
    }
    kernel.takePixelRows(count);
  }
}
