import {
  type LanczosKernel,
  lanczosKernel,
  lanczosKernelBytes,
  type Span,
} from './lanczos-kernel.ts';
import type { LightTables } from './light-table.ts';

/**
 * Reduces rows in width, from codes to light premultiplied with alpha. What a
 * row came to stands here until the next one.
 */
export class RowReduction {
  /** Three samples per pixel. */
  readonly color: Float32Array<ArrayBuffer>;
  /** Of a row that is not opaque; stale otherwise. */
  readonly alpha: Float32Array<ArrayBuffer>;
  /** Of such a row: the greatest alpha among the pixels that bear on each. */
  readonly mostAlpha: Float32Array<ArrayBuffer>;
  readonly #tables: LightTables;
  readonly #kernel: LanczosKernel;
  readonly #color: Float32Array<ArrayBuffer>;
  readonly #alpha: Float32Array<ArrayBuffer>;
  #expectsOpaque = true;

  /**
   * @param source pixels per row that come
   * @param target pixels per row that they become, not more
   * @param span part of a row that becomes them
   */
  constructor(source: number, target: number, tables: LightTables, span: Span) {
    const samples = new Float32Array(5 * target + 4 * source);
    const ofSource = samples.subarray(5 * target);
    this.color = samples.subarray(0, 3 * target);
    this.alpha = samples.subarray(3 * target, 4 * target);
    this.mostAlpha = samples.subarray(4 * target, 5 * target);
    this.#color = ofSource.subarray(0, 3 * source);
    this.#alpha = ofSource.subarray(3 * source);
    this.#tables = tables;
    this.#kernel = lanczosKernel(source, target, span);
  }

  static bufferBytes(source: number, target: number): number {
    return 16 * source + 20 * target + lanczosKernelBytes(source, target);
  }

  /**
   * @param row RGBA codes, as many as the source has
   * @returns whether every pixel is opaque
   */
  reduce(row: Uint8Array): boolean {
    if (this.#expectsOpaque) {
      // the quick reading goes astray once per change, rows mostly being like those before
      this.#expectsOpaque = readOpaque(row, this.#tables, this.#color);
    }
    if (!this.#expectsOpaque) {
      this.#expectsOpaque = readTransparent(row, this.#tables, this.#color, this.#alpha);
    }
    if (this.#expectsOpaque) reduceOpaque(this.#color, this.#kernel, this.color);
    else reduceTransparent(this.#color, this.#alpha, this.#kernel, this);
    return this.#expectsOpaque;
  }

  /** Gives the memory back now. */
  end(): void {
    this.color.buffer.transfer(0);
  }
}

/** @returns whether the row is opaque; when not, `color` is not to be used */
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

/** @returns whether the row is opaque after all */
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
  reduced: Pick<RowReduction, 'color' | 'alpha' | 'mostAlpha'>,
): void {
  const { color: reducedColor, alpha: reducedAlpha, mostAlpha } = reduced;
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
    mostAlpha[i] = most;
  }
}
