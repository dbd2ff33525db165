import { isNearLinear } from '../color/near-linear.ts';
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
 * What a quality comes to for a PNG. Its colours are compared as sRGB's are, so where codes mean light that
 * is spread otherwise by far, all of them are kept.
 */
export function paletteQuality({ color }: Source, quality: Quality): Quality {
  const isComparable = !color.obstacle && !color.curves.some(isNearLinear);
  return isComparable && quality !== 100 ? quality : 'lossless';
}
