/** Pictures to quantize, RGBA. */
export interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
}

type Color = readonly [red: number, green: number, blue: number, alpha: number];

export function picture(
  width: number,
  height: number,
  colorAt: (x: number, y: number) => Color,
): Pixels {
  const data = new Uint8Array(4 * width * height);
  for (let i = 0; i < width * height; i += 1) {
    data.set(colorAt(i % width, Math.floor(i / width)), 4 * i);
  }
  return { width, height, data };
}

/** Random bytes (a linear congruential generator, constants of Numerical Recipes). */
export function bytesFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state >>> 24;
  };
}

export function noise(width: number, height: number, seed: number, isOpaque: boolean): Pixels {
  const next = bytesFrom(seed);
  return picture(width, height, () => [next(), next(), next(), isOpaque ? 255 : next()]);
}

/** A white window with shades of gray as in lettering, and a red dot. */
export function windowWithDot(size: number): Pixels {
  const next = bytesFrom(7);
  return picture(size, size, (x, y) => {
    if (x >= 20 && x < 26 && y >= 20 && y < 26) return [220, 20, 40, 255];
    if (y % 16 < 8 && x > 40) {
      const shade = next();
      return [shade, Math.min(255, shade + (next() >> 5)), shade, 255];
    }
    return [255, 255, 255, 255];
  });
}

/** A smooth transition between colors. */
export function gradient(width: number, height: number): Pixels {
  return picture(width, height, (x, y) => {
    const along = (x + y / 2) / (width + height / 2);
    return [
      Math.round(40 + 100 * along),
      Math.round(60 + 90 * along),
      Math.round(160 - 40 * along),
      255,
    ];
  });
}
