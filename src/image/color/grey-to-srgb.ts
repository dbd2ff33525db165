import { greyCurve } from './grey-curve.ts';
import { profileSpace } from './profile-space.ts';
import { srgbCode } from './srgb-curve.ts';

/**
 * From 8-bit codes of a grey profile to 8-bit sRGB codes of the same luminance relative to white, 256
 * of them: relative colorimetric rendering. Null for what is not a grey profile with a readable curve.
 */
export function greyToSrgb(icc: Uint8Array): Uint8Array | null {
  const curve = profileSpace(icc) === 'grey' ? greyCurve(icc) : null;
  if (!curve) return null;
  return Uint8Array.from({ length: 256 }, (_, code) =>
    Math.round(255 * srgbCode(curve(code / 255))),
  );
}
