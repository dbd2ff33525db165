import type { Inspection } from '../inspect/inspection.ts';
import { type Curves, srgbCurves } from './curves.ts';
import { isHdrProfile } from './hdr-profile.ts';
import { isNearLinear } from './near-linear.ts';
import { profileCurves } from './profile-curves.ts';
import { profileSpace } from './profile-space.ts';
import { isSrgb } from './srgb-profile.ts';
import { statedColor } from './stated-color.ts';
import { statedProfile } from './stated-profile.ts';
import { withSrgbCurve } from './with-srgb-curve.ts';

/** What the samples of a picture mean. */
export interface SourceColor {
  /** The decoded samples' meaning for any container, null: sRGB. A grey profile only with grey pictures. */
  readonly profile: Uint8Array | null;
  /** Of `profile`; `rgb` without one. */
  readonly space: 'rgb' | 'grey' | 'cmyk';
  /**
   * Why the samples cannot go into 8 bits of another container: the light of PQ and HLG is beyond
   * them, and code points without a known meaning cannot be translated.
   */
  readonly obstacle: 'hdr' | 'unknown' | null;
  /**
   * For work in linear light; they never fall. One function three times where channels do not
   * differ; sRGB's where the profile has lookup tables only, or is not for RGB or grey.
   */
  readonly curves: Curves;
  /**
   * Of 16-bit pictures with one curve so near to linear that 8 bits would band: the profile to use
   * once samples were brought from that curve to sRGB's (`sampleTable`). Null for all others.
   */
  readonly nearLinear: { readonly profile: Uint8Array | null } | null;
}

const srgb: SourceColor = {
  profile: null,
  space: 'rgb',
  obstacle: null,
  curves: srgbCurves,
  nearLinear: null,
};

/**
 * What a picture's samples mean. `icc` is the profile that its file carries, if any; one for another
 * kind of picture counts for nothing, as in every viewer. Of an AVIF a profile goes before the code
 * points (ISO/IEC 23000-22 §7.3.6.4), of a PNG the order is that of its specification (§4.3).
 */
export function colorOf(image: Inspection, icc: Uint8Array | null): SourceColor {
  const counts = image.type !== 'png' || image.colorChunk === 'iCCP';
  if (icc && counts) return fits(icc, image) ? profiledColor(image, icc) : srgb;
  const stated = statedColor(image);
  if (typeof stated === 'string') return { ...srgb, obstacle: stated };
  const made = stated && statedProfile(stated, image.isGrey);
  return made ? profiledColor(image, made) : srgb;
}

function fits(icc: Uint8Array, image: Inspection): boolean {
  const hasFourInks = image.type === 'jpeg' && image.components.length === 4;
  const space = profileSpace(icc);
  if (space === 'grey') return image.isGrey;
  return hasFourInks ? space === 'cmyk' : space === 'rgb';
}

function profiledColor(image: Inspection, profile: Uint8Array): SourceColor {
  const space = profileSpace(profile);
  if (space === 'other' || isSrgb(profile)) return srgb;
  if (space === 'cmyk') return { ...srgb, profile, space };
  if (isHdrProfile(profile)) return { ...srgb, profile, space, obstacle: 'hdr' };
  const curves = profileCurves(profile);
  if (!curves) return { ...srgb, profile, space };
  const [red, green, blue] = curves;
  const bands = image.bitDepth === 16 && red === green && red === blue && isNearLinear(red);
  return {
    ...{ profile, space, curves, obstacle: null },
    nearLinear: bands ? withSrgbCurve(profile) : null,
  };
}
