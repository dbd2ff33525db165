import {
  type LanczosKernel,
  lanczosKernel,
  lanczosKernelBytes,
  type Span,
} from './lanczos-kernel.ts';

/**
 * Rows of the result that one row of the source can bear on: the window is six
 * of them long, so a seventh can at most touch its end.
 */
const mostOpenRows = 7;

/** A row of the result, complete or growing. */
export interface SummedRow {
  /** Light premultiplied with alpha, three sums per pixel. */
  readonly color: Float32Array<ArrayBuffer>;
  /** What the rows that are not opaque have given to the alpha of each pixel. */
  readonly alpha: Float32Array<ArrayBuffer>;
  /** The greatest alpha that those rows have brought to each pixel. */
  readonly mostAlpha: Float32Array<ArrayBuffer>;
  /** What the opaque rows have given to the alpha of every pixel. */
  solid: number;
  isOpaque: boolean;
}

/** Alpha of a row that is not opaque, one sample per pixel each. */
interface Cover {
  readonly alpha: Float32Array;
  /** The greatest among the pixels that bear on each. */
  readonly mostAlpha: Float32Array;
}

/**
 * Reduces a picture in height: every row is added to those of the result that
 * it bears on, so what is held does not grow with the reduction.
 */
export class RowAccumulation {
  readonly #kernel: LanczosKernel;
  readonly #take: (row: SummedRow, y: number) => void;
  readonly #sums: Float32Array<ArrayBuffer>;
  readonly #ring: readonly SummedRow[];
  /** Of the source. */
  #next = 0;
  /** Of the result: those from `first` to before `end` grow. */
  #first = 0;
  #end = 0;

  /**
   * @param width pixels per row
   * @param source rows that come
   * @param target rows that they become, not more
   * @param span part of the source's height that becomes them
   * @param take is given each row of the result in turn, for as long as it runs
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
    const length = Math.min(mostOpenRows, target);
    this.#sums = new Float32Array(5 * width * length);
    this.#ring = Array.from({ length }, (_, i) => {
      const sums = this.#sums.subarray(5 * width * i, 5 * width * (i + 1));
      const color = sums.subarray(0, 3 * width);
      const alpha = sums.subarray(3 * width, 4 * width);
      return { color, alpha, mostAlpha: sums.subarray(4 * width), solid: 0, isOpaque: true };
    });
  }

  static bufferBytes(width: number, source: number, target: number): number {
    return 20 * width * Math.min(mostOpenRows, target) + lanczosKernelBytes(source, target);
  }

  /**
   * @param color light premultiplied with alpha, three samples per pixel
   * @param cover null: the row is opaque
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

  /** Gives the memory back now. */
  end(): void {
    this.#sums.buffer.transfer(0);
  }

  #row(i: number): SummedRow {
    return this.#ring[i % this.#ring.length] as SummedRow;
  }
}

function clear(row: SummedRow): void {
  row.color.fill(0);
  row.alpha.fill(0);
  row.mostAlpha.fill(0);
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
  const { alpha, mostAlpha } = cover;
  const { alpha: sums, mostAlpha: most } = row;
  for (let i = 0; i < alpha.length; i += 1) {
    sums[i] = (sums[i] ?? 0) + weight * (alpha[i] ?? 0);
    const own = mostAlpha[i] ?? 0;
    if (own > (most[i] ?? 0)) most[i] = own;
  }
}

/** A pixel at a time, which is nearly twice as fast as a sample at a time. */
function addColor(sums: Float32Array, color: Float32Array, weight: number): void {
  for (let i = 0; i < sums.length; i += 3) {
    sums[i] = (sums[i] ?? 0) + weight * (color[i] ?? 0);
    sums[i + 1] = (sums[i + 1] ?? 0) + weight * (color[i + 1] ?? 0);
    sums[i + 2] = (sums[i + 2] ?? 0) + weight * (color[i + 2] ?? 0);
  }
}
