import { clamp } from '../arithmetic.ts';
import type { Exposure } from './exposure.ts';

const FOCUS = 6.1;
/** Radius of the blur of an infinitely far point, as a share of the picture's width. */
const APERTURE = 0.0058;
/** Taps of the spiral lie this many pixels from their neighbours. */
const SPACING = 1.25;
const SMALLEST = 0.6;

// Cosine and sine of the golden angle, π(3 − √5): turning by it spreads points evenly over a disc
// (Vogel 1979).
const TURN_COSINE = -0.7373688780783197;
const TURN_SINE = 0.6754902942615237;

/**
 * Blurs what is out of focus, as a lens of finite width does; returns the light alone.
 *
 * A gathering blur: each pixel looks at the disc around it and takes the light of those pixels whose
 * own blur reaches it. Sharp things in front therefore do not bleed into the blurred ground.
 */
export function blurOutOfFocus({ width, height, light, distance }: Exposure): Float32Array {
  const radii = distance.map((at) => Math.abs(1 / FOCUS - 1 / at) * FOCUS * APERTURE * width);
  const result = new Float32Array(light.length);
  const taps = spiral(APERTURE * width * 1.6);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const index = y * width + x;
      const own = radii[index] ?? 0;
      let r = light[index * 3] ?? 0;
      let g = light[index * 3 + 1] ?? 0;
      let b = light[index * 3 + 2] ?? 0;
      if (own > SMALLEST) {
        const behind = (distance[index] ?? 0) * 1.02;
        let total = 1;
        for (const tap of taps) {
          if (tap.radius > own) break;
          const tapX = clamp(x + tap.x, 0, width - 1);
          const tapY = clamp(y + tap.y, 0, height - 1);
          const other = tapY * width + tapX;
          // What lies behind is hidden by this pixel's thing except for that thing's own blur.
          const theirs = (distance[other] ?? 0) > behind ? own : (radii[other] ?? 0);
          const weight = clamp(theirs - tap.radius + 0.5, 0, 1);
          if (weight === 0) continue;
          r += weight * (light[other * 3] ?? 0);
          g += weight * (light[other * 3 + 1] ?? 0);
          b += weight * (light[other * 3 + 2] ?? 0);
          total += weight;
        }
        r /= total;
        g /= total;
        b /= total;
      }
      result[index * 3] = r;
      result[index * 3 + 1] = g;
      result[index * 3 + 2] = b;
    }
  }
  return result;
}

interface Tap {
  readonly x: number;
  readonly y: number;
  readonly radius: number;
}

/** Whole-pixel steps that fill a disc evenly, from its centre outwards. */
function spiral(reach: number): readonly Tap[] {
  const taps: Tap[] = [];
  const count = Math.ceil((reach / SPACING) * (reach / SPACING) * 3.14);
  let cosine = 1;
  let sine = 0;
  for (let index = 1; index <= count; index++) {
    const next = cosine * TURN_COSINE - sine * TURN_SINE;
    sine = cosine * TURN_SINE + sine * TURN_COSINE;
    cosine = next;
    const radius = reach * Math.sqrt(index / count);
    taps.push({ x: Math.round(cosine * radius), y: Math.round(sine * radius), radius });
  }
  return taps;
}
