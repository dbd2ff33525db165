import { greyToSrgb } from '../color/grey-to-srgb.ts';
import type { ImageType, Inspection } from '../inspect/inspection.ts';
import type { OptimizeOptions } from '../options.ts';
import { type Refusal, refuseImage } from '../refusal.ts';
import type { Source } from '../source.ts';
import { greyAs } from './grey.ts';

function isCmyk(image: Inspection): boolean {
  return image.type === 'jpeg' && (image.colorSpace === 'cmyk' || image.colorSpace === 'ycck');
}

/** Why the colours of a picture would not survive decoding and coding as `type`, or null. */
export function colorObstacle(
  type: ImageType,
  source: Source,
  background: OptimizeOptions['background'],
): Refusal | null {
  const { image, color } = source;
  if (isCmyk(image)) {
    return refuseImage(
      'The inks of a CMYK picture cannot be carried into another format or size: use format=keep without width and height.',
    );
  }
  if (color.obstacle === 'hdr') {
    return refuseImage(
      'The light of an HDR picture (PQ or HLG) cannot be carried into another format or size: use format=keep without width and height.',
    );
  }
  if (color.obstacle === 'deep') {
    return refuseImage(
      'The 16-bit samples of this picture would show bands in 8 bits under its profile: use format=keep without width and height.',
    );
  }
  if (color.obstacle === 'unknown') {
    return refuseImage(
      'The colour space of this picture is not known well enough to change its format or size: use format=keep without width and height.',
    );
  }
  if (greyAs(type, source, background).toSrgb && color.profile && !greyToSrgb(color.profile)) {
    return refuseImage(
      'The grey profile of this picture cannot be carried into a colour format: use format=keep.',
    );
  }
  return null;
}
