import { develop } from './photo/develop.ts';
import type { Exposure } from './photo/exposure.ts';
import { blurOutOfFocus } from './photo/lens.ts';
import { Noise } from './photo/noise.ts';
import type { Color, Vector } from './photo/scene.ts';
import { Tracer } from './photo/tracer.ts';
import { Random } from './random.ts';
import type { Raster } from './raster.ts';

export interface PhotoOptions {
  readonly width?: number;
  readonly height?: number;
  /** Another seed gives other clouds, hills, wood and stone. */
  readonly seed?: number;
}

const CAMERA: Vector = { x: 0.1, y: 1.55, z: -6.4 };
/** The view's half height (at 3:2) and its fall, per unit of distance. */
const HALF_WIDTH = 0.485;
const FALL = 0.115;
/** One ray is enough where neighbours differ by less than this share of their brightness. */
const CONTRAST = 0.16;
/** Brighter than this is white in print; taken as it is, it would fray the edges of highlights. */
const WHITE = 6;
/** With the ray through the pixel's middle, a rotated grid of four. */
const FURTHER_RAYS = [
  [-0.36, -0.14],
  [0.14, -0.36],
  [0.2, 0.38],
] as const;

/**
 * A photo-like picture, RGB: balls of metal, stone, fruit and glass on a deck by a lake at evening.
 * The picture is a function of its options; default 1600 × 1067.
 *
 * @throws RangeError when a side is not a positive whole number
 */
export function renderPhoto({ width = 1600, height = 1067, seed = 7 }: PhotoOptions = {}): Raster {
  const random = new Random(seed);
  const exposure = expose(new Tracer(new Noise(random)), width, height);
  return develop(blurOutOfFocus(exposure), width, height, random);
}

function expose(tracer: Tracer, width: number, height: number): Exposure {
  const light = new Float32Array(width * height * 3);
  const distance = new Float32Array(width * height);
  const step = (2 * HALF_WIDTH) / width;
  const color: Color = { r: 0, g: 0, b: 0 };
  const direction: Vector = { x: 0, y: 0, z: 1 };

  const shoot = (x: number, y: number): number => {
    const right = (x + 0.5 - width / 2) * step;
    const up = (height / 2 - y - 0.5) * step - FALL;
    const scale = 1 / Math.sqrt(1 + right * right + up * up);
    direction.x = right * scale;
    direction.y = up * scale;
    direction.z = scale;
    const met = tracer.trace(CAMERA, direction, step, color);
    color.r = Math.min(color.r, WHITE);
    color.g = Math.min(color.g, WHITE);
    color.b = Math.min(color.b, WHITE);
    return met;
  };

  for (let y = 0, index = 0; y < height; y++) {
    for (let x = 0; x < width; x++, index++) {
      distance[index] = Math.min(shoot(x, y), 1e4);
      light[index * 3] = color.r;
      light[index * 3 + 1] = color.g;
      light[index * 3 + 2] = color.b;
    }
  }

  const rough = roughPixels(light, width, height);
  for (let index = 0; index < rough.length; index++) {
    if (rough[index] !== 1) continue;
    let r = light[index * 3] ?? 0;
    let g = light[index * 3 + 1] ?? 0;
    let b = light[index * 3 + 2] ?? 0;
    for (const [right, down] of FURTHER_RAYS) {
      shoot((index % width) + right, Math.floor(index / width) + down);
      r += color.r;
      g += color.g;
      b += color.b;
    }
    light[index * 3] = r / 4;
    light[index * 3 + 1] = g / 4;
    light[index * 3 + 2] = b / 4;
  }
  return { width, height, light, distance };
}

/** Marks pixels that differ clearly from the one to the right or below, and those two. */
function roughPixels(light: Float32Array, width: number, height: number): Uint8Array {
  const rough = new Uint8Array(width * height);
  const luma = (index: number): number =>
    0.3 * (light[index * 3] ?? 0) +
    0.6 * (light[index * 3 + 1] ?? 0) +
    0.1 * (light[index * 3 + 2] ?? 0);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const index = y * width + x;
      const here = luma(index);
      const limit = CONTRAST * (here + 0.05);
      const right = x + 1 < width ? index + 1 : index;
      const below = y + 1 < height ? index + width : index;
      if (Math.abs(luma(right) - here) > limit) rough[index] = rough[right] = 1;
      if (Math.abs(luma(below) - here) > limit) rough[index] = rough[below] = 1;
    }
  }
  return rough;
}
