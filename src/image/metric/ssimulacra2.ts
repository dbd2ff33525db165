/**
 * SSIMULACRA2, version 2.1, by Jon Sneyers (Cloudinary): how much of a picture's coding is seen. 100: nothing has
 * changed; 90: not told apart in a flicker test; 70: seen by few without a comparison; 50 and less: seen by all.
 * https://github.com/cloudinary/ssimulacra2 (BSD-3-Clause), from which the figures are. The kernel makes the maps
 * and sums them up; here the sums become a score.
 */
import { srgbLight } from '../color/curves.ts';
import type { Region, Size } from '../pixels/raster.ts';
import type { RowSource } from '../pixels/row-source.ts';
import type { Arena } from '../wasm/arena.ts';
import { countedBytes, expectRoom, type MetricKernel, runMetricKernel } from './kernel.ts';
import { type ScaleSums, scaleCount, scoreOf, sumsPerScale } from './score.ts';

/** In pixels; nothing smaller is scored. */
const leastScoredSide = 8;

/** Whether a picture has a score. */
export function isScored({ width, height }: Size): boolean {
  return Math.min(width, height) >= leastScoredSide;
}

/** Takes rows of RGBA of a picture and of what has been made of it, from the top, one of each in turn. */
export interface ComparedRows {
  takeReference(row: Uint8Array): void;
  takeCoded(row: Uint8Array): void;
}

/** Any height does: rows flow. */
const anyHeight = 1 << 20;

/**
 * SSIMULACRA2 of a picture and what has been made of it, or of parts of them, pooled: the sums of all errors are added up,
 * and a score is made of them once.
 */
export class ScorePool {
  readonly #hasAlpha: boolean;
  /** On each background, of each scale. */
  readonly #backgrounds: ScaleSums[][];

  /**
   * @param hasAlpha pixels may be transparent: they are scored on two backgrounds, 0.1 and 0.9 in coded values, and the
   *   lower score counts
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
   * Compares two pictures of one size, and adds the errors within `core`; pixels around it are its real neighbors.
   * Nothing is added where they are less than 8 pixels wide or high.
   *
   * @param core its sides are multiples of 32 where they do not lie at the end of the picture; null for all of it
   * @param memory to run in, in which as much as `scoringBytes` says has been reserved
   * @param weight of the errors and the pixels beside those of other calls
   * @throws CodecError if there is less memory, and what the sources throw
   */
  add(
    reference: RowSource,
    coded: RowSource,
    core: Region | null,
    memory: Arena,
    weight = 1,
  ): void {
    this.addFlowing(reference, core, memory, (rows) => compare(rows, reference, coded), weight);
  }

  /**
   * The same for rows of both pictures that are handed over as they come; nothing is added where some are missing.
   * @param flow hands them over
   * @returns what comes of it
   */
  addFlowing<Result>(
    { width, height }: Size,
    core: Region | null,
    memory: Arena,
    flow: (rows: ComparedRows) => Result,
    weight = 1,
  ): Result {
    if (!isScored({ width, height })) return flow(ignoredRows);
    const part = core ?? { left: 0, top: 0, width, height };
    return runMetricKernel(memory, (kernel) => {
      expectRoom(begin(kernel, width, height, part, this.#hasAlpha));
      const rows = new KernelComparison(kernel);
      const result = flow(rows);
      if (rows.count === height) this.#pool(kernel, weight);
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

  /** At most 100, and below 0 for what is hardly recognized; null if nothing has been added. */
  get score(): number | null {
    const scores = this.#backgrounds.map(scoreOf).filter((score) => score !== null);
    return scores.length > 0 ? Math.min(...scores) : null;
  }
}

/** Bytes of an arena that comparing takes. */
export function scoringBytes(width: number, hasAlpha: boolean): number {
  const part = { left: 0, top: 0, width, height: anyHeight };
  return countedBytes((kernel) => void begin(kernel, width, anyHeight, part, hasAlpha));
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

function compare(rows: ComparedRows, reference: RowSource, coded: RowSource): void {
  reference.start();
  coded.start();
  for (let y = 0; y < reference.height; y += 1) {
    rows.takeReference(reference.next());
    rows.takeCoded(coded.next());
  }
  reference.end();
  coded.end();
}

/** Rows that the kernel compares. */
class KernelComparison implements ComparedRows {
  readonly #kernel: MetricKernel;
  #count = 0;

  constructor(kernel: MetricKernel) {
    this.#kernel = kernel;
    new Float32Array(kernel.bytes.buffer, kernel.lightAt(), lightTable.length).set(lightTable);
  }

  /** Pairs of rows that there have been. */
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

/** Those of a picture that is not scored. */
const ignoredRows: ComparedRows = { takeReference() {}, takeCoded() {} };

/** Light of samples in quarters of codes, up to one behind the last. */
const lightTable = Float32Array.from({ length: 1022 }, (_, step) =>
  srgbLight(Math.min(1, step / 1020)),
);
