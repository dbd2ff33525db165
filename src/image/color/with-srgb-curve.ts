import { hasLookupTables, iccTags } from './icc-tags.ts';
import { readAdaptation, readXyz } from './icc-values.ts';
import { srgbFunction } from './parametric-function.ts';
import { profileSpace } from './profile-space.ts';
import { matrixProfile } from './rgb-profile.ts';
import { isSrgb } from './srgb-profile.ts';

/**
 * The profile for samples brought from a profile's curves to sRGB's, itself null when that is sRGB.
 * Null when the profile is not made of curves and, for RGB, colorants alone.
 */
export function withSrgbCurve(icc: Uint8Array): { readonly profile: Uint8Array | null } | null {
  const tags = iccTags(icc);
  if (!tags || hasLookupTables(tags)) return null;
  if (profileSpace(icc) === 'grey') return { profile: null };
  const [red, green, blue] = ['rXYZ', 'gXYZ', 'bXYZ'].map((signature) => {
    const tag = tags.get(signature);
    return tag ? readXyz(tag) : null;
  });
  if (!red || !green || !blue) return null;
  const chad = tags.get('chad');
  const profile = matrixProfile({
    colorants: [red, green, blue],
    adaptation: chad ? readAdaptation(chad) : null,
    curve: srgbFunction,
  });
  return { profile: isSrgb(profile) ? null : profile };
}
