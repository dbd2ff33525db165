import type { ImageType } from '../inspect/inspection.ts';
import type { OptimizeOptions } from '../options.ts';
import type { Source } from '../source.ts';

/** How a grey picture is coded. */
export interface GreyCoding {
  /** As one component, where the format knows that. */
  readonly grey: boolean;
  /** Its samples leave their grey profile for sRGB first. */
  readonly toSrgb: boolean;
}

/**
 * A grey picture stays one where the format can hold it and its profile, if it
 * has one, is for grey. WebP and AVIF take profiles for RGB only; so does a
 * JPEG that a coloured ground shows through.
 */
export function greyAs(
  type: ImageType,
  { image, color }: Source,
  background: OptimizeOptions['background'],
): GreyCoding {
  const ground = type === 'jpeg' && image.hasAlpha ? background : null;
  const holdsGrey = type === 'jpeg' ? !(ground && isColored(ground)) : type === 'png';
  const profile = (color.nearLinear ?? color).profile;
  if (!image.isGrey) return { grey: false, toSrgb: false };
  if (!profile) return { grey: holdsGrey, toSrgb: false };
  if (color.space !== 'grey') return { grey: false, toSrgb: false };
  return { grey: holdsGrey, toSrgb: !holdsGrey };
}

function isColored([red, green, blue]: readonly [number, number, number]): boolean {
  return red !== green || green !== blue;
}
