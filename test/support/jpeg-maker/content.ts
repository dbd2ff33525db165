import type { HuffmanTables } from './scan-coder.ts';

/** The parameters of a scan (T.81 §B.2.3); components by index. */
export interface JpegScan {
  components: readonly number[];
  ss: number;
  se: number;
  ah: number;
  al: number;
}

export interface JpegComponent {
  id?: number;
  /** Sampling factors. */
  horizontal?: number;
  vertical?: number;
  /** Index of its quantization table. */
  table?: number;
}

export interface JpegContent {
  width: number;
  height: number;
  components: readonly JpegComponent[];
  /** Quantizer steps by table index, 64 each in zigzag order; all of them 1 if absent. */
  tables?: readonly ArrayLike<number>[];
  /** Writes 16-bit steps, even if 8 bits would be enough. */
  wideTables?: boolean;
  /** A quantized block of component `c` within the picture, in zigzag order. */
  coefficients: (c: number, bx: number, by: number) => ArrayLike<number>;
  /**
   * One sequential scan of all components, one scan for each, or a custom list of scans, which need not be complete:
   * sequential if all of them have all coefficients, otherwise progressive.
   */
  scans?: 'sequential' | 'separate' | readonly JpegScan[];
  /** Interval in MCUs; 0: no restart markers. */
  restartInterval?: number;
  jfif?: boolean;
  /** The color transform in the Adobe segment; no segment if absent. */
  adobe?: 0 | 1 | 2;
  /** Omits the Huffman tables: the file uses the codes of `huffmanTables`, but has no DHT. */
  withoutHuffmanTables?: boolean;
  huffmanTables?: HuffmanTables;
}

/** 64 coefficients of component `c`, in zigzag order. */
export interface Block {
  readonly c: number;
  readonly values: ArrayLike<number>;
}

/** Coefficients and geometry (T.81 §A.1, §A.2). */
export class Picture {
  readonly #content: JpegContent;
  readonly #across: number;
  readonly #down: number;

  constructor(content: JpegContent) {
    this.#content = content;
    this.#across = Math.max(...content.components.map(({ horizontal = 1 }) => horizontal));
    this.#down = Math.max(...content.components.map(({ vertical = 1 }) => vertical));
  }

  get restartInterval(): number {
    return this.#content.restartInterval ?? 0;
  }

  /** The blocks of each MCU of a scan in order, with component and position. */
  *mcus({ components }: JpegScan): Generator<Block[]> {
    const { width, height } = this.#content;
    const [first = 0] = components;
    if (components.length === 1) {
      for (let y = 0; y < this.#blocksDown(first); y += 1) {
        for (let x = 0; x < this.#blocksAcross(first); x += 1) yield [this.#block(first, x, y)];
      }
      return;
    }
    for (let my = 0; my < Math.ceil(height / (8 * this.#down)); my += 1) {
      for (let mx = 0; mx < Math.ceil(width / (8 * this.#across)); mx += 1) {
        yield components.flatMap((c) => this.#unit(c, mx, my));
      }
    }
  }

  #unit(c: number, mx: number, my: number): Block[] {
    const { horizontal = 1, vertical = 1 } = this.#content.components[c] ?? {};
    return Array.from({ length: horizontal * vertical }, (_, i) =>
      this.#block(
        c,
        mx * horizontal + (i % horizontal),
        my * vertical + Math.floor(i / horizontal),
      ),
    );
  }

  /** Blocks that pad an MCU repeat the edge; only their position distinguishes them from others. */
  #block(c: number, x: number, y: number): Block {
    const bx = Math.min(x, this.#blocksAcross(c) - 1);
    const by = Math.min(y, this.#blocksDown(c) - 1);
    return { c, values: this.#content.coefficients(c, bx, by) };
  }

  #blocksAcross(c: number): number {
    const { horizontal = 1 } = this.#content.components[c] ?? {};
    return Math.ceil(Math.ceil((this.#content.width * horizontal) / this.#across) / 8);
  }

  #blocksDown(c: number): number {
    const { vertical = 1 } = this.#content.components[c] ?? {};
    return Math.ceil(Math.ceil((this.#content.height * vertical) / this.#down) / 8);
  }
}

/** Horizontal and vertical sampling factors of the components. */
export type Factors = readonly (readonly [horizontal: number, vertical: number])[];

/** Sampling factors of Cb and Cr with one block each per MCU. */
export const chroma = [
  [1, 1],
  [1, 1],
] as const;

/** Samplings of YCbCr that cameras and programs write. */
export const colorSamplings = {
  '4:4:4': [[1, 1], ...chroma],
  '4:2:2': [[2, 1], ...chroma],
  '4:2:0': [[2, 2], ...chroma],
  '4:4:0': [[1, 2], ...chroma],
  '4:1:1': [[4, 1], ...chroma],
  '4:1:0': [[4, 2], ...chroma],
} as const satisfies Record<string, Factors>;
