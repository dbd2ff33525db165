import { type Curves, isNearLinear, linearCurves, srgbCurves } from './curves.ts';
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
  /** The decoded samples' meaning for any container, null: sRGB. A gray profile only with gray pictures. */
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
   * For work in linear light; they never fall. One function three times where channels do not differ; sRGB's where the
   * profile has lookup tables only, or is not for RGB or gray.
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

/** Of samples that are no light, such as a gain map's: they are worked on as they are coded. */
export const codeValues: SourceColor = { ...srgb, curves: linearCurves };

/**
 * What a picture's samples mean, by the profile that its file carries, if any, and by what else the file
 * says: a profile goes before numbers (ISO/IEC 23000-22 §7.3.6.4, PNG third edition §4.3).
 */
export function colorOf(samples: SampleStatement, icc: Uint8Array | null): SourceColor {
  if (icc && profileCounts(icc, samples)) return profiledColor(samples, icc);
  const color = samples.stated && statedColor(samples.stated);
  if (typeof color === 'string') return { ...srgb, obstacle: color };
  const made = color && statedProfile(color, samples.kind === 'grey');
  return made ? profiledColor(samples, made) : srgb;
}

/** Whether viewers follow a profile in a picture of such samples. */
export function profileCounts(icc: Uint8Array, { profiles }: SampleStatement): boolean {
  return profiles.includes(profileSpace(icc));
}

function profiledColor({ bitDepth }: SampleStatement, profile: Uint8Array): SourceColor {
  const space = profileSpace(profile);
  if (space === 'other' || isSrgb(profile)) return srgb;
  if (space === 'cmyk') return { ...srgb, profile, space };
  if (isHdrProfile(profile)) return { ...srgb, profile, space, obstacle: 'hdr' };
  const curves = profileCurves(profile);
  if (!curves) return { ...srgb, profile, space };
  const color = { profile, space, curves, obstacle: null, nearLinear: null };
  if (bitDepth !== 16 || !curves.some(isNearLinear)) return color;
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
