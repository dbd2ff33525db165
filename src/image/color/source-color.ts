import type { SourceImage } from '../formats/registry.ts';
import { type Curves, isNearLinear, srgbCurves } from './curves.ts';
import {
  iccTags,
  type ProfileSpace,
  profileCurves,
  profileSpace,
  readTaggedCodePoints,
} from './icc-reader.ts';
import { isSrgb, withSrgbCurve } from './srgb-profile.ts';
import { type StatedNumbers, statedColor, statedProfile, transferOf } from './stated-color.ts';

/** What a file says of its samples, in terms that all formats share. */
export interface SampleStatement {
  readonly kind: 'grey' | 'rgb' | 'cmyk';
  readonly bitDepth: number;
  /** Kinds of ICC profiles that viewers follow in such a picture; others are ignored. */
  readonly profiles: readonly ProfileSpace[];
  /** What it says other than by a profile; null: nothing, or that it is sRGB. */
  readonly stated: StatedNumbers | null;
}

/** What the samples of a picture mean. */
export interface SourceColor {
  /** The decoded samples' meaning for any container, null: sRGB. A grey profile only with grey pictures. */
  readonly profile: Uint8Array | null;
  /** Of `profile`; `rgb` without one. */
  readonly space: 'rgb' | 'grey' | 'cmyk';
  /**
   * Why the samples cannot go into 8 bits of another container: the light of PQ and HLG is beyond
   * them, code points without a known meaning cannot be translated, and 16 bits on near-linear curves
   * that differ or are tables cannot be brought to another.
   */
  readonly obstacle: 'hdr' | 'unknown' | 'deep' | null;
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
 * What a picture's samples mean. `icc` is the profile that its file carries, if any. Of an AVIF a profile goes before the code
 * points (ISO/IEC 23000-22 §7.3.6.4), of a PNG the order is that of its specification (§4.3).
 */
export function colorOf(image: SourceImage, icc: Uint8Array | null): SourceColor {
  if (icc && profileCounts(icc, image)) return profiledColor(image, icc);
  const stated = statedColor(image);
  if (typeof stated === 'string') return { ...srgb, obstacle: stated };
  const made = stated && statedProfile(stated, image.isGrey);
  return made ? profiledColor(image, made) : srgb;
}

/**
 * Whether viewers follow a profile in this picture. One for another kind of samples is ignored; a
 * grey picture may have one for RGB, since decoders hand it out as such, except in a PNG (third
 * edition §11.3.2.3).
 */
export function profileCounts(icc: Uint8Array, image: SourceImage): boolean {
  const space = profileSpace(icc);
  if (image.type === 'png') {
    return image.colorChunk === 'iCCP' && space === (image.isGrey ? 'grey' : 'rgb');
  }
  if (space === 'grey') return image.isGrey;
  const hasFourInks = image.type === 'jpeg' && image.components.length === 4;
  return hasFourInks ? space === 'cmyk' : space === 'rgb';
}

function profiledColor(image: SourceImage, profile: Uint8Array): SourceColor {
  const space = profileSpace(profile);
  if (space === 'other' || isSrgb(profile)) return srgb;
  if (space === 'cmyk') return { ...srgb, profile, space };
  if (isHdrProfile(profile)) return { ...srgb, profile, space, obstacle: 'hdr' };
  const curves = profileCurves(profile);
  if (!curves) return { ...srgb, profile, space };
  const color = { profile, space, curves, obstacle: null, nearLinear: null };
  if (image.bitDepth !== 16 || !curves.some(isNearLinear)) return color;
  const [red, green, blue] = curves;
  const nearLinear = red === green && red === blue ? withSrgbCurve(profile) : null;
  return nearLinear ? { ...color, nearLinear } : { ...color, obstacle: 'deep' };
}

/** Whether an ICC profile says PQ or HLG in its `cicp` tag, which goes before its curves. */
function isHdrProfile(icc: Uint8Array): boolean {
  const tag = iccTags(icc)?.get('cicp');
  const points = tag ? readTaggedCodePoints(tag) : null;
  return points !== null && transferOf(points.transfer) === 'hdr';
}
