import sharp from 'sharp';
import { expect, it } from 'vitest';
import type { OutputType } from '../../../../src/image/formats/facts.ts';
import { sourceQuality } from '../../../../src/image/formats/jpeg/quantization-tables.ts';
import { inspect } from '../../../../src/image/formats/registry.ts';
import { cappedTarget, usualQuality, usualScore } from '../../../../src/image/pipeline/quality.ts';

it.each([5, 25, 50, 75, 80, 90, 95, 100])(
  'a JPEG that libjpeg wrote at quality %i is recognized as such',
  async (quality) => {
    const raw = { width: 16, height: 16, channels: 3 as const };
    const file = await sharp(Buffer.alloc(768, 90), { raw }).jpeg({ quality }).toBuffer();
    const inspected = inspect(file);
    if (inspected.kind !== 'image' || inspected.image.type !== 'jpeg') throw new Error('no JPEG');
    expect(sourceQuality(inspected.image)).toBe(quality);
  },
);

it('a conversion shows no more than the JPEG that it was made from, but is not visibly worse than a coarse one', async () => {
  const raw = { width: 16, height: 16, channels: 3 as const };
  const targetFor = async (
    quality: number,
    reduction = 1,
    type: OutputType = 'webp',
    target = 77,
  ) => {
    const file = await sharp(Buffer.alloc(768, 90), { raw }).jpeg({ quality }).toBuffer();
    const inspected = inspect(file);
    if (inspected.kind !== 'image') throw new Error('no JPEG');
    return cappedTarget({ target, maxBytes: null }, type, inspected.image, reduction).target;
  };
  expect(await targetFor(95)).toBe(77);
  expect(await targetFor(60)).toBeLessThan(72);
  expect(await targetFor(60)).toBeGreaterThan(55);
  for (const quality of [2, 20, 40]) expect(await targetFor(quality)).toBe(66);
  expect(await targetFor(20, 1, 'webp', 86)).toBe(66);
  expect(await targetFor(20, 1, 'avif', 40)).toBe(40);
  expect(await targetFor(60, 0.4)).toBe(77);
  // a palette is not about detail
  expect(await targetFor(60, 1, 'png')).toBe(77);
});

it('the quality that a target stands for rises with it, and is told back', () => {
  expect(usualQuality('png', 77)).toBe(80);
  for (const type of ['jpeg', 'webp', 'avif', 'png'] as const) {
    for (let target = 40; target <= 86; target += 1) {
      const quality = usualQuality(type, target);
      expect(quality).toBeGreaterThanOrEqual(usualQuality(type, target - 1));
      expect(Math.abs(usualScore(type, quality) - target)).toBeLessThan(2);
    }
  }
});
