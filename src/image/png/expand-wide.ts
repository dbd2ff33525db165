import type { PngColorType } from '../inspect/inspection.ts';
import type { PngColors } from './color-chunks.ts';
import type { RowExpander } from './expansion.ts';

/** 16-bit samples, the high byte first (PNG third edition §7.1), in pixels of one to four. */
export function expandWide(
  colorType: PngColorType,
  { transparency }: PngColors,
  to8: Uint8Array | null,
  target: ArrayBuffer,
): RowExpander {
  const rgba = new Uint8Array(target);
  const table = to8 ?? Uint8Array.from({ length: 65_536 }, (_, sample) => rounded(sample));
  const hasAlpha = colorType === 4 || colorType === 6;
  const key = hasAlpha ? [] : wideSamples(transparency);
  if (colorType === 2 || colorType === 6) {
    return (row, columns) => expandWideRgb(row, columns, rgba, table, hasAlpha, key);
  }
  return (row, columns) => expandWideGrey(row, columns, rgba, table, hasAlpha, key);
}

/** round(sample × 255 / 65535) for every 16-bit sample. */
function rounded(sample: number): number {
  return (sample * 255 + 32_895) >> 16;
}

function wideSamples(bytes: Uint8Array): number[] {
  const samples: number[] = [];
  for (let at = 0; at + 1 < bytes.length; at += 2) samples.push(wideSample(bytes, at));
  return samples;
}

function wideSample(row: Uint8Array, at: number): number {
  return ((row[at] ?? 0) << 8) | (row[at + 1] ?? 0);
}

function expandWideRgb(
  row: Uint8Array,
  columns: number,
  rgba: Uint8Array,
  to8: Uint8Array,
  hasAlpha: boolean,
  [keyRed = -1, keyGreen = -1, keyBlue = -1]: readonly number[],
): void {
  const step = hasAlpha ? 8 : 6;
  for (let x = 0, from = 1, to = 0; x < columns; x += 1, from += step, to += 4) {
    const red = wideSample(row, from);
    const green = wideSample(row, from + 2);
    const blue = wideSample(row, from + 4);
    rgba[to] = to8[red] ?? 0;
    rgba[to + 1] = to8[green] ?? 0;
    rgba[to + 2] = to8[blue] ?? 0;
    if (hasAlpha) rgba[to + 3] = rounded(wideSample(row, from + 6));
    else rgba[to + 3] = red === keyRed && green === keyGreen && blue === keyBlue ? 0 : 255;
  }
}

function expandWideGrey(
  row: Uint8Array,
  columns: number,
  rgba: Uint8Array,
  to8: Uint8Array,
  hasAlpha: boolean,
  [key = -1]: readonly number[],
): void {
  const step = hasAlpha ? 4 : 2;
  for (let x = 0, from = 1, to = 0; x < columns; x += 1, from += step, to += 4) {
    const sample = wideSample(row, from);
    const grey = to8[sample] ?? 0;
    rgba[to] = grey;
    rgba[to + 1] = grey;
    rgba[to + 2] = grey;
    if (hasAlpha) rgba[to + 3] = rounded(wideSample(row, from + 2));
    else rgba[to + 3] = sample === key ? 0 : 255;
  }
}
