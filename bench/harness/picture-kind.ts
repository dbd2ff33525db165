import sharp from 'sharp';
import type { SourceImage } from '../../src/image/formats/registry.ts';
import { inspect } from '../../src/image/formats/registry.ts';
import type { Corpus } from './section.ts';

/** The part of the corpus that a picture belongs to. */
export type Kind = Exclude<keyof Corpus, 'name'>;

export interface Look {
  readonly kind: Kind;
  readonly pixels: number;
}

const leastSide = 64;
const leastPhotoPixels = 1e6;
/** Screenshots with soft shadows come to some 6,000; Kodak's photos begin at 13,000. */
const leastPhotoColours = 8192;

/**
 * What can be shown with a picture, judged by its content; undefined for one that no coder here is to
 * be measured with: tiny, animated, of 16 bits, without three colour components, broken, a small JPEG.
 */
export async function kindOf(file: Uint8Array): Promise<Look | undefined> {
  const result = inspect(file);
  if (result.kind !== 'image' || !isUsual(result.image)) return undefined;
  const { type, width, height } = result.image;
  const pixels = width * height;
  if (type === 'jpeg' && pixels < leastPhotoPixels) return undefined;
  try {
    if (type !== 'jpeg') return { kind: kindOfPixels(await rgba(file)), pixels };
    // all of it is read, but not all of it kept
    await sharp(file, { failOn: 'warning' }).resize(leastSide).raw().toBuffer();
    return { kind: 'photos', pixels };
  } catch {
    return undefined;
  }
}

function isUsual(image: SourceImage): boolean {
  if (image.frames > 1 || Math.min(image.width, image.height) < leastSide) return false;
  if (image.type === 'jpeg') return image.colorSpace === 'ycbcr';
  return image.type === 'png' && image.bitDepth <= 8;
}

function rgba(file: Uint8Array): Promise<Buffer> {
  const picture = sharp(file, { failOn: 'warning' }).toColourspace('srgb').ensureAlpha();
  return picture.raw().toBuffer();
}

function kindOfPixels(data: Uint8Array): Kind {
  const isKnown = new Uint8Array(2 ** 24);
  let colours = 0;
  for (let at = 0; at < data.length; at += 4) {
    if (data[at + 3] !== 255) return 'translucent';
    const [red = 0, green = 0, blue = 0] = [data[at], data[at + 1], data[at + 2]];
    const colour = (red << 16) | (green << 8) | blue;
    if (isKnown[colour]) continue;
    isKnown[colour] = 1;
    colours += 1;
  }
  return colours >= leastPhotoColours ? 'exactPhotos' : 'graphics';
}
