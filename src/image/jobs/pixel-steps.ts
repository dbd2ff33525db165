import type { PixelSteps } from '../engines/pixel-steps.ts';
import type { ImageType } from '../inspect/inspection.ts';
import { turnOf } from '../orientation.ts';
import { codedTarget, type ResizeTarget } from '../pixels/resize-target.ts';
import type { Source } from '../source.ts';

/** What happens to the pixels of a picture between decoding and coding it as `type`. */
export function pixelSteps(
  type: ImageType,
  { image }: Source,
  target: ResizeTarget | null,
  background: PixelSteps['background'],
): Omit<PixelSteps, 'toSrgb'> {
  // the tag goes on with the file where the format stays and has one
  const turn = type === image.type && type !== 'avif' ? 1 : turnOf(image);
  const base = image.type === 'avif' ? image.cleanAperture : null;
  return {
    target: codedTarget(target, image, base, turnOf(image)),
    turn,
    background: type === 'jpeg' && image.hasAlpha ? background : null,
  };
}
