import { describe, expect, it } from 'vitest';
import { isTransparent } from '../../../../src/image/pixels/raster.ts';
import { flatten } from '../../../support/rows.ts';

function raster(...pixels: [number, number, number, number][]) {
  return { width: pixels.length, height: 1, data: Uint8ClampedArray.from(pixels.flat()) };
}

describe('alpha', () => {
  it('is found in a single pixel', () => {
    expect(isTransparent(raster([1, 2, 3, 255], [1, 2, 3, 254]))).toBe(true);
    expect(isTransparent(raster([1, 2, 3, 255], [0, 0, 0, 255]))).toBe(false);
  });

  it('gives way to the background in proportion', () => {
    const picture = raster([200, 100, 0, 255], [200, 100, 0, 0], [200, 100, 0, 51]);
    flatten(picture, [0, 100, 255]);
    expect([...picture.data]).toEqual([200, 100, 0, 255, 0, 100, 255, 255, 40, 100, 204, 255]);
  });
});
