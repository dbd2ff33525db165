import type { ImageType, Inspection } from '../inspect/inspection.ts';
import type { Quality } from '../options.ts';
import { autoQuality, equalQuality, sourceQuality } from '../quality.ts';
import type { Source } from '../source.ts';

/** What `quality=auto` means in a format. */
export function automaticQuality(type: ImageType): Quality {
  return autoQuality[type];
}

/**
 * The same, but no finer than what a JPEG still has to give. Reduced to less
 * than half of its sides its damage is gone, and the reduced picture has all
 * the detail that its size can hold.
 * @param reduction side of the result over side of the source
 */
export function automaticQualityFrom(
  image: Inspection,
  type: ImageType,
  reduction: number,
): Quality {
  if (image.type !== 'jpeg' || type === 'png' || reduction < 0.5) return automaticQuality(type);
  return equalQuality(type, sourceQuality(image));
}

/**
 * The same for a PNG that stays one: colours are compared as sRGB's are, so that those which mean
 * something else by far are left alone, and the best is to leave all of them.
 */
export function paletteQuality({ color }: Source, quality: Quality): Quality {
  return color.obstacle || color.nearLinear || quality === 100 ? 'lossless' : quality;
}
