import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import type { Orientation } from '../../../src/image/inspect/inspection.ts';
import { turned } from '../../../src/image/orientation.ts';

const width = 5;
const height = 3;
/** Every pixel tells where it was. */
const data = Uint8ClampedArray.from({ length: width * height * 4 }, (_, i) => i * 3);

describe('turning a raster upright', () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8] as const)(
    'agrees with sharp on orientation %i',
    async (orientation) => {
      const ours = turned({ width, height, data: data.slice() }, orientation);
      const theirs = await rotatedBySharp(orientation);
      expect([ours.width, ours.height]).toEqual([theirs.info.width, theirs.info.height]);
      expect(Buffer.from(ours.data)).toEqual(theirs.data);
    },
  );
});

async function rotatedBySharp(orientation: Orientation) {
  const raw = { width, height, channels: 4 as const };
  const tagged = await sharp(data, { raw }).withMetadata({ orientation }).png().toBuffer();
  return sharp(tagged).autoOrient().raw().toBuffer({ resolveWithObject: true });
}
