import { srgbLight } from './srgb-curve.ts';

/** From a code value to light, both 0 to 1. */
export type Curve = (code: number) => number;

/** Of red, green and blue. */
export type Curves = readonly [Curve, Curve, Curve];

export const srgbCurves: Curves = [srgbLight, srgbLight, srgbLight];
