import type { ByteCursor } from '../../container/byte-cursor.ts';
import { broken, type Unreadable } from '../../refusal.ts';

/** Row-major position of each coefficient in zigzag order (ITU-T T.81 figure A.6). */
export const zigzag = [
  0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48, 41, 34, 27, 20,
  13, 6, 7, 14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52,
  45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63,
] as const;

/**
 * Reads the tables of one DQT segment into `tables`, by id, in row-major order; a later table of the
 * same id replaces the earlier one. Source: ITU-T T.81 §B.2.4.1.
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
    // Filled again rather than made again: a file can repeat its tables half a million times.
    const table = tables[id] ?? new Uint16Array(64);
    for (const position of zigzag) table[position] = isWide ? segment.uint16() : segment.uint8();
    if (segment.overrun) return broken('A JPEG quantization table is cut short.');
    tables[id] = table;
  }
  return undefined;
}

/** 64 values of a block, from row-major order to that of the file (ITU-T T.81 figure A.6). */
export function toZigzag(rowMajor: Uint16Array): Uint16Array {
  return Uint16Array.from(zigzag, (position) => rowMajor[position] ?? 0);
}
