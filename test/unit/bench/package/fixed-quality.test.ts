import { expect, it } from 'vitest';
import { fixedQualityLike } from '../../../../bench/package/fixed-quality.ts';
import type { Photo } from '../../../../bench/package/photos.ts';

const photos: readonly Photo[] = Array.from({ length: 20 }, (_, i) => {
  return { name: `${i}.jpg`, path: `${i}.jpg`, bytes: 1000, megapixels: 1 };
});

/** An encoder whose score rises by this much per step of the quality, and bytes by a hundredth. */
function encoder(pointsPerStep: number) {
  const tried: number[] = [];
  const make = async (some: readonly Photo[], quality: number) => {
    tried.push(quality);
    return some.map(() => ({
      bytes: 100 * 1.01 ** quality,
      score: 75 + (quality - 70) * pointsPerStep,
    }));
  };
  return { tried, make };
}

it.each([0.1, 0.6, 2])(
  'finds the quality with the same mean score, %d points a step',
  async (step) => {
    const { make } = encoder(step);
    const others = photos.map(() => ({ bytes: 500, score: 75 + 8.75 * step }));
    const found = await fixedQualityLike(others, photos, make);
    expect(found.quality).toBe(79);
    expect(found.files).toHaveLength(photos.length);
    expect(found.bytesAtScore).toBeCloseTo(photos.length * 100 * 1.01 ** 78.75, 3);
  },
);

it('tries few qualities where steps are as usual', async () => {
  const { make, tried } = encoder(0.55);
  await fixedQualityLike(
    photos.map(() => ({ bytes: 1, score: 83.4 })),
    photos,
    make,
  );
  expect(tried.length).toBeLessThan(7);
});

it('ends at the last quality if the score is out of reach', async () => {
  const { make } = encoder(0.1);
  const found = await fixedQualityLike(
    photos.map(() => ({ bytes: 1, score: 99 })),
    photos,
    make,
  );
  expect(found.quality).toBe(96);
});
