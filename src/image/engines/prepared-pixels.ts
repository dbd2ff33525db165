import { bytesPerRasterPixel, endRaster, type Raster } from '../raster.ts';
import type { Refusal } from '../refusal.ts';
import type { Source } from '../source.ts';
import { type PixelSteps, sameSteps } from './pixel-steps.ts';
import { preparePixels } from './prepare.ts';

/** The decoded pixels of one picture, for as long as codings with the same steps follow each other. */
export class PreparedPixels {
  readonly #file: Uint8Array;
  readonly #source: Source;
  readonly #giveUpFile: () => void;
  #hasFile = true;
  #kept: { readonly steps: PixelSteps; readonly raster: Raster } | undefined;

  /** @param giveUpFile gives the file's memory back */
  constructor(file: Uint8Array, source: Source, giveUpFile: () => void) {
    this.#file = file;
    this.#source = source;
    this.#giveUpFile = giveUpFile;
  }

  /** Memory of the raster that is kept. */
  get bytes(): number {
    if (!this.#kept) return 0;
    const { width, height } = this.#kept.raster;
    return bytesPerRasterPixel * width * height;
  }

  /** Whether these pixels are there already. */
  has(steps: PixelSteps): boolean {
    return this.#kept !== undefined && sameSteps(this.#kept.steps, steps);
  }

  /** The picture's pixels after these steps; they are not the caller's to end or to change. */
  through(steps: PixelSteps): Raster | Refusal {
    if (this.#kept && this.has(steps)) return this.#kept.raster;
    this.end();
    const raster = preparePixels(this.#file, this.#source, steps);
    if (!('kind' in raster)) this.#kept = { steps, raster };
    return raster;
  }

  /** Nothing needs the file any more: what there is of pixels is all that there will be. */
  releaseFile(): void {
    this.#hasFile = false;
    this.#giveUpFile();
  }

  /** Whether they could be decoded once more. */
  get areReplaceable(): boolean {
    return this.#hasFile;
  }

  /** Gives the memory back. */
  end(): void {
    if (this.#kept) endRaster(this.#kept.raster);
    this.#kept = undefined;
  }
}
