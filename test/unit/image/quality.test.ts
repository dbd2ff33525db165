import sharp from 'sharp';
import { expect, it } from 'vitest';
import { inspect } from '../../../src/image/inspect/inspect.ts';
import { sourceQuality } from '../../../src/image/quality.ts';

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
