import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { pngResultBytes, writePng } from '../../../../src/image/png/write-png.ts';
import type { Raster } from '../../../../src/image/raster.ts';
import { sample } from '../../../support/pictures.ts';
import { Random } from '../../../support/samples/random.ts';

async function rasterOf(file: Uint8Array): Promise<Raster> {
  const { data, info } = await sharp(file)
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, data: Uint8ClampedArray.from(data) };
}

function noise(width: number, height: number): Raster {
  const random = new Random(3);
  const data = new Uint8ClampedArray(4 * width * height);
  for (let i = 0; i < data.length; i += 1) data[i] = Math.floor(random.unit() * 256);
  return { width, height, data };
}

const channels = { 0: 1, 2: 3, 6: 4 } as const;

describe('a PNG written as its rows go by', () => {
  it.each([0, 2, 6] as const)('of colour type %i holds every sample', async (colorType) => {
    for (const raster of [noise(1, 1), noise(301, 7), noise(5, 900), noise(400, 300)]) {
      const file = writePng(raster, colorType);
      const shown = colorType === 0 ? sharp(file).toColourspace('b-w') : sharp(file);
      const { data, info } = await shown.raw().toBuffer({ resolveWithObject: true });
      expect([info.width, info.height, info.channels]).toEqual([
        raster.width,
        raster.height,
        channels[colorType],
      ]);
      const expected = raster.data.filter((_, i) => i % 4 < channels[colorType]);
      expect(Buffer.compare(data, Buffer.from(expected))).toBe(0);
      expect(file.length).toBeLessThanOrEqual(
        pngResultBytes(raster.width, raster.height, colorType),
      );
    }
  });

  it('is about as small as libpng makes it', async () => {
    for (const name of ['photo.jpg', 'interface.png']) {
      const source = await sample(name);
      const file = writePng(await rasterOf(source), 2);
      const libpng = await sharp(source)
        .removeAlpha()
        .png({ compressionLevel: 9, adaptiveFiltering: true })
        .toBuffer();
      expect(file.length, name).toBeLessThan(1.05 * libpng.length);
    }
  });
});
