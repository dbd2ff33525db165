import type { Source } from '../formats/inspection.ts';
import { decoderOf } from '../formats/registry.ts';
import { bytesPerRasterPixel, endRaster, type Raster } from '../pixels/raster.ts';
import { copiedRows, pacedRows, type RowSource, rowsOf } from '../pixels/row-source.ts';
import type { Refusal } from '../refusal.ts';
import type { Slices } from '../slices.ts';
import { type Arena, arena } from '../wasm/arena.ts';
import { type Hold, ledger, type Peak } from '../wasm/memory-ledger.ts';
import { withinArena } from '../wasm/run-in-arena.ts';
import type { PixelSteps } from './candidates.ts';
import { openPaced, openRows, viewingPeak } from './decode.ts';
import {
  decodingFor,
  finishedRows,
  preparingCpu,
  type Reduction,
  reducedRasters,
  reducingPeakBytes,
  reductionIn,
  stagedRows,
  stagesBytes,
} from './pixel-stages.ts';

/** Reductions that one reading of a file can make: at least one, all decoded and converted alike. */
export type Reductions = readonly [Reduction, ...Reduction[]];

/** Peak memory of making reductions, themselves included, but not the file. */
export function reducingPeak(source: Source, reductions: Reductions): Peak {
  const { arena: reader, buffers } = viewingPeak(source.image, source.fileBytes);
  return { arena: reader, buffers: buffers + reducingPeakBytes(source, reductions) };
}

/** Bytes of reductions that are held. */
export function reducedBytes(reductions: readonly Reduction[]): number {
  return reductions.reduce(
    (sum, { target }) => sum + bytesPerRasterPixel * target.width * target.height,
    0,
  );
}

/** Reductions of a picture, held so that several results are made from one reading of the file. */
export class ReducedPixels {
  readonly #rasters: ReadonlyMap<string, Raster>;
  readonly #hold: Hold;

  private constructor(reductions: Reductions, rasters: readonly Raster[]) {
    const entries = reductions.map((one, i) => [keyOf(one), rasters[i] as Raster] as const);
    this.#rasters = new Map(entries);
    this.#hold = ledger.keep(reducedBytes(reductions));
  }

  /** Reads a file once, and holds these reductions of its picture. */
  static *of(
    file: Uint8Array,
    source: Source,
    reductions: Reductions,
  ): Slices<ReducedPixels | Refusal> {
    const { image } = source;
    const how = decodingFor(source, reductions[0]);
    const made = yield* withinArena(reducingPeak(source, reductions), () =>
      openPaced(decoderOf(image), file, image, how, arena, (rows) =>
        reducedRasters(rows, source, reductions, how.halvings),
      ),
    );
    return 'kind' in made ? made : new ReducedPixels(reductions, made);
  }

  /** Whether the reduction that these steps begin with is held. */
  holds(steps: PixelSteps): boolean {
    return this.#find(steps) !== null;
  }

  /** The pixels after these steps if they are held as they are, which the caller must not modify or free; else null. */
  rasterFor(steps: PixelSteps): Raster | null {
    return isLent(steps) ? this.#find(steps) : null;
  }

  /** The rows after all steps except rotation; null if their reduction is not held. */
  rowsFor(source: Source, steps: PixelSteps): RowSource | null {
    const held = this.#find(steps);
    if (!held) return null;
    const rows = rowsOf(held);
    const isChanged = steps.background !== null || steps.target?.place !== undefined;
    const shown = isChanged ? finishedRows(copiedRows(rows), steps) : rows;
    const cpuMs = preparingCpu({ ...source, isReduced: true }, { ...steps, turn: 1 });
    return pacedRows(shown, cpuMs / shown.height);
  }

  #find(steps: PixelSteps): Raster | null {
    const reduction = reductionIn(steps);
    return (reduction && this.#rasters.get(keyOf(reduction))) ?? null;
  }

  /** Frees the memory. */
  end(): void {
    for (const raster of this.#rasters.values()) endRaster(raster);
    this.#hold.release();
  }
}

/** Whether the pixels after these steps are those of a reduction, which can be lent as they are. */
export function isLent({ target, turn, background }: PixelSteps): boolean {
  return target !== null && turn === 1 && background === null && !target.place;
}

/** A text that is the same for the same reduction. */
export function keyOf({ toSrgb, target: { region, width, height } }: Reduction): string {
  const { left, top, width: across, height: down } = region;
  return [toSrgb, left, top, across, down, width, height].join();
}

/** Whatever the pixels of a picture are read from. */
export interface Readable {
  readonly file: Uint8Array;
  readonly source: Source;
  /** Held reductions of it, which are read instead of the file where they can be; absent or null if there are none. */
  readonly reduced?: ReducedPixels | null;
}

/**
 * Lends the rows of a picture after all steps except rotation, read in the main arena, which nothing else may use
 * meanwhile.
 * @param beside bytes held meanwhile in addition to what reading takes
 */
export function* withStagedRows<Result>(
  { file, source, reduced }: Readable,
  steps: PixelSteps,
  beside: number,
  use: (rows: RowSource) => Slices<Result>,
): Slices<Result | Refusal> {
  const held = reduced?.rowsFor(source, steps);
  if (held) return yield* withinArena({ arena: 0, buffers: beside }, () => use(held));
  const { image, fileBytes } = source;
  const how = decodingFor(source, steps);
  const reading = viewingPeak(image, fileBytes);
  const peak = { ...reading, buffers: reading.buffers + stagesBytes(source, steps) + beside };
  return yield* withinArena(peak, () =>
    openPaced(decoderOf(image), file, image, how, arena, (rows) =>
      lent(stagedRows(rows, source, steps, how.halvings), use),
    ),
  );
}

/**
 * Lends the rows of a picture after all steps except rotation, read in memory that has been reserved.
 * @throws ReadingError if the file is damaged or takes more memory than is available; also whatever `use` throws
 */
export function* openStagedRows<Result>(
  { file, source, reduced }: Readable,
  steps: PixelSteps,
  memory: Arena,
  use: (rows: RowSource) => Slices<Result>,
): Slices<Result> {
  const held = reduced?.rowsFor(source, steps);
  if (held) return yield* use(held);
  const { image } = source;
  const how = decodingFor(source, steps);
  return yield* openRows(decoderOf(image), file, image, how, memory, (rows) =>
    lent(stagedRows(rows, source, steps, how.halvings), use),
  );
}

/** A reader that starts again needs new stages. */
function* lent<Result>(
  staged: RowSource,
  use: (rows: RowSource) => Slices<Result>,
): Slices<Result> {
  try {
    return yield* use(staged);
  } finally {
    staged.release?.();
  }
}
