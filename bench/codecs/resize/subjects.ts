import sharp from 'sharp';
import type { Raster } from '../../../src/image/pixels/raster.ts';
import type { CorpusFile } from '../../harness/section.ts';
import type { Size } from './resizers.ts';

/** A photo in the size that is wanted. */
export async function photoOf({ bytes }: CorpusFile, { width, height }: Size): Promise<Raster> {
  const picture = sharp(bytes).resize(width, height, { fit: 'fill' });
  return {
    width,
    height,
    data: new Uint8ClampedArray(await picture.ensureAlpha().raw().toBuffer()),
  };
}

/** The same with a soft round hole in each square of 256 pixels. */
export function withHoles({ width, height, data }: Raster): Raster {
  const holed = data.slice();
  for (let i = 0; i < width * height; i += 1) {
    const [x, y] = [(i % width) % 256, Math.floor(i / width) % 256];
    holed[4 * i + 3] = 4 * (Math.hypot(x - 128, y - 128) - 60);
  }
  return { width, height, data: holed };
}
