import sharp from 'sharp';
import type { CorpusFile } from '../harness/section.ts';

/** The photo with the most pixels. */
export async function largestPhoto(photos: readonly CorpusFile[]): Promise<CorpusFile> {
  const sized = await Promise.all(
    photos.map(async (photo) => {
      const { width, height } = await sharp(photo.bytes).metadata();
      return { photo, pixels: width * height };
    }),
  );
  const [largest] = sized.sort((a, b) => b.pixels - a.pixels);
  if (!largest) throw new Error('no photo to measure with');
  return largest.photo;
}
