import { greyProfile } from './grey-profile.ts';
import { isSrgbCurve } from './is-srgb-curve.ts';
import { parametricCurve } from './parametric-function.ts';
import { rgbProfile } from './rgb-profile.ts';
import type { StatedColor } from './stated-color.ts';

/**
 * The profile for colours stated by numbers, a grey one for a grey picture: to that, primaries make
 * no difference. Null when it would be sRGB's grey, or of primaries that no display can have.
 */
export function statedProfile(
  { primaries, curve }: Exclude<StatedColor, string>,
  isGrey: boolean,
): Uint8Array<ArrayBuffer> | null {
  if (!isGrey) return rgbProfile({ primaries, curve });
  return isSrgbCurve(parametricCurve(curve)) ? null : greyProfile(curve);
}
