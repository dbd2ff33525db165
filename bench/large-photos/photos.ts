import { readFile } from 'node:fs/promises';
import sharp, { type JpegOptions } from 'sharp';
import { sample } from '../../test/support/pictures.ts';
import { type LargePicture, mostBytes } from './picture.ts';

/** Qualities to choose from: the best one whose file is small enough. */
const qualities = [92, 85, 80, 75, 65, 50, 35, 20];

/** Photos of 24, 100 and 12 megapixels, of which the given one, or else the sample, is the tile. */
export async function largePhotos(path: string | undefined) {
  const tile = path === undefined ? await sample('photo.jpg') : await readFile(path);
  const common = { chromaSubsampling: '4:2:0' } as const;
  return {
    progressive: await tiled(tile, 6000, 4000, { ...common, progressive: true }),
    huge: await tiled(tile, 11_600, 8600, common),
    usual: await tiled(tile, 4000, 3000, common),
  };
}

async function tiled(
  tile: Uint8Array,
  width: number,
  height: number,
  options: JpegOptions,
): Promise<LargePicture> {
  // a tile as large as the picture at the most, upright and without a profile
  const input = await sharp(tile)
    .autoOrient()
    .resize({ width, height, fit: 'outside', withoutEnlargement: true })
    .png({ compressionLevel: 1 })
    .toBuffer();
  const part = await sharp(input)
    .resize({ width, height, fit: 'cover', withoutEnlargement: true })
    .png({ compressionLevel: 1 })
    .toBuffer();
  const background = { r: 0, g: 0, b: 0 };
  for (const quality of qualities) {
    const empty = sharp({
      create: { width, height, channels: 3, background },
      limitInputPixels: false,
    });
    const file = await empty
      .composite([{ input: part, tile: true }])
      .jpeg({ ...options, quality })
      .toBuffer();
    if (file.length > mostBytes) continue;
    const process = options.progressive ? 'progressive' : 'baseline';
    const megapixels = ((width * height) / 1e6).toFixed(0);
    const name = `${megapixels} MP ${process}, quality ${quality}`;
    return { name, type: 'jpeg', file: new Uint8Array(file) };
  }
  throw new RangeError('a photo too rich in detail to be tiled');
}
