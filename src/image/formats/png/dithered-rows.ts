import { type ComparedRows, isScored, ScorePool, scoringBytes } from '../../metric/ssimulacra2.ts';
import type { Slices } from '../../slices.ts';
import type { Arena } from '../../wasm/arena.ts';
import type { PngKernel, Pointer } from './kernel.ts';
import { forEachRow, type PixelRows, passMs } from './pixel-rows.ts';

/** Receives rows of palette indices, a byte per pixel. */
export interface IndexRows {
  /** Where to write the next row. */
  readonly nextRow: Pointer;
  /** Called when the row has been written. @returns false if no more rows are wanted */
  take(): Slices<boolean>;
}

/** Everything needed to dither a picture. */
export interface Dithering {
  readonly kernel: PngKernel;
  readonly rows: PixelRows;
  /** Buffer for a row of pixels. */
  readonly rgba: Pointer;
  /** The palette that was chosen last, as RGBA. */
  readonly colors: Uint8Array;
}

/** How the dithered picture is scored. */
export interface Scoring {
  /** Whether some pixels are not opaque. */
  readonly hasAlpha: boolean;
  /** An idle arena; null: nothing is scored. */
  readonly memory: Arena | null;
}

/** How far the dithered picture is from the original. */
export interface DitheringResult {
  /** Perceptual mean squared distance in the quantizer's space (kernel/quantizer/dithering.ts). */
  readonly error: number;
  /** SSIMULACRA2; null if it was not measured, or not all rows were wanted. */
  readonly score: number | null;
}

/**
 * Produces dithered rows of palette indices, and measures their error. The whole picture is scored as its rows pass,
 * which takes a fifteenth of the time of writing them, and memory proportional to its width alone.
 */
export function* ditherRows(
  dithering: Dithering,
  to: IndexRows,
  scoring: Scoring,
): Slices<DitheringResult> {
  const { kernel, rows } = dithering;
  const memory = memoryFor(rows, scoring);
  if (!memory) {
    yield* flow(dithering, to, null);
    return { error: kernel.shownError(), score: null };
  }
  const pool = new ScorePool(scoring.hasAlpha);
  yield* pool.addFlowing(rows, null, memory, (compared) => flow(dithering, to, compared));
  return { error: kernel.shownError(), score: pool.score };
}

/** The arena in which rows are scored; null if they are not scored, or it is too small. */
function memoryFor(size: PixelRows, { memory, hasAlpha }: Scoring): Arena | null {
  if (!memory || !isScored(size)) return null;
  return scoringBytes(size, hasAlpha) <= memory.reserved ? memory : null;
}

/** The kernel outputs a row of indices once it has the row below, so each row is scored before it is handed on. */
function* flow(
  { kernel, rows, rgba, colors }: Dithering,
  to: IndexRows,
  compared: ComparedRows | null,
): Slices<void> {
  const { width } = rows;
  const shown = new PaletteRow(colors, compared ? width : 0);
  const take = function* (ready: number, at: Pointer): Slices<boolean> {
    if (ready === 0) return true;
    compared?.takeCoded(shown.of(kernel.bytes.subarray(at, at + width)));
    return yield* to.take();
  };
  let isWanted = true;
  kernel.beginDithering();
  yield* forEachRow(rows, passMs.dithering, function* () {
    rows.expand(rgba);
    const at = to.nextRow;
    isWanted = yield* take(kernel.ditherRow(rgba, at), at);
    compared?.takeReference(kernel.bytes.subarray(rgba, rgba + 4 * width));
    return isWanted;
  });
  const last = to.nextRow;
  if (isWanted) yield* take(kernel.flushRows(last), last);
}

/** Converts rows of palette indices to pixels. */
class PaletteRow {
  readonly #colors: Uint32Array;
  readonly #pixels: Uint32Array;
  readonly #bytes: Uint8Array;

  constructor(colors: Uint8Array, width: number) {
    this.#colors = new Uint32Array(colors.slice().buffer);
    this.#pixels = new Uint32Array(width);
    this.#bytes = new Uint8Array(this.#pixels.buffer);
  }

  /** Returns the row as RGBA, valid until the next call. */
  of(indices: Uint8Array): Uint8Array {
    for (let x = 0; x < indices.length; x += 1) {
      this.#pixels[x] = this.#colors[indices[x] ?? 0] ?? 0;
    }
    return this.#bytes;
  }
}
