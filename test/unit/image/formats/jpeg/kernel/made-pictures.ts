import type { Factors, JpegContent } from '../../../../../support/jpeg-maker/content.ts';
import { Random } from '../../../../../support/random.ts';

/** Coefficients of a picture that nothing has coded yet. */
export interface Picture {
  width: number;
  height: number;
  samplings: Factors;
  /** Coefficients of a block in zigzag order. */
  block(c: number, x: number, y: number): Int16Array;
}

/** Sparse coefficients; `density` of 63 are not zero where a block has any at all. */
export function randomPicture(
  width: number,
  height: number,
  samplings: Factors,
  density = 6,
): Picture {
  const block = (c: number, x: number, y: number) => {
    const numbers = new Random(c * 7_919 + x * 104_729 + y * 1_299_709 + 1);
    const random = () => numbers.unit();
    const values = new Int16Array(64);
    values[0] = random() * 80 - 40 + (random() < 0.02 ? 700 : 0);
    if (random() < 0.3) return values;
    const number = random() * 2 * density;
    for (let i = 0; i < number; i += 1) {
      const sign = random() < 0.5 ? -1 : 1;
      const k = 1 + Math.floor(random() ** 2 * 63);
      values[k] = sign * Math.round(random() < 0.05 ? random() * 40 : random() ** 3 * 5);
    }
    if (random() < 0.05) values[63] = 1;
    if (random() < 0.002) values[5] = -1023;
    return values;
  };
  return { width, height, samplings, block };
}

/** Without its blocks, a gray one. */
export function emptyPicture(width: number, height: number) {
  return { width, height, samplings: [[1, 1]] as const };
}

/** Every so manieth row of a picture. */
export function everyRow({ block }: Picture, step: number): Picture['block'] {
  return (c, x, y) => block(c, x, y * step);
}

/** What a writer of JPEGs makes of it. */
export function contentOf({ width, height, samplings, block }: Picture): JpegContent {
  const components = samplings.map(([horizontal, vertical]) => ({ horizontal, vertical }));
  const tables = [new Uint8Array(64).fill(12)];
  return { width, height, components, tables, coefficients: block };
}
