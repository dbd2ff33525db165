import { describe, expect, it } from 'vitest';
import { maxPixels } from '../../../src/image/pipeline/predicted-memory.ts';
import { bodyLimits } from '../../../src/policy/limits.ts';
import { jpeg, largestPicture, png } from '../../support/inspections.ts';

const megapixels = (pixels: number) => Number((pixels / 1e6).toFixed(1));

describe('what docs/limits.md says beside its table', () => {
  it.each([
    ['jpeg', jpeg],
    ['png', png],
  ] as const)(
    'bounds a %s that stays what it is by its file, and by all pixels',
    { tags: 'slow' },
    (type, make) => {
      const filling = (bytes: number) => largestPicture(make, type, {}, bytes) * bytes;
      expect(filling(1.5) / bodyLimits.maxFileBytes).toBeCloseTo(1, 2);
      expect(filling(0.5) / bodyLimits.maxFileBytes).toBeCloseTo(1, 2);
      expect(megapixels(largestPicture(make, type, {}, 0.1))).toBe(megapixels(maxPixels));
    },
  );

  it('ends a PNG without loss at 17 megapixels', () => {
    expect(largestPicture(jpeg, 'png', { quality: 'lossless' })).toBeCloseTo(17e6, -6);
  });

  it.each([
    ['baseline', 37e6],
    ['progressive', 22e6],
  ] as const)(
    'bounds a rotated %s JPEG that becomes a PNG by its bands',
    { tags: 'slow' },
    (process, pixels) => {
      const rotated = (size: object) => jpeg({ ...size, process, orientation: 6 });
      expect(largestPicture(rotated, 'png')).toBeCloseTo(pixels, -6);
    },
  );
});
