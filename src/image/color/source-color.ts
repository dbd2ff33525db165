import { isAcceptedProfile } from './accepted-profile.ts';
import { type Curves, isNearLinear, linearCurves, srgbCurves } from './curves.ts';
import {
  iccTags,
  type ProfileSpace,
  profileCurves,
  profileSpace,
  readTaggedCodePoints,
} from './icc-reader.ts';
import { neutralCurve } from './lut-profile.ts';
import { isSrgb, withSrgbCurve } from './srgb-profile.ts';
import { type StatedNumbers, statedColor, statedProfile, transferOf } from './stated-color.ts';

/** What a file states about its samples, in terms common to all formats. */
export interface SampleStatement {
  readonly kind: 'grey' | 'rgb' | 'cmyk';
  readonly bitDepth: number;
  /** Kinds of ICC profiles that viewers apply to such a picture; others are ignored. */
  readonly profiles: readonly ProfileSpace[];
  /** What it states other than by a profile; null: nothing, or sRGB. */
  readonly stated: StatedNumbers | null;
}

/** The color space of a picture's samples. */
export interface SourceColor {
  /** The profile of the decoded samples, for any container; null: sRGB. A gray profile only for gray pictures. */
  readonly profile: Uint8Array | null;
  /** The space of `profile`; without one, `cmyk` for inks, and `rgb` for all else. */
  readonly space: 'rgb' | 'grey' | 'cmyk';
  /**
   * Why the samples cannot be converted to 8 bits in another container: PQ and HLG exceed their range,
   * unknown code points cannot be translated, and 16-bit samples on near-linear curves cannot be moved
   * to another curve if the curves differ or the profile has lookup tables.
   */
  readonly obstacle: 'hdr' | 'unknown' | 'deep' | null;
  /**
   * Curves to linear light, never decreasing. The same function three times where channels do not differ; that of grays
   * where an RGB profile has only lookup tables, and sRGB's where that cannot be read, or for inks.
   */
  readonly curves: Curves;
  /**
   * For 16-bit pictures with one curve so near to linear that 8 bits would band: the profile to use
   * after samples have been converted from that curve to sRGB's (`sampleTable`). Null for all others.
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

/** For samples that do not represent light, such as a gain map's: code values are processed as if linear. */
export const codeValues: SourceColor = { ...srgb, curves: linearCurves };

/**
 * The color space of a picture's samples, from the file's profile, if any, and from what else the file states.
 * A profile has precedence over numbers (ISO/IEC 23000-22 §7.3.6.4, PNG third edition §4.3).
 */
export function colorOf(samples: SampleStatement, icc: Uint8Array | null): SourceColor {
  if (samples.kind === 'cmyk') {
    const isOfInks = icc !== null && profileCounts(icc, samples);
    return { ...srgb, profile: isOfInks ? icc : null, space: 'cmyk' };
  }
  if (icc && profileCounts(icc, samples)) return profiledColor(samples, icc);
  const color = samples.stated && statedColor(samples.stated);
  if (typeof color === 'string') return { ...srgb, obstacle: color };
  const made = color && statedProfile(color, samples.kind === 'grey');
  return made ? profiledColor(samples, made) : srgb;
}

/**
 * Whether viewers apply a profile to a picture with such samples. One that engines do not accept gives way to what else
 * the file states; if that is nothing, the profile stays for viewers that are less strict.
 */
export function profileCounts(icc: Uint8Array, { profiles, stated }: SampleStatement): boolean {
  return profiles.includes(profileSpace(icc)) && (stated === null || isAcceptedProfile(icc));
}

function profiledColor({ bitDepth }: SampleStatement, profile: Uint8Array): SourceColor {
  const space = profileSpace(profile);
  if (space === 'other' || space === 'cmyk' || isSrgb(profile)) return srgb;
  if (isHdrProfile(profile)) return { ...srgb, profile, space, obstacle: 'hdr' };
  const curves = profileCurves(profile);
  if (!curves) {
    const neutral = neutralCurve(profile);
    return { ...srgb, profile, space, ...(neutral && { curves: [neutral, neutral, neutral] }) };
  }
  const color = { profile, space, curves, obstacle: null, nearLinear: null };
  if (bitDepth !== 16 || !curves.some(isNearLinear)) return color;
  const [red, green, blue] = curves;
  const nearLinear = red === green && red === blue ? withSrgbCurve(profile) : null;
  return nearLinear ? { ...color, nearLinear } : { ...color, obstacle: 'deep' };
}

/** Whether an ICC profile states PQ or HLG in its `cicp` tag, which has precedence over its curves. */
function isHdrProfile(icc: Uint8Array): boolean {
  const tag = iccTags(icc)?.get('cicp');
  const points = tag ? readTaggedCodePoints(tag) : null;
  return points !== null && transferOf(points.transfer) === 'hdr';
}
