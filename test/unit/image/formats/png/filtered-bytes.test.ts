import { describe, expect, it } from 'vitest';
import { runPngKernel } from '../../../../../src/image/formats/png/kernel.ts';
import { type PngRows, setPicture } from '../../../../../src/image/formats/png/read.ts';
import { runAtOnce } from '../../../../../src/image/slices.ts';
import { filteredRows, layouts } from './png-writer.ts';

function filteredBytes(image: PngRows): number {
  return runAtOnce(
    runPngKernel(null, function* (kernel) {
      setPicture(kernel, image);
      return kernel.filteredBytes();
    }),
  );
}

describe('the bytes of all rows', () => {
  it('of an interlaced picture count every pass with its filter bytes', () => {
    const image = { width: 5, height: 5, colorType: 0, bitDepth: 8, interlaced: true } as const;
    // Passes of 1×1, 1×1, 2×1, 1×2, 3×1, 2×3 and 5×2 pixels.
    expect(filteredBytes(image)).toBe(2 + 2 + 3 + 4 + 4 + 9 + 12);
  });

  it('are as many as are written, for every kind and size', () => {
    for (const [colorType, bitDepth] of layouts) {
      for (let size = 1; size <= 9; size += 1) {
        for (const interlaced of [false, true]) {
          const image = { width: size, height: 10 - size, colorType, bitDepth, interlaced };
          const written = filteredRows({ ...image, sample: () => 0 }).length;
          expect(filteredBytes(image)).toBe(written);
        }
      }
    }
  });
});
