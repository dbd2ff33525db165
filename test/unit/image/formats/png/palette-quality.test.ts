import { describe, expect, it } from 'vitest';
import { paletteTarget } from '../../../../../src/image/formats/png/palette-candidates.ts';

describe('paletteTarget', () => {
  it('asks at 80 for what was found good enough on graphics', () => {
    expect(paletteTarget(80)).toEqual({
      enough: 1e-7,
      hopeless: 1.5e-4,
      maxShownError: 2e-4,
      reducesFew: false,
      minScore: null,
    });
  });

  it('asks for more with every step of quality', () => {
    for (let quality = 2; quality <= 100; quality += 1) {
      const less = paletteTarget(quality - 1);
      const more = paletteTarget(quality);
      expect(more.enough).toBeLessThan(less.enough);
      expect(more.hopeless).toBeLessThan(less.hopeless);
      expect(more.maxShownError).toBeLessThan(less.maxShownError);
      expect(more.enough).toBeGreaterThan(0);
    }
  });
});
