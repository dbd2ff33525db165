import sharp from 'sharp';
import { expect, it } from 'vitest';
import { sourceQuality } from '../../../../src/image/formats/jpeg/quantization-tables.ts';
import { inspect } from '../../../../src/image/formats/registry.ts';
import { equalQuality } from '../../../../src/image/pipeline/quality.ts';

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

it('a conversion shows no more than the JPEG that it was made from', () => {
  expect(equalQuality('webp', 95)).toBe(86);
  expect(equalQuality('webp', 72)).toBe(82);
  expect(equalQuality('avif', 72)).toBe(66);
  expect(equalQuality('avif', 5)).toBe(20);
});
