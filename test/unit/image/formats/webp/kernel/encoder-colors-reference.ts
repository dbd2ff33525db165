import type { Plane } from './encoder-colors-stage.ts';
import type { Picture } from './libwebp-pictures.ts';

/*
 * The colours of the lossy encoder by their definition, in double precision and pixel by pixel.
 */

/** Light of each code, 0 to 1 (IEC 61966-2-1). */
const lights = Float64Array.from({ length: 256 }, (_, code) => {
  const value = code / 255;
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
});

function lightOf(code: number): number {
  return lights[code] ?? 0;
}

/**
 * Chroma of the means of 2 × 2 pixels in tones (codes to the power of 4/3), weighed by alpha if that is told.
 * @returns U and V before they are rounded, each of half the width and height rounded up
 */
export function referenceChroma({ width, height, data }: Picture, hasAlpha: boolean) {
  const columns = (width + 1) >> 1;
  const rows = (height + 1) >> 1;
  const u = new Float64Array(columns * rows);
  const v = new Float64Array(columns * rows);
  for (let y = 0; y < rows; y++) {
    for (let x = 0; x < columns; x++) {
      const [red, green, blue] = meanCode(2 * x, 2 * y);
      u[y * columns + x] = 128 + (-9719 * red - 19081 * green + 28800 * blue) / 65536;
      v[y * columns + x] = 128 + (28800 * red - 24116 * green - 4684 * blue) / 65536;
    }
  }
  return { u, v };

  function meanCode(left: number, top: number): [number, number, number] {
    const at = [0, 1, 2, 3].map((i) => {
      const x = Math.min(left + (i & 1), width - 1);
      return 4 * (Math.min(top + (i >> 1), height - 1) * width + x);
    });
    const alphas = at.map((i) => (hasAlpha ? (data[i + 3] ?? 0) : 1));
    const weights = alphas.some((alpha) => alpha > 0) ? alphas : [1, 1, 1, 1];
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    const mean = (color: number) =>
      at.reduce((sum, i, n) => sum + (weights[n] ?? 0) * (data[i + color] ?? 0) ** (4 / 3), 0) /
      total;
    return [mean(0) ** 0.75, mean(1) ** 0.75, mean(2) ** 0.75];
  }
}

/** Luma of ITU-R BT.601. */
export function plainLuma(red: number, green: number, blue: number): number {
  return (16839 * red + 33059 * green + 6420 * blue + 0x8000 + (16 << 16)) >> 16;
}

/** What a decoder makes of a sample of each plane, the factors and cuts of libwebp's `yuv.h`. */
export function decodedPixel(y: number, u: number, v: number): [number, number, number] {
  const part = (sample: number, factor: number) => (sample * factor) >> 8;
  const held = (color: number) => Math.min(255, Math.max(0, color >> 6));
  return [
    held(part(y, 19077) + part(v, 26149) - 14234),
    held(part(y, 19077) - part(u, 6419) - part(v, 13320) + 8708),
    held(part(y, 19077) + part(u, 33050) - 17685),
  ];
}

export function luminanceOf([red, green, blue]: readonly [number, number, number]): number {
  return 0.2126 * lightOf(red) + 0.7152 * lightOf(green) + 0.0722 * lightOf(blue);
}

/** Chroma of a pixel as a decoder interpolates it in planes of whole macroblocks. */
export function interpolated(
  { data, width: stride }: Plane,
  { width, height }: Picture,
  x: number,
  y: number,
): number {
  const near = [x >> 1, y >> 1] as const;
  const far = [
    Math.min(Math.max(near[0] + (x & 1 ? 1 : -1), 0), (width - 1) >> 1),
    Math.min(Math.max(near[1] + (y & 1 ? 1 : -1), 0), (height - 1) >> 1),
  ] as const;
  const at = (column: number, row: number) => data[row * stride + column] ?? 0;
  const sum =
    9 * at(near[0], near[1]) +
    3 * at(far[0], near[1]) +
    3 * at(near[0], far[1]) +
    at(far[0], far[1]);
  return (sum + 8) >> 4;
}

/** How near a luma can come to a luminance, and the least and the greatest that comes as near. */
export function fittedLuma(wanted: number, u: number, v: number) {
  const errors = Array.from({ length: 256 }, (_, y) =>
    Math.abs(luminanceOf(decodedPixel(y, u, v)) - wanted),
  );
  const error = Math.min(...errors);
  return {
    error,
    least: errors.findIndex((other) => other <= error + 1e-9),
    most: errors.findLastIndex((other) => other <= error + 1e-9),
  };
}

/** Luma that is moved from plain to fitted, 8 levels in full and a quarter of what is beyond. */
export function movedLuma(plain: number, fitted: number): number {
  const move = fitted - plain;
  const full = Math.min(Math.max(move, -8), 8);
  return plain + full + Math.trunc((move - full) / 4);
}
