import type { PngColors } from './color-chunks.ts';
import type { PngSamples, RowExpander } from './expansion.ts';

/**
 * One sample of up to 8 bits per pixel: an index into PLTE, or grey. Both are looked up in a table of
 * finished pixels.
 */
export function expandSingle(
  image: PngSamples,
  colors: PngColors,
  target: ArrayBuffer,
): RowExpander {
  const pixels = new Uint32Array(target);
  const table = new Uint32Array(
    (image.colorType === 3 ? paletteTable(colors) : greyTable(image.bitDepth, colors)).buffer,
  );
  if (image.bitDepth === 8) {
    return (row, columns) => {
      for (let x = 0; x < columns; x += 1) pixels[x] = table[row[x + 1] ?? 0] ?? 0;
    };
  }
  // samples are packed from the highest bit of a byte down (PNG third edition §7.2)
  const depth = image.bitDepth;
  const mask = (1 << depth) - 1;
  return (row, columns) => {
    for (let x = 0, at = 1; x < columns; at += 1) {
      const byte = row[at] ?? 0;
      for (let shift = 8 - depth; shift >= 0 && x < columns; shift -= depth, x += 1) {
        pixels[x] = table[(byte >> shift) & mask] ?? 0;
      }
    }
  };
}

/** Indices beyond PLTE are opaque black, as in libpng. */
function paletteTable({ palette, transparency }: PngColors): Uint8Array<ArrayBuffer> {
  const table = new Uint8Array(4 * 256);
  for (let index = 0; index < 256; index += 1) {
    table.set(palette.subarray(3 * index, 3 * index + 3), 4 * index);
    table[4 * index + 3] = transparency[index] ?? 255;
  }
  return table;
}

/**
 * Grey scaled to 8 bits, which is exact for every depth below (§13.12). The transparent value has 16
 * bits; those above the depth do not count (§11.3.1.1).
 */
function greyTable(depth: number, { transparency }: PngColors): Uint8Array<ArrayBuffer> {
  const greatest = (1 << depth) - 1;
  const [, low = -1] = transparency;
  const table = new Uint8Array(4 * 256);
  for (let value = 0; value <= greatest; value += 1) {
    const grey = (value * 255) / greatest;
    const alpha = low >= 0 && value === (low & greatest) ? 0 : 255;
    table.set([grey, grey, grey, alpha], 4 * value);
  }
  return table;
}
