import { describe, expect, it } from 'vitest';
import { cropped, type Raster } from '../../../../src/image/pixels/raster.ts';

describe('cutting a part out of a raster', () => {
  it('takes the pixels of the region', () => {
    const { data } = cropped(numbered(5, 4), { left: 2, top: 1, width: 3, height: 2 });
    expect([...new Uint32Array(data.buffer)]).toEqual([7, 8, 9, 12, 13, 14]);
  });

  it('repeats the last pixels where the copy reaches over the edge', () => {
    const { data } = cropped(numbered(3, 2), { left: 1, top: 1, width: 4, height: 2 });
    expect([...new Uint32Array(data.buffer)]).toEqual([4, 5, 5, 5, 4, 5, 5, 5]);
  });
});

/** Every pixel is the number of its place. */
function numbered(width: number, height: number): Raster {
  const pixels = Uint32Array.from({ length: width * height }, (_, i) => i);
  return { width, height, data: new Uint8ClampedArray(pixels.buffer) };
}
