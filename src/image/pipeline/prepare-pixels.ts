import type { Source } from '../formats/inspection.ts';
import { turnInPlace, turnScratchBytes } from '../pixels/orientation.ts';
import { bytesPerRasterPixel, endRaster, type Raster } from '../pixels/raster.ts';
import { gathered } from '../pixels/row-source.ts';
import type { Refusal } from '../refusal.ts';
import type { Slices } from '../slices.ts';
import type { Peak } from '../wasm/memory-ledger.ts';
import type { PixelSteps } from './candidates.ts';
import { viewingPeak } from './decode.ts';
import { stagesBytes } from './pixel-stages.ts';
import { type Readable, type ReducedPixels, withStagedRows } from './reduced-pixels.ts';

/** Peak memory of preparing the pixels of a picture as a raster, including the raster but not the file. */
export function preparingPeak(source: Source, steps: PixelSteps): Peak {
  const { image, fileBytes } = source;
  const { width, height } = steps.target ?? image;
  const raster = bytesPerRasterPixel * width * height;
  const turning = steps.turn === 1 ? 0 : raster + turnScratchBytes(width, height);
  const { arena, buffers } = viewingPeak(image, fileBytes);
  return { arena, buffers: Math.max(buffers + stagesBytes(source, steps) + raster, turning) };
}

/**
 * Decodes a picture and applies the steps. Rows are streamed into the result, so there is never more than one raster of
 * its size.
 */
function* preparePixels(from: Readable, steps: PixelSteps): Slices<Raster | Refusal> {
  const { width, height } = steps.target ?? from.source.image;
  const raster = yield* withStagedRows(from, steps, bytesPerRasterPixel * width * height, gathered);
  return 'kind' in raster ? raster : turnInPlace(raster, steps.turn);
}

/** The decoded pixels of a picture, kept while consecutive candidates use the same steps. */
export class PreparedPixels {
  readonly #from: Readable;
  #kept: { readonly steps: PixelSteps; readonly raster: Raster } | undefined;

  constructor(file: Uint8Array, source: Source, reduced: ReducedPixels | null = null) {
    this.#from = { file, source, reduced };
  }

  /** Bytes of the kept raster. */
  get bytes(): number {
    if (!this.#kept) return 0;
    const { width, height } = this.#kept.raster;
    return bytesPerRasterPixel * width * height;
  }

  /** Whether the pixels after these steps are kept, or lent by reductions that are held. */
  has(steps: PixelSteps): boolean {
    return this.#keeps(steps) || this.#lent(steps) !== undefined;
  }

  #keeps(steps: PixelSteps): boolean {
    return this.#kept !== undefined && sameSteps(this.#kept.steps, steps);
  }

  #lent(steps: PixelSteps): Raster | undefined {
    return this.#from.reduced?.rasterFor(steps) ?? undefined;
  }

  /** The pixels after these steps; the caller must not modify or free them. */
  *through(steps: PixelSteps): Slices<Raster | Refusal> {
    if (this.#kept && this.#keeps(steps)) return this.#kept.raster;
    this.end();
    const lent = this.#lent(steps);
    if (lent) return lent;
    const raster = yield* preparePixels(this.#from, steps);
    if (!('kind' in raster)) this.#kept = { steps, raster };
    return raster;
  }

  /** Frees the memory. */
  end(): void {
    if (this.#kept) endRaster(this.#kept.raster);
    this.#kept = undefined;
  }
}

/** Whether two sets of steps lead to the same pixels. */
export function sameSteps(a: PixelSteps, b: PixelSteps): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
