import type { Random } from '../../../../../support/random.ts';
import { drawn, type Picture } from './libwebp-pictures.ts';

/** Flat parts, slopes, edges and grain side by side, so that blocks of every kind come. */
export function mixed(width: number, height: number, random: Random): Picture {
  const below = (n: number) => Math.floor(random.unit() * n);
  return drawn(width, height, (x, y) => {
    const part = ((x >> 5) + (y >> 5)) & 3;
    const wave = 120 + 90 * Math.sin(x / 6 + (y * y) / 300);
    const grain = part === 1 ? below(60) : 0;
    const edge = part === 2 && (x + 2 * y) % 23 < 9 ? 90 : 0;
    const level = part === 3 ? 60 : wave;
    return [level + grain, 200 - level / 2 + edge, level / 2 + 40 + grain, 255].map((value) =>
      Math.max(0, Math.min(255, value)),
    );
  });
}

/** Opaque noise: of all levels, or of the darkest and brightest alone. */
export function noise(width: number, height: number, random: Random, isExtreme = false): Picture {
  const level = () =>
    isExtreme ? 255 * Math.round(random.unit()) : Math.floor(256 * random.unit());
  return drawn(width, height, () => [level(), level(), level(), 255]);
}

/** One opaque color. */
export function flat(width: number, height: number, color: readonly number[]): Picture {
  return drawn(width, height, () => [...color, 255]);
}
