/**
 * SSIMULACRA2 version 2.1 by Jon Sneyers (Cloudinary), https://github.com/cloudinary/ssimulacra2 (BSD-3-Clause): how
 * visible the artifacts of encoding are. 100: nothing has changed; 90: indistinguishable in a flicker test; 70: hardly
 * noticeable without a comparison; 50 and less: visible to everybody. The kernel computes and sums the error maps; this
 * module turns the sums into a score.
 */
import { srgbLight } from '../color/curves.ts';
import type { Region, Size } from '../pixels/raster.ts';
import type { RowSource } from '../pixels/row-source.ts';
import { Pace, type Slices } from '../slices.ts';
import type { Arena } from '../wasm/arena.ts';
import { CodecError } from '../wasm/codec.ts';
import { type LinkedKernel, memoryCounter, runKernel } from '../wasm/kernel.ts';
import module from '../wasm/modules/metric.wasm';
import { kernelConstants, type MetricKernelExports } from './kernel-exports.ts';
import { type ScaleSums, scaleCount, scoreOf, sumsPerScale } from './score.ts';

/** Minimum width and height in pixels for a score. */
const minScoredSide = 8;

/** Whether a picture is large enough for a score. */
export function isScored({ width, height }: Size): boolean {
  return Math.min(width, height) >= minScoredSide;
}

/** Number of pixels that are measured for the score of a whole picture, short sides having been continued. */
export function measuredPixels({ width, height }: Size): number {
  return measuredSide(width) * measuredSide(height);
}

function measuredSide(side: number): number {
  return side < kernelConstants.minUnmirroredSide ? kernelConstants.mirroredSide : side;
}

/** Receives RGBA rows of a picture and its encoded version, alternately, from top to bottom. */
export interface ComparedRows {
  takeReference(row: Uint8Array): void;
  takeCoded(row: Uint8Array): void;
}

/**
 * Accumulates the errors of an encoded picture, or parts of it, compared with the original, and computes a single
 * SSIMULACRA2 score from them.
 */
export class ScorePool {
  readonly #hasAlpha: boolean;
  /** Sums per background and scale. */
  readonly #backgrounds: ScaleSums[][];

  /**
   * @param hasAlpha whether pixels may be transparent; then they are scored on two backgrounds, 0.1 and 0.9 in code
   *   values, and the lower score counts
   */
  constructor(hasAlpha: boolean) {
    this.#hasAlpha = hasAlpha;
    this.#backgrounds = Array.from({ length: hasAlpha ? 2 : 1 }, () =>
      Array.from({ length: scaleCount }, () => ({
        pixels: 0,
        errors: new Float64Array(sumsPerScale),
      })),
    );
  }

  /**
   * Compares two pictures of equal size, and adds the errors within `core`; the pixels around it serve as its
   * neighbors. Pictures with a side below 8 pixels add nothing. A side below 225 pixels that the core takes up in full
   * is continued by mirroring to 256, and measured as such, because it has too few scales for the weights of the score.
   *
   * @param core a region whose edges are multiples of 32, except at the edges of the picture; null for all of it
   * @param memory arena to run in, with `scoringBytes` reserved
   * @param weight weight of the errors and pixels relative to other calls
   * @throws CodecError if there is too little memory; also whatever the sources throw
   */
  add(
    reference: RowSource,
    coded: RowSource,
    core: Region | null,
    memory: Arena,
    weight = 1,
  ): Slices<void> {
    return this.addFlowing(
      reference,
      core,
      memory,
      (rows) =>
        compare(rows, reference, coded, this.#backgrounds.length * measuredPixels(reference)),
      weight,
    );
  }

  /**
   * Compares streamed rows of both pictures; adds nothing if some are missing.
   * @param flow passes the rows
   * @returns the result of `flow`
   */
  *addFlowing<Result>(
    { width, height }: Size,
    core: Region | null,
    memory: Arena,
    flow: (rows: ComparedRows) => Slices<Result>,
    weight = 1,
  ): Slices<Result> {
    if (!isScored({ width, height })) return yield* flow(ignoredRows);
    const part = core ?? { left: 0, top: 0, width, height };
    const [hasAlpha, pool] = [this.#hasAlpha, (kernel: MetricKernel) => this.#pool(kernel, weight)];
    return yield* runMetricKernel(memory, function* (kernel) {
      expectRoom(begin(kernel, width, height, part, hasAlpha));
      const rows = new KernelComparison(kernel);
      const result = yield* flow(rows);
      if (rows.count === height) pool(kernel);
      return result;
    });
  }

  #pool(kernel: MetricKernel, weight: number): void {
    for (const [background, scales] of this.#backgrounds.entries()) {
      for (const [index, scale] of scales.entries()) {
        const pixels = kernel.pixelsAtScale(index);
        if (pixels === 0) continue;
        const at = kernel.sumsAtScale(background, index);
        const sums = new Float64Array(kernel.bytes.buffer, at, sumsPerScale);
        scale.pixels += weight * pixels;
        for (const [i, sum] of sums.entries()) {
          scale.errors[i] = (scale.errors[i] ?? 0) + weight * sum;
        }
      }
    }
  }

  /** The score: at most 100, and below 0 for barely recognizable pictures; null if nothing has been added. */
  get score(): number | null {
    const scores = this.#backgrounds.map(scoreOf).filter((score) => score !== null);
    return scores.length > 0 ? Math.min(...scores) : null;
  }
}

/**
 * Bytes of an arena for a comparison. They depend on the width, and on the height where that is continued by mirroring.
 * @param core see `ScorePool.add`
 */
export function scoringBytes(
  { width, height }: Size,
  hasAlpha: boolean,
  core: Region = { left: 0, top: 0, width, height },
): number {
  return countedBytes((kernel) => void begin(kernel, width, height, core, hasAlpha));
}

function begin(
  kernel: MetricKernel,
  width: number,
  height: number,
  { left, top, ...size }: Region,
  hasAlpha: boolean,
): 0 | 1 {
  const [right, bottom] = [left + size.width, top + size.height];
  return kernel.allocateComparison(width, height, left, top, right, bottom, hasAlpha);
}

/** CPU time of comparing on one background, in milliseconds per megapixel. */
const comparingMs = 60;

function* compare(
  rows: ComparedRows,
  reference: RowSource,
  coded: RowSource,
  pixels: number,
): Slices<void> {
  const pace = Pace.ofRows(pixels / reference.height, comparingMs);
  yield* reference.start();
  yield* coded.start();
  for (let y = 0; y < reference.height; y += 1) {
    rows.takeReference(yield* reference.next());
    rows.takeCoded(yield* coded.next());
    yield* pace.after();
  }
  yield* reference.end();
  yield* coded.end();
}

/** Passes rows to the kernel. */
class KernelComparison implements ComparedRows {
  readonly #kernel: MetricKernel;
  #count = 0;

  constructor(kernel: MetricKernel) {
    this.#kernel = kernel;
    new Float32Array(kernel.bytes.buffer, kernel.lightAt(), lightTable.length).set(lightTable);
  }

  /** Number of pairs of rows so far. */
  get count(): number {
    return this.#count;
  }

  takeReference(row: Uint8Array): void {
    this.#kernel.bytes.set(row, this.#kernel.referenceRow());
  }

  takeCoded(row: Uint8Array): void {
    this.#kernel.bytes.set(row, this.#kernel.codedRow());
    this.#kernel.compareRows();
    this.#count += 1;
  }
}

/** Ignores the rows of a picture that is too small for a score. */
const ignoredRows: ComparedRows = { takeReference() {}, takeCoded() {} };

/** Linear light of samples in steps of a quarter code, with one entry beyond the last. */
const lightTable = Float32Array.from({ length: 1022 }, (_, step) =>
  srgbLight(Math.min(1, step / 1020)),
);

/** The kernel linked for one run. */
export type MetricKernel = LinkedKernel<MetricKernelExports>;

const name = 'metric kernel';

/** The kernel imports no host functions. */
const noImports = () => ({});

/**
 * Links the kernel to a wiped arena for one run.
 *
 * @param memory arena to run in
 * @throws CodecError if `work` throws one, or the kernel traps, which no input should cause
 */
function runMetricKernel<Result>(
  memory: Arena,
  work: (kernel: MetricKernel) => Slices<Result>,
): Slices<Result> {
  return runKernel<MetricKernelExports, Result>(name, module, memory, noImports, work);
}

/** Bytes of the arena for a run with the allocations of `allocate`, as counted by the kernel. */
const countedBytes = memoryCounter<MetricKernelExports>(() => module, noImports);

/** @throws CodecError if an allocation failed */
function expectRoom(isThere: number): void {
  if (!isThere) throw new CodecError(name, true, 'no room');
}
