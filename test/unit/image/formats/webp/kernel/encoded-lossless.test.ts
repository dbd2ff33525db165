import { describe, expect, it } from 'vitest';
import { Random } from '../../../../../support/random.ts';
import { encoded, libwebpPixels, type Picture } from './libwebp-pictures.ts';
import { losslessPictures } from './lossless-pictures.ts';
import { decodedLossless, status } from './lossless-stage.ts';

const { photo, translucent, noise, painted } = losslessPictures(new Random(11));

function expectSame(picture: Picture, options: Parameters<typeof encoded>[1]): void {
  const file = encoded(picture, { lossless: 1, ...options });
  const { status: outcome, data, taken, counted } = decodedLossless(file);
  const name = `${picture.width} × ${picture.height}, ${JSON.stringify(options)}`;
  expect(outcome, name).toBe(status.sound);
  expect(data.equals(libwebpPixels(file) ?? Buffer.alloc(0)), name).toBe(true);
  expect(taken, name).toBeLessThanOrEqual(counted);
}

describe('a lossless picture made by libwebp', () => {
  it('decodes the same at every method and quality', { tags: 'slow' }, () => {
    for (const picture of [photo(50, 40), translucent(70, 30), painted(60, 50, 300)]) {
      for (let method = 0; method <= 6; method++) {
        for (const quality of [0, 30, 75, 100]) expectSame(picture, { method, quality });
      }
    }
  });

  it('decodes the same with colours that hardly differ made equal', { tags: 'slow' }, () => {
    for (const near_lossless of [0, 40, 80]) expectSame(photo(90, 60), { near_lossless });
  });

  it('decodes the same with any number of colours', { tags: 'slow' }, () => {
    for (const colors of [1, 2, 3, 4, 5, 15, 16, 17, 60, 255, 256, 257]) {
      for (const width of [1, 7, 8, 9, 64, 101]) {
        expectSame(painted(width, 40, colors), { method: colors & 1 ? 3 : 0 });
      }
    }
  });

  it('decodes the same in every size', { tags: 'slow' }, () => {
    for (let size = 1; size <= 33; size++) {
      expectSame(photo(size, 34 - size), { method: size % 7 });
      expectSame(photo(size, size), { method: (size + 3) % 7 });
      expectSame(noise(34 - size, size), { method: size % 7 });
    }
    expectSame(photo(16_383, 2), { method: 1 });
    expectSame(photo(2, 16_383), { method: 1 });
  });

  it('can be gone through again', () => {
    for (const picture of [photo(60, 50), painted(50, 60, 9), painted(70, 60, 200)]) {
      const file = encoded(picture, { lossless: 1 });
      const { data } = decodedLossless(file, { runs: 3 });
      expect(data.equals(libwebpPixels(file) ?? Buffer.alloc(0))).toBe(true);
    }
  });
});
