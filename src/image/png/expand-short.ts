import type { PngColors } from './color-chunks.ts';
import type { RowExpander } from './expansion.ts';

/** Several 8-bit samples per pixel: RGB, grey with alpha, RGBA. */
export function expandShort(
  colorType: 2 | 4 | 6,
  { transparency }: PngColors,
  target: ArrayBuffer,
): RowExpander {
  // plain bytes: storing to a clamped array costs a comparison
  const rgba = new Uint8Array(target);
  if (colorType === 6) return (row, columns) => rgba.set(row.subarray(1, 1 + 4 * columns));
  if (colorType === 4) return (row, columns) => expandGreyAlpha(row, columns, rgba);
  // the low bytes of three 16-bit samples (PNG third edition §11.3.1.1)
  const [, red = -1, , green = -1, , blue = -1] = transparency;
  if (red < 0) return (row, columns) => expandRgb(row, columns, rgba);
  const key = (red << 16) | (green << 8) | blue;
  return (row, columns) => expandKeyedRgb(row, columns, rgba, key);
}

function expandGreyAlpha(row: Uint8Array, columns: number, rgba: Uint8Array): void {
  for (let x = 0, from = 1, to = 0; x < columns; x += 1, from += 2, to += 4) {
    const grey = row[from] ?? 0;
    rgba[to] = grey;
    rgba[to + 1] = grey;
    rgba[to + 2] = grey;
    rgba[to + 3] = row[from + 1] ?? 0;
  }
}

function expandRgb(row: Uint8Array, columns: number, rgba: Uint8Array): void {
  for (let x = 0, from = 1, to = 0; x < columns; x += 1, from += 3, to += 4) {
    rgba[to] = row[from] ?? 0;
    rgba[to + 1] = row[from + 1] ?? 0;
    rgba[to + 2] = row[from + 2] ?? 0;
    rgba[to + 3] = 255;
  }
}

function expandKeyedRgb(row: Uint8Array, columns: number, rgba: Uint8Array, key: number): void {
  for (let x = 0, from = 1, to = 0; x < columns; x += 1, from += 3, to += 4) {
    const red = row[from] ?? 0;
    const green = row[from + 1] ?? 0;
    const blue = row[from + 2] ?? 0;
    rgba[to] = red;
    rgba[to + 1] = green;
    rgba[to + 2] = blue;
    rgba[to + 3] = ((red << 16) | (green << 8) | blue) === key ? 0 : 255;
  }
}
