import { isSrgbCurve, srgbCode, srgbFunction } from './curves.ts';
import {
  greyCurve,
  hasLookupTables,
  iccTags,
  profileSpace,
  readAdaptation,
  readCurve,
  readTaggedCodePoints,
  readXyz,
} from './icc-reader.ts';
import { matrixProfile } from './icc-writer.ts';
import type { Vector } from './primaries.ts';

/**
 * sRGB's primaries as stated in a profile, adapted to D50 by the Bradford transform.
 * Source: IEC 61966-2-1, ICC.1:2022 annex E.
 */
const srgbColorants: readonly (readonly [string, Vector])[] = [
  ['r', [0.43607, 0.22249, 0.01392]],
  ['g', [0.38515, 0.71687, 0.09708]],
  ['b', [0.14307, 0.06061, 0.7141]],
];

const colorantTolerance = 0.001;

/**
 * Whether an ICC profile is equivalent to sRGB, so that a picture looks the same without it.
 *
 * Judged by its contents, never by its name: an RGB matrix/TRC profile with colorants within 0.001 of
 * sRGB's, curves within 1/255, and no lookup tables. False for unreadable profiles.
 * Sources: ICC.1:2022 §7, §8.3.3, §10.
 */
export function isSrgb(icc: Uint8Array): boolean {
  const tags = iccTags(icc);
  if (!tags || profileSpace(icc) !== 'rgb' || hasLookupTables(tags)) return false;
  // color engines that know this tag prefer it over matrix and curves
  const codePoints = tags.get('cicp');
  if (codePoints && !isSrgbCodePoints(codePoints)) return false;
  return srgbColorants.every(([channel, expected]) => {
    const colorant = tags.get(`${channel}XYZ`);
    const curve = tags.get(`${channel}TRC`);
    return colorant && curve && isNear(colorant, expected) && hasSrgbCurve(curve);
  });
}

function isSrgbCodePoints(tag: Uint8Array): boolean {
  const points = readTaggedCodePoints(tag);
  return points?.primaries === 1 && points.transfer === 13;
}

function isNear(tag: Uint8Array, expected: Vector): boolean {
  const colorant = readXyz(tag);
  if (!colorant) return false;
  return expected.every((value, i) => Math.abs(value - (colorant[i] ?? 0)) <= colorantTolerance);
}

function hasSrgbCurve(tag: Uint8Array): boolean {
  const curve = readCurve(tag);
  return curve !== null && isSrgbCurve(curve);
}

/**
 * The profile for samples converted from a profile's curves to sRGB's; `profile` is null if that is sRGB. Returns null
 * if the profile does not consist of curves and, for RGB, colorants alone.
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

/**
 * A table of 256 entries from 8-bit codes of a gray profile to 8-bit sRGB codes of the same luminance relative to white
 * (relative colorimetric rendering). Null unless it is a gray profile with a readable curve.
 */
export function greyToSrgb(icc: Uint8Array): Uint8Array | null {
  const curve = profileSpace(icc) === 'grey' ? greyCurve(icc) : null;
  if (!curve) return null;
  return Uint8Array.from({ length: 256 }, (_, code) =>
    Math.round(255 * srgbCode(curve(code / 255))),
  );
}
