import { describe, expect, it } from 'vitest';
import type { PngInspection } from '../../../../../src/image/formats/png/inspect.ts';
import { runPngKernel } from '../../../../../src/image/formats/png/kernel.ts';
import { pngReadingBytes } from '../../../../../src/image/formats/png/memory.ts';
import {
  allocateExpandedRow,
  ImageData,
  PngSource,
} from '../../../../../src/image/formats/png/read.ts';
import { runAtOnce } from '../../../../../src/image/slices.ts';
import { arena } from '../../../../../src/image/wasm/arena.ts';
import { layouts, pngWith } from './png-writer.ts';
import { inspection } from './reading.ts';

/** Memory that a kernel has allocated before the first row. */
function takenBy(image: PngInspection, file: Uint8Array): number {
  const data = new ImageData(file);
  return runAtOnce(
    runPngKernel(data, function* (kernel) {
      new PngSource(kernel, data, image, new Uint8Array(65_536)).begin();
      allocateExpandedRow(kernel, image);
      return kernel.taken();
    }),
  );
}

describe('the memory of reading', () => {
  it('is what was predicted, for every kind and size', () => {
    for (const [colorType, bitDepth] of layouts) {
      for (const [width, height] of [
        [1, 1],
        [3, 9],
        [9, 3],
        [4001, 20],
      ] as const) {
        for (const interlaced of [false, true]) {
          const sample = () => 0;
          const palette = colorType === 3 ? { palette: new Uint8Array(6) } : {};
          const size = { width, height, colorType, bitDepth, interlaced };
          const file = pngWith({ ...size, sample, ...palette }, new Uint8Array(40_000));
          const image = inspection(file);
          if (!image) throw new Error('not a PNG');
          expect(takenBy(image, file)).toBe(pngReadingBytes(image));
        }
      }
    }
  });

  it('has no end where a row alone is more than the arena may hold', () => {
    const size = { height: 1, colorType: 0, bitDepth: 1, interlaced: false } as const;
    expect(pngReadingBytes({ ...size, width: 2 ** 31 - 1 })).toBe(Number.POSITIVE_INFINITY);
  });

  it('is that of a cursor and three rows, however high the picture is', () => {
    const size = { width: 4000, colorType: 6, bitDepth: 8, interlaced: false } as const;
    const bytes = pngReadingBytes({ ...size, height: 3000 });
    expect(bytes).toBe(pngReadingBytes({ ...size, height: 100_000 }));
    expect(bytes).toBeLessThan(0.25 * 2 ** 20 + 3 * 16_000);
    expect(arena.bytes).toBeGreaterThan(bytes);
  });
});
