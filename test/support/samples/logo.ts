import { clamp, mix, smoothstep, toByte } from './arithmetic.ts';
import { createRaster, type Raster } from './raster.ts';

export interface LogoOptions {
  readonly width?: number;
  readonly height?: number;
}

/** The colours of the six petals, clockwise from the top, at tip and root: 0 to 1. */
const PETALS = [
  { tip: [1.0, 0.74, 0.24], root: [1.0, 0.5, 0.25] },
  { tip: [1.0, 0.45, 0.34], root: [0.93, 0.24, 0.42] },
  { tip: [0.93, 0.28, 0.6], root: [0.66, 0.22, 0.76] },
  { tip: [0.5, 0.34, 0.95], root: [0.32, 0.3, 0.9] },
  { tip: [0.2, 0.55, 0.98], root: [0.12, 0.44, 0.9] },
  { tip: [0.16, 0.8, 0.74], root: [0.1, 0.62, 0.7] },
] as const;

const TURN_COSINE = 0.5;
const TURN_SINE = Math.sqrt(3) / 2;
const TIP = 0.84;
const WIDEST = 0.27;
const OPACITY = 0.84;
const CENTRE = 0.16;

/**
 * A flower of six translucent petals over its soft shadow: RGBA, straight alpha, transparent ground.
 * Default 512 × 512; in other shapes it stands in the middle.
 *
 * @throws RangeError when a side is not a positive whole number
 */
export function renderLogo({ width = 512, height = 512 }: LogoOptions = {}): Raster {
  const raster = createRaster(width, height, 4);
  const half = Math.min(width, height) / 2;
  const pixel = 1 / half;
  for (let row = 0, index = 0; row < height; row++) {
    for (let column = 0; column < width; column++, index += 4) {
      const x = (column + 0.5 - width / 2) * pixel;
      const y = (row + 0.5 - height / 2) * pixel;
      writePixel(raster.data, index, colorAt(x, y, pixel));
    }
  }
  return raster;
}

/** Colour times alpha, and alpha: the form in which layers add up. */
interface Premultiplied {
  r: number;
  g: number;
  b: number;
  alpha: number;
}

function colorAt(x: number, y: number, pixel: number): Premultiplied {
  const shadow = 0.34 * smoothstep(0.11, -0.12, flowerDistance(x, y - 0.045));
  const result = { r: 0, g: 0, b: 0, alpha: 0 };
  cover(result, 0.1, 0.08, 0.25, shadow);
  let right = x;
  let up = -y;
  for (const { tip, root } of PETALS) {
    const share = clamp(0.5 - petalDistance(right, up) / pixel, 0, 1);
    if (share > 0) {
      const out = smoothstep(0.1, TIP, up);
      // One side of each petal is a little lighter, as if it were bent.
      const bend = 1 + 0.1 * clamp(right / WIDEST, -1, 1);
      cover(
        result,
        Math.min(1, mix(root[0], tip[0], out) * bend),
        Math.min(1, mix(root[1], tip[1], out) * bend),
        Math.min(1, mix(root[2], tip[2], out) * bend),
        share * mix(1, OPACITY, out),
      );
    }
    const turned = right * TURN_COSINE - up * TURN_SINE;
    up = right * TURN_SINE + up * TURN_COSINE;
    right = turned;
  }
  const centre = length(x, y) - CENTRE;
  cover(result, 1, 1, 1, clamp(0.5 - centre / pixel, 0, 1));
  return result;
}

/** Lays a colour over what is there (Porter and Duff 1984, "over"). */
function cover(below: Premultiplied, r: number, g: number, b: number, alpha: number): void {
  const rest = 1 - alpha;
  below.r = r * alpha + below.r * rest;
  below.g = g * alpha + below.g * rest;
  below.b = b * alpha + below.b * rest;
  below.alpha = alpha + below.alpha * rest;
}

/** The distance to a petal that points up: the part that two equal circles have in common. */
function petalDistance(right: number, up: number): number {
  const middle = TIP / 2;
  const offset = (middle * middle - WIDEST * WIDEST) / (2 * WIDEST);
  const side = Math.abs(right) + offset;
  const along = Math.abs(up - middle);
  // Beyond the ends of the arcs the nearest point is the tip, or the shadow would show a ridge.
  if (along * offset > middle * side) return length(right, along - middle);
  return length(side, along) - offset - WIDEST;
}

function flowerDistance(x: number, y: number): number {
  let nearest = Number.POSITIVE_INFINITY;
  let right = x;
  let up = -y;
  for (let petal = 0; petal < PETALS.length; petal++) {
    nearest = Math.min(nearest, petalDistance(right, up));
    const turned = right * TURN_COSINE - up * TURN_SINE;
    up = right * TURN_SINE + up * TURN_COSINE;
    right = turned;
  }
  return nearest;
}

function length(x: number, y: number): number {
  return Math.sqrt(x * x + y * y);
}

function writePixel(data: Uint8Array, index: number, { r, g, b, alpha }: Premultiplied): void {
  const opacity = toByte(alpha);
  // A transparent pixel has no colour; zeros there compress best.
  if (opacity === 0) return;
  data[index] = toByte(r / alpha);
  data[index + 1] = toByte(g / alpha);
  data[index + 2] = toByte(b / alpha);
  data[index + 3] = opacity;
}
