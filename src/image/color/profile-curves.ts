import { sameBytes } from '../containers/byte-strings.ts';
import type { Curve, Curves } from './curves.ts';
import { greyCurve } from './grey-curve.ts';
import { readCurve } from './icc-curve.ts';
import { iccTags } from './icc-tags.ts';
import { profileSpace } from './profile-space.ts';

const probes = 1024;

/**
 * The curves of an RGB or grey profile, one and the same function where channels share one. Null when
 * it has none to read, or one that goes down or nowhere and so cannot be inverted.
 */
export function profileCurves(icc: Uint8Array): Curves | null {
  const curves = profileSpace(icc) === 'grey' ? greyCurves(icc) : rgbCurves(icc);
  return curves?.every(rises) ? curves : null;
}

function greyCurves(icc: Uint8Array): Curves | null {
  const curve = greyCurve(icc);
  return curve && [curve, curve, curve];
}

function rgbCurves(icc: Uint8Array): Curves | null {
  const tags = iccTags(icc);
  const red = tags?.get('rTRC');
  const green = tags?.get('gTRC');
  const blue = tags?.get('bTRC');
  if (!red || !green || !blue) return null;
  const r = readCurve(red);
  const g = sameBytes(red, green) ? r : readCurve(green);
  const b = sameBytes(red, blue) ? r : readCurve(blue);
  return r && g && b && [r, g, b];
}

function rises(curve: Curve): boolean {
  let previous = curve(0);
  if (curve(1) <= previous) return false;
  for (let probe = 1; probe <= probes; probe++) {
    const next = curve(probe / probes);
    if (next < previous) return false;
    previous = next;
  }
  return true;
}
