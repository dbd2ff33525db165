import { startsWith } from '../containers/byte-strings.ts';
import type { Curve } from './curves.ts';
import { readCurve } from './icc-curve.ts';
import { iccTags } from './icc-tags.ts';

/**
 * From grey code to luminance, by the kTRC of a grey profile, lookup tables or not; null when it has
 * none that can be read. Towards Lab the curve gives lightness (ICC.1:2022 §8.3.4), CIE 1976 L*.
 */
export function greyCurve(icc: Uint8Array): Curve | null {
  const tag = iccTags(icc)?.get('kTRC');
  const curve = tag ? readCurve(tag) : null;
  const givesLightness = startsWith(icc.subarray(20, 24), 'Lab ');
  return curve && givesLightness ? (code) => luminance(curve(code)) : curve;
}

/** From L* of 0–1 to Y of 0–1 (ISO/CIE 11664-4). */
function luminance(lightness: number): number {
  return lightness <= 0.08 ? (lightness * 2700) / 24389 : ((lightness + 0.16) / 1.16) ** 3;
}
