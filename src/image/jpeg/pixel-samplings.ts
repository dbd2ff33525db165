import type { Sampling } from './frame-geometry.ts';
import type { JpegSettings } from './jpeg-settings.ts';

/**
 * From this quality on pixels keep all of their chroma; below it only where it would be missed.
 * Photos look better for their bytes with halved chroma up to here; coloured lines do not.
 */
const fullChroma = 88;

const plain: Sampling = { horizontal: 1, vertical: 1 };
const full = [plain, plain, plain];
const halved = [{ horizontal: 2, vertical: 2 }, plain, plain];

/** The samplings to be tried for pixels, in this order; the last one does for every picture. */
export function pixelSamplings({
  quality,
  grey,
}: Pick<JpegSettings, 'quality' | 'grey'>): readonly (readonly Sampling[])[] {
  if (grey) return [[plain]];
  return quality < fullChroma ? [halved, full] : [full];
}
