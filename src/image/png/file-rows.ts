import type { PngInspection } from '../inspect/inspection.ts';
import type { ImageData } from './image-data.ts';
import type { PngKernel } from './kernel.ts';
import type { Pointer } from './kernel-exports.ts';
import type { DeepPixelRows } from './pixel-rows.ts';
import { PngSource } from './png-source.ts';

/** The rows of a PNG file, which is inflated anew for each run. */
export class FileRows implements DeepPixelRows {
  readonly width: number;
  readonly height: number;
  readonly #kernel: PngKernel;
  readonly #source: PngSource;

  /**
   * @param data those that the kernel was linked with
   * @param image what `inspect` says of the file
   */
  constructor(kernel: PngKernel, data: ImageData, image: PngInspection) {
    this.#kernel = kernel;
    this.#source = new PngSource(kernel, data, image);
    this.width = image.width;
    this.height = image.height;
  }

  begin(): void {
    this.#source.begin(null);
  }

  start(): void {
    this.#source.start();
  }

  next(): void {
    this.#source.nextRow();
  }

  expand(to: Pointer): void {
    this.#kernel.expandRow(to);
  }

  expandDeep(to: Pointer): void {
    this.#kernel.expandDeepRow(to);
  }

  end(): void {
    this.#source.end();
  }
}
