/**
 * The color space of the quantizer: Oklab (Björn Ottosson, "A perceptual color space for image processing", 2020) of a
 * color as it looks on mid gray, and alpha as the fourth axis. On mid gray, nearly transparent colors hardly differ, as
 * with premultiplied ones; the fourth axis represents how much of other backgrounds shows through. A point is f32x4: L,
 * a, b from 0 to about 1, alpha.
 */

/** Code value of the background. */
const grey: f32 = 128;
/**
 * Length of the alpha axis: the standard deviation of backgrounds from mid gray if all were equally frequent (1 / √12).
 */
const alphaScale: f32 = 0.3;
/** Offset that separates opaque points from all others, so that the nearest entry to an opaque point is opaque, too. */
const opaqueOffset: f32 = 2;
/** Table of linear values of code values in steps of a quarter, which mixing with gray produces: f32 each. */
const levels: i32 = 1021;
const linear: usize = memory.data(1021 * 4, 16);

/** Fills the table, once per run; to be called first. */
export function prepareColorSpace(): void {
  if (load<f32>(linear + ((<usize>(levels - 1)) << 2)) === 1) return;
  for (let i = 0; i < levels; i += 1) {
    store<f32>(linear + ((<usize>i) << 2), <f32>linearOf(<f64>i / <f64>(levels - 1)));
  }
}

/** The sRGB transfer function (IEC 61966-2-1): x^2.4 is x² times the square of the fifth root of x. */
function linearOf(code: f64): f64 {
  if (code <= 0.04045) return code / 12.92;
  const x = (code + 0.055) / 1.055;
  let root: f64 = 1;
  for (let i = 0; i < 12; i += 1) {
    const fourth = root * root * root * root;
    root -= (root * fourth - x) / (5 * fourth);
  }
  return x * x * root * root;
}

/** @param rgba red in the lowest byte, alpha in the highest, not premultiplied */
export function pointOf(rgba: u32): v128 {
  const alpha = rgba >> 24;
  let red: f32;
  let green: f32;
  let blue: f32;
  if (alpha === 255) {
    red = load<f32>(linear + ((rgba & 255) << 4));
    green = load<f32>(linear + (((rgba >> 8) & 255) << 4));
    blue = load<f32>(linear + (((rgba >> 16) & 255) << 4));
  } else {
    red = linearOnGrey(rgba & 255, alpha);
    green = linearOnGrey((rgba >> 8) & 255, alpha);
    blue = linearOnGrey((rgba >> 16) & 255, alpha);
  }
  const cones = cubeRoots(
    f32x4.add(
      f32x4.add(
        f32x4.mul(f32x4.splat(red), f32x4(0.4122214708, 0.2119034982, 0.0883024619, 0)),
        f32x4.mul(f32x4.splat(green), f32x4(0.5363325363, 0.6806995451, 0.2817188376, 0)),
      ),
      f32x4.mul(f32x4.splat(blue), f32x4(0.0514459929, 0.1073969566, 0.6299787005, 0)),
    ),
  );
  const lab = f32x4.add(
    f32x4.add(
      f32x4.mul(
        v128.shuffle<f32>(cones, cones, 0, 0, 0, 0),
        f32x4(0.2104542553, 1.9779984951, 0.0259040371, 0),
      ),
      f32x4.mul(
        v128.shuffle<f32>(cones, cones, 1, 1, 1, 1),
        f32x4(0.793617785, -2.428592205, 0.7827717662, 0),
      ),
    ),
    f32x4.mul(
      v128.shuffle<f32>(cones, cones, 2, 2, 2, 2),
      f32x4(-0.0040720468, 0.4505937099, -0.808675766, 0),
    ),
  );
  const last = alphaScale * (<f32>alpha / 255) + (alpha === 255 ? opaqueOffset : 0);
  return f32x4.replace_lane(lab, 3, last);
}

/** Converts a point to its color, or the nearest one within the gamut. */
export function colorOf(point: v128): u32 {
  const last = f32x4.extract_lane(point, 3);
  const isOpaque = last > alphaScale + 0.5 * opaqueOffset;
  const share = isOpaque ? <f32>1 : max<f32>(0, min<f32>(1, last / alphaScale));
  const alpha = <u32>Math.round(share * 255);
  if (alpha === 0) return 0;
  const lightness = f32x4.extract_lane(point, 0);
  const a = f32x4.extract_lane(point, 1);
  const b = f32x4.extract_lane(point, 2);
  const l = cube(lightness + 0.3963377774 * a + 0.2158037573 * b);
  const m = cube(lightness - 0.1055613458 * a - 0.0638541728 * b);
  const s = cube(lightness - 0.0894841775 * a - 1.291485548 * b);
  const red = straightCode(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s, share);
  const green = straightCode(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s, share);
  const blue = straightCode(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s, share);
  return red | (green << 8) | (blue << 16) | (alpha << 24);
}

function linearOnGrey(code: u32, alpha: u32): f32 {
  const mixed = (<f32>(code * alpha) + grey * <f32>(<u32>255 - alpha)) * <f32>(4.0 / 255.0);
  return load<f32>(linear + ((<usize>(<u32>(mixed + 0.5))) << 2));
}

/** Converts a linear value on gray to the code value before mixing with gray. */
function straightCode(value: f32, share: f32): u32 {
  let low = 0;
  let high = levels - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (load<f32>(linear + ((<usize>middle) << 2)) <= value) low = middle;
    else high = middle;
  }
  const below = load<f32>(linear + ((<usize>low) << 2));
  const above = load<f32>(linear + ((<usize>high) << 2));
  const part = max<f32>(0, min<f32>(1, (value - below) / (above - below)));
  const code = (<f32>low + part) * 0.25;
  const straight = (code - grey * (1 - share)) / share;
  return <u32>(max<f32>(0, min<f32>(255, straight)) + 0.5);
}

function cube(x: f32): f32 {
  return x * x * x;
}

/** An initial estimate from the exponent, then one step of Halley's method: accurate to 4 in 10⁵. */
function cubeRoots(values: v128): v128 {
  const positive = f32x4.add(values, f32x4.splat(1e-9));
  const third = f32x4.mul(f32x4.convert_i32x4_s(positive), f32x4.splat(1 / 3));
  const guess = i32x4.add(i32x4.trunc_sat_f32x4_s(third), i32x4.splat(0x2a514067));
  const cubes = f32x4.mul(f32x4.mul(guess, guess), guess);
  const above = f32x4.add(cubes, f32x4.add(positive, positive));
  const below = f32x4.add(f32x4.add(cubes, cubes), positive);
  return f32x4.div(f32x4.mul(guess, above), below);
}

// Operations on points of four coordinates, f32x4.

function horizontalSum(v: v128): f32 {
  const pairs = f32x4.add(v, v128.shuffle<f32>(v, v, 2, 3, 0, 1));
  return f32x4.extract_lane(pairs, 0) + f32x4.extract_lane(pairs, 1);
}

export function dot(a: v128, b: v128): f32 {
  return horizontalSum(f32x4.mul(a, b));
}

export function squaredDistance(a: v128, b: v128): f32 {
  const difference = f32x4.sub(a, b);
  return horizontalSum(f32x4.mul(difference, difference));
}

export function squaredLength(v: v128): f32 {
  return horizontalSum(f32x4.mul(v, v));
}
