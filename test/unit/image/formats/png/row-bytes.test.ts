import { describe, expect, it } from 'vitest';
import { pngRowBytes } from '../../../../../src/image/formats/png/row-bytes.ts';
import { filteredRows, layouts } from './png-writer.ts';

describe('the bytes of all rows', () => {
  it('of an interlaced picture count every pass with its filter bytes', () => {
    const image = { width: 5, height: 5, colorType: 0, bitDepth: 8, interlaced: true } as const;
    // passes of 1×1, 1×1, 2×1, 1×2, 3×1, 2×3 and 5×2 pixels
    expect(pngRowBytes(image)).toBe(2 + 2 + 3 + 4 + 4 + 9 + 12);
  });

  it('are as many as are written, for every kind and size', () => {
    for (const [colorType, bitDepth] of layouts) {
      for (let size = 1; size <= 9; size += 1) {
        for (const interlaced of [false, true]) {
          const image = { width: size, height: 10 - size, colorType, bitDepth, interlaced };
          const written = filteredRows({ ...image, sample: () => 0 }).length;
          expect(pngRowBytes(image)).toBe(written);
        }
      }
    }
  });
});
