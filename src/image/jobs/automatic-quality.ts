import type { ImageType, Inspection } from '../inspect/inspection.ts';
import type { Quality } from '../options.ts';
import { autoQuality, equalQuality, sourceQuality } from '../quality.ts';

/** What `quality=auto` means in a format. */
export function automaticQuality(type: ImageType): Quality {
  return type === 'png' ? 'lossless' : autoQuality[type];
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
