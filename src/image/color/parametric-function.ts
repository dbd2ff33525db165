import type { Curve } from './curves.ts';

/**
 * (a·x + b)^g from x = d on, c·x below: function type 3 of ICC.1:2022 §10.18. A mere power is
 * `{ g, a: 1, b: 0, c: 0, d: 0 }`.
 */
export interface ParametricFunction {
  readonly g: number;
  readonly a: number;
  readonly b: number;
  readonly c: number;
  readonly d: number;
}

/** sRGB's curve (IEC 61966-2-1 §5.2). */
export const srgbFunction: ParametricFunction = {
  g: 2.4,
  a: 1 / 1.055,
  b: 0.055 / 1.055,
  c: 1 / 12.92,
  d: 0.04045,
};

export function powerFunction(g: number): ParametricFunction {
  return { g, a: 1, b: 0, c: 0, d: 0 };
}

/**
 * The curve of a function, with the offsets that type 4 adds: `e` to the power and `f` to the line.
 * Values are clipped to 0–1 (§10.18), and a negative base counts as 0, as in Little CMS.
 */
export function parametricCurve(
  { g, a, b, c, d }: ParametricFunction,
  { e, f } = { e: 0, f: 0 },
): Curve {
  return (code) => {
    const light = code >= d ? Math.max(a * code + b, 0) ** g + e : c * code + f;
    return Math.min(Math.max(light, 0), 1);
  };
}
