import { clamp, toByte } from '../arithmetic.ts';
import type { Random } from '../random.ts';
import { createRaster, type Raster } from '../raster.ts';

const EXPOSURE = 0.86;
/** Noise of a camera at a low ISO number: of the read-out, and of the light itself (shot noise). */
const READ_NOISE = 0.0018;
const SHOT_NOISE = 0.00016;

/** Turns linear light into an RGB picture: darker corners, sensor noise, film curve, sRGB. */
export function develop(
  light: Float32Array,
  width: number,
  height: number,
  random: Random,
): Raster {
  const raster = createRaster(width, height, 3);
  const { data } = raster;
  const diagonal = width * width + height * height;
  for (let y = 0, index = 0; y < height; y++) {
    const down = 2 * y - height;
    for (let x = 0; x < width; x++) {
      const right = 2 * x - width;
      const corner = (right * right + down * down) / diagonal;
      const gain = EXPOSURE * (1 - 0.28 * corner * corner);
      for (let channel = 0; channel < 3; channel++, index++) {
        const signal = (light[index] ?? 0) * gain;
        const deviation = Math.sqrt(READ_NOISE * READ_NOISE + SHOT_NOISE * signal);
        data[index] = toByte(encode(film(signal + deviation * random.normal())));
      }
    }
  }
  return raster;
}

/** Krzysztof Narkowicz's fit of the ACES film curve (2015), which bends highlights to white. */
function film(x: number): number {
  if (x <= 0) return 0;
  return clamp((x * (2.51 * x + 0.03)) / (x * (2.43 * x + 0.59) + 0.14), 0, 1);
}

/**
 * The sRGB curve (IEC 61966-2-1): its straight toe, then Ian Taylor's fit by roots ("sRGB
 * approximations for HLSL"), a quarter of an 8-bit step off at most, in place of `pow`.
 */
function encode(x: number): number {
  if (x <= 0.0031308) return 12.92 * x;
  const second = Math.sqrt(x);
  const fourth = Math.sqrt(second);
  const eighth = Math.sqrt(fourth);
  return 0.662002687 * second + 0.68412206 * fourth - 0.323583601 * eighth - 0.022541147 * x;
}
