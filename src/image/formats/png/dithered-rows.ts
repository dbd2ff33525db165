import { type ComparedRows, isScored, ScorePool, scoringBytes } from '../../metric/ssimulacra2.ts';
import type { Arena } from '../../wasm/arena.ts';
import type { PngKernel, Pointer } from './kernel.ts';
import { forEachRow, type PixelRows } from './pixel-rows.ts';

/** Where rows of palette indices go, a byte for each pixel. */
export interface IndexRows {
  /** Where the next one goes. */
  readonly nextRow: Pointer;
  /** It is there. @returns false if no more are wanted */
  take(): boolean;
}

/** What a picture is dithered with. */
export interface Dithering {
  readonly kernel: PngKernel;
  readonly rows: PixelRows;
  /** For a row of pixels. */
  readonly rgba: Pointer;
  /** Of the palette that was chosen last, as RGBA. */
  readonly colors: Uint8Array;
}

/** How what is shown is scored. */
export interface Scoring {
  /** Some pixels are not opaque. */
  readonly hasAlpha: boolean;
  /** In which nothing runs; null: nothing is scored. */
  readonly memory: Arena | null;
}

/** How far what a palette shows is from the picture. */
export interface Shown {
  /** Mean squared distance in the quantizer's space, as an eye takes it (kernel/quantizer/dithering.ts). */
  readonly error: number;
  /** SSIMULACRA2; null: it was not measured, or not all rows were wanted. */
  readonly score: number | null;
}

/**
 * Makes rows of indices into a palette, dithered, and says what they show. All of the picture is scored as its rows
 * pass, which takes a fifteenth of the time of writing them, and a memory of their width alone.
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

/** That in which rows are scored; null if they are not, or there is too little of it. */
function memoryFor(size: PixelRows, { memory, hasAlpha }: Scoring): Arena | null {
  if (!memory || !isScored(size)) return null;
  return scoringBytes(size.width, hasAlpha) <= memory.reserved ? memory : null;
}

/**
 * A row of indices is there once the kernel has seen the one below it, so that it is compared before that is handed on.
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

/** A row of pixels as a palette shows it. */
class ShownRow {
  readonly #colors: Uint32Array;
  readonly #pixels: Uint32Array;
  readonly #bytes: Uint8Array;

  constructor(colors: Uint8Array, width: number) {
    this.#colors = new Uint32Array(colors.slice().buffer);
    this.#pixels = new Uint32Array(width);
    this.#bytes = new Uint8Array(this.#pixels.buffer);
  }

  /** As RGBA; it holds until the next call. */
  of(indices: Uint8Array): Uint8Array {
    for (let x = 0; x < indices.length; x += 1) {
      this.#pixels[x] = this.#colors[indices[x] ?? 0] ?? 0;
    }
    return this.#bytes;
  }
}
