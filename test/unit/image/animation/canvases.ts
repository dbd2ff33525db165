import type { Canvas } from '../../../../src/image/animation/timeline.ts';
import type { RowSource } from '../../../../src/image/pixels/row-source.ts';
import { forEachRowOf } from '../../../../src/image/pixels/row-source.ts';
import { runAtOnce } from '../../../../src/image/slices.ts';

/** The opaque color that a letter stands for; a dot is transparent. */
export function colorOf(letter: string): number {
  return letter === '.' ? 0 : (0xff000000 | (letter.charCodeAt(0) * 0x010101)) >>> 0;
}

/** A picture as text: rows from the top, a letter for each pixel. */
export function canvasOf(...rows: readonly string[]): Canvas {
  const width = rows[0]?.length ?? 0;
  const pixels = Uint32Array.from([...rows.join('')].map(colorOf));
  return { width, height: rows.length, pixels };
}

/** Rows of the same form, to be drawn. */
export function rowsOf(...rows: readonly string[]): RowSource {
  const { width, height, pixels } = canvasOf(...rows);
  return wordRows(
    width,
    Array.from({ length: height }, (_, y) => pixels.slice(y * width, (y + 1) * width)),
  );
}

/** Rows of words of RGBA. */
export function wordRows(width: number, rows: readonly ArrayLike<number>[]): RowSource {
  let y = 0;
  return {
    width,
    height: rows.length,
    *start() {
      y = 0;
    },
    *next() {
      const words = Uint32Array.from(rows[y] ?? []);
      y += 1;
      return new Uint8Array(words.buffer);
    },
    *end() {},
  };
}

/** A picture as `canvasOf` takes it; a color that no letter stands for is a question mark. */
export function textOf({ width, height, pixels }: Canvas): string[] {
  return Array.from({ length: height }, (_, y) =>
    Array.from(pixels.subarray(y * width, (y + 1) * width), letterOf).join(''),
  );
}

/** Rows as text, read once. */
export function rowTexts(rows: RowSource): string[] {
  const texts: string[] = [];
  runAtOnce(
    forEachRowOf(rows, (row) => {
      const words = new Uint32Array(row.buffer, row.byteOffset, rows.width);
      texts.push(Array.from(words, letterOf).join(''));
    }),
  );
  return texts;
}

function letterOf(word: number): string {
  if (word === 0) return '.';
  const letter = String.fromCharCode(word & 0xff);
  return colorOf(letter) === word ? letter : '?';
}
