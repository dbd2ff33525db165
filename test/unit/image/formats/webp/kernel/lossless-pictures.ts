import type { Random } from '../../../../../support/random.ts';
import { drawn, type Picture } from './libwebp-pictures.ts';

type Made = (width: number, height: number) => Picture;

/** Pictures to be coded without loss. */
interface LosslessPictures {
  /** Gradients with noise, as in photos. */
  readonly photo: Made;
  readonly translucent: Made;
  readonly noise: Made;
  /** Areas of so many colors, all of them in it, with detail and repetition. */
  readonly painted: (width: number, height: number, colors: number) => Picture;
}

export function losslessPictures(random: Random): LosslessPictures {
  const below = (n: number) => Math.floor(random.unit() * n);
  const byte = () => below(256);
  return {
    photo: (width, height) =>
      drawn(width, height, (x, y) => [
        (x * 2 + below(6)) & 255,
        (y * 3 + below(4)) & 255,
        (x + y + below(9)) & 255,
        255,
      ]),
    translucent: (width, height) =>
      drawn(width, height, (x, y) => [x & 255, (x * y) & 255, y & 255, (x * 7 + y) & 255]),
    noise: (width, height) => drawn(width, height, () => [byte(), byte(), byte(), byte()]),
    painted: (width, height, colors) => {
      const palette = Array.from({ length: colors }, () => [byte(), byte(), byte(), 255]);
      return drawn(width, height, (x, y) => {
        const i = y * width + x;
        const spot = i < colors ? i : below(9) === 0 ? below(colors) : (x >> 3) + (y >> 2) * 5;
        return palette[spot % colors] ?? [];
      });
    },
  };
}

/** A picture that has the same color everywhere. */
export function veiled(
  width: number,
  height: number,
  alpha: (x: number, y: number) => number,
): Picture {
  return drawn(width, height, (x, y) => [90, 80, 70, alpha(x, y) & 255]);
}

/** One of those with soft alpha. */
export function smoothlyVeiled(width: number, height: number): Picture {
  return veiled(width, height, (x, y) => 128 + 127 * Math.sin(x / 9) * Math.cos(y / 7));
}

/** One of those with so many levels of alpha. */
export function veiledInSteps(width: number, height: number, levels: number): Picture {
  return veiled(width, height, (x, y) => Math.floor(((x + y * 3) % levels) * (255 / levels)));
}
