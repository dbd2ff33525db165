import { freeMemory } from '../container/workspace.ts';
import {
  type LanczosKernel,
  lanczosKernel,
  lanczosKernelBytes,
  type Span,
} from './lanczos-kernel.ts';
import type { LightTables } from './light-table.ts';

/** Reduces rows in width, from codes to light premultiplied with alpha. The result is valid until the next row. */
export class RowReduction {
  /** Three samples per pixel. */
  readonly color: Float32Array<ArrayBuffer>;
  /** Alpha of a row that is not opaque; stale otherwise. */
  readonly alpha: Float32Array<ArrayBuffer>;
  /** For a row that is not opaque: the maximum alpha among the source pixels of each pixel. */
  readonly maxAlpha: Float32Array<ArrayBuffer>;
  readonly #tables: LightTables;
  readonly #kernel: LanczosKernel;
  readonly #color: Float32Array<ArrayBuffer>;
  readonly #alpha: Float32Array<ArrayBuffer>;
  #expectsOpaque = true;

  /**
   * @param source pixels per source row
   * @param target pixels per reduced row, not more than in the source
   * @param span part of a source row to reduce
   */
  constructor(source: number, target: number, tables: LightTables, span: Span) {
    const samples = new Float32Array(5 * target + 4 * source);
    const ofSource = samples.subarray(5 * target);
    this.color = samples.subarray(0, 3 * target);
    this.alpha = samples.subarray(3 * target, 4 * target);
    this.maxAlpha = samples.subarray(4 * target, 5 * target);
    this.#color = ofSource.subarray(0, 3 * source);
    this.#alpha = ofSource.subarray(3 * source);
    this.#tables = tables;
    this.#kernel = lanczosKernel(source, target, span);
  }

  static bufferBytes(source: number, target: number): number {
    return 16 * source + 20 * target + lanczosKernelBytes(source, target);
  }

  /**
   * @param row RGBA codes of a source row
   * @returns whether every pixel is opaque
   */
  reduce(row: Uint8Array): boolean {
    if (this.#expectsOpaque) {
      // Rows are mostly like the previous one, so the fast path rarely fails.
      this.#expectsOpaque = readOpaque(row, this.#tables, this.#color);
    }
    if (!this.#expectsOpaque) {
      this.#expectsOpaque = readTransparent(row, this.#tables, this.#color, this.#alpha);
    }
    if (this.#expectsOpaque) reduceOpaque(this.#color, this.#kernel, this.color);
    else reduceTransparent(this.#color, this.#alpha, this.#kernel, this);
    return this.#expectsOpaque;
  }

  /** Frees the memory immediately. */
  end(): void {
    freeMemory(this.color);
  }
}

/** @returns whether the row is opaque; if not, `color` is invalid */
function readOpaque(row: Uint8Array, tables: LightTables, color: Float32Array): boolean {
  const [{ light: red }, { light: green }, { light: blue }] = tables;
  let every = 255;
  for (let to = 0, from = 0; to < color.length; to += 3, from += 4) {
    color[to] = red[row[from] ?? 0] ?? 0;
    color[to + 1] = green[row[from + 1] ?? 0] ?? 0;
    color[to + 2] = blue[row[from + 2] ?? 0] ?? 0;
    every &= row[from + 3] ?? 0;
  }
  return every === 255;
}

/** @returns whether the row turned out to be opaque */
function readTransparent(
  row: Uint8Array,
  tables: LightTables,
  color: Float32Array,
  alpha: Float32Array,
): boolean {
  const [{ light: red }, { light: green }, { light: blue }] = tables;
  let every = 255;
  for (let i = 0, to = 0, from = 0; i < alpha.length; i += 1, to += 3, from += 4) {
    const code = row[from + 3] ?? 0;
    const cover = code / 255;
    color[to] = cover * (red[row[from] ?? 0] ?? 0);
    color[to + 1] = cover * (green[row[from + 1] ?? 0] ?? 0);
    color[to + 2] = cover * (blue[row[from + 2] ?? 0] ?? 0);
    alpha[i] = cover;
    every &= code;
  }
  return every === 255;
}

function reduceOpaque(
  color: Float32Array,
  { starts, offsets, weights }: LanczosKernel,
  reduced: Float32Array,
): void {
  let tap = 0;
  for (let i = 0, to = 0; i < starts.length; i += 1, to += 3) {
    const end = offsets[i + 1] ?? 0;
    let from = 3 * (starts[i] ?? 0);
    let [red, green, blue] = [0, 0, 0];
    for (; tap < end; tap += 1, from += 3) {
      const weight = weights[tap] ?? 0;
      red += weight * (color[from] ?? 0);
      green += weight * (color[from + 1] ?? 0);
      blue += weight * (color[from + 2] ?? 0);
    }
    reduced[to] = red;
    reduced[to + 1] = green;
    reduced[to + 2] = blue;
  }
}

function reduceTransparent(
  color: Float32Array,
  alpha: Float32Array,
  { starts, offsets, weights }: LanczosKernel,
  reduced: Pick<RowReduction, 'color' | 'alpha' | 'maxAlpha'>,
): void {
  const { color: reducedColor, alpha: reducedAlpha, maxAlpha } = reduced;
  let tap = 0;
  for (let i = 0, to = 0; i < starts.length; i += 1, to += 3) {
    const end = offsets[i + 1] ?? 0;
    let at = starts[i] ?? 0;
    let from = 3 * at;
    let [red, green, blue, cover, most] = [0, 0, 0, 0, 0];
    for (; tap < end; tap += 1, at += 1, from += 3) {
      const weight = weights[tap] ?? 0;
      red += weight * (color[from] ?? 0);
      green += weight * (color[from + 1] ?? 0);
      blue += weight * (color[from + 2] ?? 0);
      const own = alpha[at] ?? 0;
      cover += weight * own;
      if (own > most) most = own;
    }
    reducedColor[to] = red;
    reducedColor[to + 1] = green;
    reducedColor[to + 2] = blue;
    reducedAlpha[i] = cover;
    maxAlpha[i] = most;
  }
}

/**
 * Maximum number of result rows that one source row contributes to: the window spans six of them, so a seventh can at
 * most touch its end.
 */
const maxOpenRows = 7;

/** A row of the result, complete or in progress. */
export interface SummedRow {
  /** Light premultiplied with alpha, three sums per pixel. */
  readonly color: Float32Array<ArrayBuffer>;
  /** Contribution of the rows that are not opaque to the alpha of each pixel. */
  readonly alpha: Float32Array<ArrayBuffer>;
  /** Maximum alpha of those rows for each pixel. */
  readonly maxAlpha: Float32Array<ArrayBuffer>;
  /** Contribution of the opaque rows to the alpha of every pixel. */
  solid: number;
  isOpaque: boolean;
}

/** Alpha of a row that is not opaque, one sample per pixel. */
interface Cover {
  readonly alpha: Float32Array;
  /** Maximum among the source pixels of each pixel. */
  readonly maxAlpha: Float32Array;
}

/**
 * Reduces a picture in height: each row is added to the result rows that it contributes to, so memory does not grow
 * with the reduction.
 */
export class RowAccumulation {
  readonly #kernel: LanczosKernel;
  readonly #take: (row: SummedRow, y: number) => void;
  readonly #sums: Float32Array<ArrayBuffer>;
  readonly #ring: readonly SummedRow[];
  /** Next row of the source. */
  #next = 0;
  /** Range of result rows in progress, excluding `#end`. */
  #first = 0;
  #end = 0;

  /**
   * @param width pixels per row
   * @param source number of source rows
   * @param target number of result rows, not more than in the source
   * @param span part of the source's height to reduce
   * @param take called with each result row in order, which is valid until it returns
   */
  constructor(
    width: number,
    source: number,
    target: number,
    span: Span,
    take: (row: SummedRow, y: number) => void,
  ) {
    this.#kernel = lanczosKernel(source, target, span);
    this.#take = take;
    const length = Math.min(maxOpenRows, target);
    this.#sums = new Float32Array(5 * width * length);
    this.#ring = Array.from({ length }, (_, i) => {
      const sums = this.#sums.subarray(5 * width * i, 5 * width * (i + 1));
      const color = sums.subarray(0, 3 * width);
      const alpha = sums.subarray(3 * width, 4 * width);
      return { color, alpha, maxAlpha: sums.subarray(4 * width), solid: 0, isOpaque: true };
    });
  }

  static bufferBytes(width: number, source: number, target: number): number {
    return 20 * width * Math.min(maxOpenRows, target) + lanczosKernelBytes(source, target);
  }

  /**
   * @param color light premultiplied with alpha, three samples per pixel
   * @param cover null if the row is opaque
   */
  add(color: Float32Array, cover: Cover | null): void {
    const { starts, offsets, weights } = this.#kernel;
    const y = this.#next;
    this.#next += 1;
    while (this.#end < starts.length && (starts[this.#end] ?? 0) <= y) {
      clear(this.#row(this.#end));
      this.#end += 1;
    }
    for (let i = this.#first; i < this.#end; i += 1) {
      const row = this.#row(i);
      const tap = (offsets[i] ?? 0) + y - (starts[i] ?? 0);
      addTo(row, color, cover, weights[tap] ?? 0);
      if (tap + 1 === offsets[i + 1]) {
        this.#take(row, i);
        this.#first = i + 1;
      }
    }
  }

  /** Frees the memory immediately. */
  end(): void {
    freeMemory(this.#sums);
  }

  #row(i: number): SummedRow {
    return this.#ring[i % this.#ring.length] as SummedRow;
  }
}

function clear(row: SummedRow): void {
  row.color.fill(0);
  row.alpha.fill(0);
  row.maxAlpha.fill(0);
  row.solid = 0;
  row.isOpaque = true;
}

function addTo(row: SummedRow, color: Float32Array, cover: Cover | null, weight: number): void {
  addColor(row.color, color, weight);
  if (!cover) {
    row.solid += weight;
    return;
  }
  row.isOpaque = false;
  const { alpha, maxAlpha } = cover;
  const { alpha: sums, maxAlpha: most } = row;
  for (let i = 0; i < alpha.length; i += 1) {
    sums[i] = (sums[i] ?? 0) + weight * (alpha[i] ?? 0);
    const own = maxAlpha[i] ?? 0;
    if (own > (most[i] ?? 0)) most[i] = own;
  }
}

/** Adds whole pixels at a time, which is nearly twice as fast as single samples. */
function addColor(sums: Float32Array, color: Float32Array, weight: number): void {
  for (let i = 0; i < sums.length; i += 3) {
    sums[i] = (sums[i] ?? 0) + weight * (color[i] ?? 0);
    sums[i + 1] = (sums[i + 1] ?? 0) + weight * (color[i + 1] ?? 0);
    sums[i + 2] = (sums[i + 2] ?? 0) + weight * (color[i + 2] ?? 0);
  }
}
