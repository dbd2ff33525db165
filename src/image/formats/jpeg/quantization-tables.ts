import type { ByteCursor } from '../../container/byte-cursor.ts';
import { broken, type Unreadable } from '../../refusal.ts';

/** Row-major position of each coefficient in zigzag order (ITU-T T.81 figure A.6). */
export const zigzag = [
  0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48, 41, 34, 27, 20,
  13, 6, 7, 14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52,
  45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63,
] as const;

/**
 * Reads the tables of one DQT segment into `tables`, by id, in row-major order; a later table replaces
 * an earlier one of its id. Source: ITU-T T.81 §B.2.4.1.
 */
export function readQuantizationTables(
  segment: ByteCursor,
  tables: (Uint16Array | undefined)[],
): Unreadable | undefined {
  while (segment.remaining > 0) {
    const head = segment.uint8();
    const id = head & 15;
    if (id > 3) return broken('The JPEG defines a quantization table with an impossible number.');
    const isWide = head >> 4 !== 0;
    // reused, not reallocated: a file can repeat its tables half a million times
    const table = tables[id] ?? new Uint16Array(64);
    for (const position of zigzag) table[position] = isWide ? segment.uint16() : segment.uint8();
    if (segment.overrun) return broken('A JPEG quantization table is cut short.');
    tables[id] = table;
  }
  return undefined;
}

/** Reorders the 64 values of a block from row-major to zigzag order (ITU-T T.81 figure A.6). */
export function toZigzag(rowMajor: Uint16Array): Uint16Array {
  return Uint16Array.from(zigzag, (position) => rowMajor[position] ?? 0);
}

/**
 * The quality on libjpeg's scale that a JPEG was written with, judged by its
 * luma table: the number whose scaled Annex K table is as fine
 * (ITU-T T.81 Annex K.1; the scaling is libjpeg's `jpeg_quality_scaling`).
 * A table of other origin counts for what its finest steps keep. 100 when unknown.
 */
export function sourceQuality({
  components,
  quantizationTables,
}: {
  readonly components: readonly { readonly quantizationTable: number }[];
  readonly quantizationTables: readonly (Uint16Array | undefined)[];
}): number {
  const table = quantizationTables[components[0]?.quantizationTable ?? 0];
  if (!table) return 100;
  const fineness = finenessOf(table);
  for (let quality = 100; quality > 1; quality -= 1) {
    if (finenessOf(annexKAt(quality - 1)) < fineness) return quality;
  }
  return 1;
}

/** Sum of the reciprocals: coarse steps at high frequencies do not outweigh fine ones. */
function finenessOf(steps: ArrayLike<number>): number {
  return Array.from(steps, (step) => 1 / Math.max(1, step)).reduce((sum, value) => sum + value, 0);
}

/** The Annex K luma table's 64 steps at a libjpeg quality, in its order. */
function annexKAt(quality: number): readonly number[] {
  const percent = quality < 50 ? 5000 / quality : 200 - 2 * quality;
  return annexK.map((step) => Math.min(255, Math.max(1, Math.floor((step * percent + 50) / 100))));
}

/** ITU-T T.81 Table K.1. */
const annexK = [
  16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55, 14, 13, 16, 24, 40, 57, 69, 56,
  14, 17, 22, 29, 51, 87, 80, 62, 18, 22, 37, 56, 68, 109, 103, 77, 24, 35, 55, 64, 81, 104, 113,
  92, 49, 64, 78, 87, 103, 121, 120, 101, 72, 92, 95, 98, 112, 100, 103, 99,
];
