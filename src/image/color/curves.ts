/** A function from code value to linear light, both 0 to 1. */
export type Curve = (code: number) => number;

/** The curves of red, green and blue. */
export type Curves = readonly [Curve, Curve, Curve];

export const srgbCurves: Curves = [srgbLight, srgbLight, srgbLight];

const same: Curve = (code) => code;

export const linearCurves: Curves = [same, same, same];

/** Linear light of an sRGB code value, both 0 to 1. Source: IEC 61966-2-1 §5.2. */
export function srgbLight(code: number): number {
  return code <= 0.04045 ? code / 12.92 : ((code + 0.055) / 1.055) ** 2.4;
}

/** The sRGB code value of linear light, both 0 to 1. */
export function srgbCode(light: number): number {
  return light <= 0.0031308 ? light * 12.92 : 1.055 * light ** (1 / 2.4) - 0.055;
}

const tolerance = 1 / 255;

/** Number of sampling steps: a multiple of 255, so that all 8-bit codes are included. */
const steps = 255 * 16;

/**
 * Whether a curve equals sRGB's within 1/255, both in linear light and in code values: in linear light
 * alone, that tolerance would allow black to be lifted by twelve codes.
 */
export function isSrgbCurve(curve: Curve): boolean {
  for (let step = 0; step <= steps; step++) {
    const code = step / steps;
    const light = curve(code);
    if (Math.abs(light - srgbLight(code)) > tolerance) return false;
    if (Math.abs(srgbCode(light) - code) > tolerance) return false;
  }
  return true;
}

/** The largest invisible step, in 8-bit sRGB codes, which are themselves about the smallest visible difference. */
const coarsestStep = 3;

/**
 * Whether 8-bit codes of a curve would show banding: some step of them is more than three sRGB codes.
 * Near black, a step of a linear curve is twelve, of a power of 1.4 more than three, of 1.5 and of the
 * ITU-R BT.709 camera curve fewer (2.8 and 2.9); 8 bits have sufficed for the latter for decades. So
 * the limit is a power of about 1.46.
 */
export function isNearLinear(curve: Curve): boolean {
  let previous = srgbCode(curve(0));
  for (let code = 1; code <= 255; code++) {
    const next = srgbCode(curve(code / 255));
    if ((next - previous) * 255 > coarsestStep) return true;
    previous = next;
  }
  return false;
}

/**
 * (a·x + b)^g for x ≥ d, c·x below: function type 3 of ICC.1:2022 §10.18. A pure power is
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
 * The curve of a function, with the offsets of type 4: `e` is added to the power and `f` to the line.
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

/** A table of 65,536 entries from 16-bit codes of a curve to 8-bit sRGB codes of the same light. */
export function sampleTable(curve: Curve): Uint8Array {
  const table = new Uint8Array(65536);
  for (let code = 0; code < table.length; code++) {
    table[code] = Math.round(255 * srgbCode(curve(code / 65535)));
  }
  return table;
}
