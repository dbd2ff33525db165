import type { HuffmanTables } from './huffman-tables.ts';

/** What a scan codes (T.81 §B.2.3); components by their place. */
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
  /** Which of the quantization tables it has. */
  table?: number;
}

export interface JpegContent {
  width: number;
  height: number;
  components: readonly JpegComponent[];
  /** Steps by number of the table, 64 each in zigzag order; all of them 1 if there are none. */
  tables?: readonly ArrayLike<number>[];
  /** Steps of 16 bits, even where they would do with 8. */
  wideTables?: boolean;
  /** A block of component `c` that belongs to the picture, quantized, in zigzag order. */
  coefficients: (c: number, bx: number, by: number) => ArrayLike<number>;
  /**
   * One sequential scan of all components, one for each, or scans of one's own,
   * which need not be complete: sequential if all of them have all coefficients,
   * else progressive.
   */
  scans?: 'sequential' | 'separate' | readonly JpegScan[];
  /** In MCUs; 0: no restart markers. */
  restartInterval?: number;
  jfif?: boolean;
  /** The transform that the Adobe segment names; no segment without it. */
  adobe?: 0 | 1 | 2;
  /** Leaves the Huffman tables out: the file has the codes of `huffmanTables`, but no DHT. */
  withoutHuffmanTables?: boolean;
  huffmanTables?: HuffmanTables;
}
