import type { Raster } from '../../src/image/pixels/raster.ts';
import { ssimulacra2 } from './ssimulacra2.ts';

/** In pixels; the scorer knows nothing smaller. */
const leastSide = 8;
const side = 512;

/** Parts of a picture that it is judged by: all of it takes 20 s and 3 GB at 12 megapixels. */
const middles = [
  [0.25, 0.25],
  [0.75, 0.25],
  [0.25, 0.75],
  [0.75, 0.75],
] as const;

/**
 * Mean SSIMULACRA2 of four parts of 512 × 512 pixels, or of the whole where it is hardly larger.
 * @returns undefined for pictures too small to be judged
 */
export function likeness(original: Raster, coded: Raster): number | undefined {
  if (Math.min(original.width, original.height) < leastSide) return undefined;
  const [before, after] = [parts(original), parts(coded)];
  const scores = before.map((part, i) => ssimulacra2(part, after[i] ?? part));
  return scores.reduce((sum, score) => sum + score, 0) / scores.length;
}

function parts(whole: Raster): Raster[] {
  if (whole.width < 2 * side || whole.height < 2 * side) return [whole];
  return middles.map(([x, y]) =>
    part(whole, Math.round(x * whole.width - side / 2), Math.round(y * whole.height - side / 2)),
  );
}

function part({ width, data }: Raster, left: number, top: number): Raster {
  const cut = new Uint8ClampedArray(4 * side * side);
  for (let row = 0; row < side; row += 1) {
    const from = 4 * ((top + row) * width + left);
    cut.set(data.subarray(from, from + 4 * side), 4 * side * row);
  }
  return { width: side, height: side, data: cut };
}
