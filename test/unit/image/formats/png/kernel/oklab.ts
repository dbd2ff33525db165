/** The quantizer's color space by its definition: Oklab of a color on mid gray, and alpha. */
export function pointOf(rgba: ArrayLike<number>): readonly number[] {
  const alpha = rgba[3] ?? 0;
  const [red = 0, green = 0, blue = 0] = [0, 1, 2].map((i) => {
    const value = alpha === 0 ? 128 : (rgba[i] ?? 0);
    const mixed = (value * alpha + 128 * (255 - alpha)) / 255 / 255;
    return mixed <= 0.04045 ? mixed / 12.92 : ((mixed + 0.055) / 1.055) ** 2.4;
  });
  const l = Math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue);
  const m = Math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue);
  const s = Math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
    (0.3 * alpha) / 255 + (alpha === 255 ? 2 : 0),
  ];
}

/** Squared distance. */
export function distance(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, value, i) => sum + (value - (b[i] ?? 0)) ** 2, 0);
}
