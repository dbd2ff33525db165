import { type ComparedRows, isScored, ScorePool, scoringBytes } from '../../metric/ssimulacra2.ts';
import type { Arena } from '../../wasm/arena.ts';
import type { PngKernel, Pointer } from './kernel.ts';
import { forEachRow, type PixelRows } from './pixel-rows.ts';

/** Receives rows of palette indices, one byte per pixel. */
export interface IndexRows {
  /** Where to write the next row. */
  readonly nextRow: Pointer;
  /** Called when the row is written. @returns false to stop */
  take(): boolean;
}

/** The input and buffers of dithering. */
export interface Dithering {
  readonly kernel: PngKernel;
  readonly rows: PixelRows;
  /** Buffer for a row of pixels. */
  readonly rgba: Pointer;
  /** Colors of the last chosen palette, as RGBA. */
  readonly colors: Uint8Array;
}

/** How the dithered picture is scored. */
export interface Scoring {
  /** Whether some pixels are not opaque. */
  readonly hasAlpha: boolean;
  /** An unused arena for scoring; null to skip scoring. */
  readonly memory: Arena | null;
}

/** The difference between a dithered picture and the original. */
export interface Shown {
  /** Mean squared distance in the quantizer's perceptual space (kernel/quantizer/dithering.ts). */
  readonly error: number;
  /** SSIMULACRA2 score; null if not measured, or not all rows were requested. */
  readonly score: number | null;
}

/**
 * Dithers a picture to rows of palette indices and measures the result. The whole picture is scored while its rows are
 * streamed, which takes a fifteenth of the time of writing them, and memory only in proportion to their width.
 */
export function ditherRows(dithering: Dithering, to: IndexRows, scoring: Scoring): Shown {
  const { kernel, rows } = dithering;
  const memory = memoryFor(rows, scoring);
  if (!memory) {
    flow(dithering, to, null);
    return { error: kernel.shownError(), score: null };
  }
  const pool = new ScorePool(scoring.hasAlpha);
  pool.addFlowing(rows, null, memory, (compared) => flow(dithering, to, compared));
  return { error: kernel.shownError(), score: pool.score };
}

/** The arena for scoring; null if rows are not scored or it is too small. */
function memoryFor(size: PixelRows, { memory, hasAlpha }: Scoring): Arena | null {
  if (!memory || !isScored(size)) return null;
  return scoringBytes(size.width, hasAlpha) <= memory.reserved ? memory : null;
}

/**
 * Streams rows. A row of indices is complete when the kernel has processed the row below it, so the row is scored before it is
 * passed on.
 */
function flow(
  { kernel, rows, rgba, colors }: Dithering,
  to: IndexRows,
  compared: ComparedRows | null,
): void {
  const { width } = rows;
  const shown = new ShownRow(colors, compared ? width : 0);
  const take = (ready: number, at: Pointer) => {
    if (ready === 0) return true;
    compared?.takeCoded(shown.of(kernel.bytes.subarray(at, at + width)));
    return to.take();
  };
  let isWanted = true;
  kernel.beginDithering();
  forEachRow(rows, () => {
    rows.expand(rgba);
    const at = to.nextRow;
    isWanted = take(kernel.ditherRow(rgba, at), at);
    compared?.takeReference(kernel.bytes.subarray(rgba, rgba + 4 * width));
    return isWanted;
  });
  const last = to.nextRow;
  if (isWanted) take(kernel.flushRows(last), last);
}

/** A row of pixels in the colors of a palette. */
class ShownRow {
  readonly #colors: Uint32Array;
  readonly #pixels: Uint32Array;
  readonly #bytes: Uint8Array;

  constructor(colors: Uint8Array, width: number) {
    this.#colors = new Uint32Array(colors.slice().buffer);
    this.#pixels = new Uint32Array(width);
    this.#bytes = new Uint8Array(this.#pixels.buffer);
  }

  /** The row as RGBA, valid until the next call. */
  of(indices: Uint8Array): Uint8Array {
    for (let x = 0; x < indices.length; x += 1) {
      this.#pixels[x] = this.#colors[indices[x] ?? 0] ?? 0;
    }
    return this.#bytes;
  }
}
