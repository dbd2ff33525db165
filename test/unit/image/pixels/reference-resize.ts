import type { Curve } from '../../../../src/image/color/curves.ts';
import type { Raster, Region } from '../../../../src/image/pixels/raster.ts';

/**
 * Lanczos-3 as the textbook has it, in float64 and without tables: every row
 * across, then every column down, codes found by bisection of the curve. Alpha
 * never passes the greatest alpha that bears on a pixel.
 */
export function referenceResize(
  raster: Raster,
  region: Region,
  target: { width: number; height: number },
  curve: Curve,
): Raster {
  const across = weightsOf(region.width, target.width);
  const down = weightsOf(region.height, target.height);
  const planes = [0, 1, 2, 3].map((channel) => {
    const rows = Array.from({ length: region.height }, (_, y) => {
      const row = Array.from({ length: region.width }, (_, x) => {
        const at = 4 * ((region.top + y) * raster.width + region.left + x);
        const alpha = (raster.data[at + 3] ?? 0) / 255;
        return channel === 3 ? alpha : alpha * curve((raster.data[at + channel] ?? 0) / 255);
      });
      return across.map((weights) => weightedSum(weights, row));
    });
    return Array.from({ length: target.width }, (_, x) => {
      const column = rows.map((row) => row[x] ?? 0);
      return down.map((weights) => weightedSum(weights, column));
    });
  });
  const data = new Uint8ClampedArray(4 * target.width * target.height);
  for (let y = 0; y < target.height; y += 1) {
    for (let x = 0; x < target.width; x += 1) {
      const [red = 0, green = 0, blue = 0, alpha = 0] = planes.map((plane) => plane[x]?.[y] ?? 0);
      const most = greatestAlpha(raster, region, across[x], down[y]);
      const code = Math.round(255 * Math.min(Math.max(alpha, 0), most));
      if (code === 0) continue;
      const colors = [red, green, blue].map((light) => nearestCode(light / alpha, curve));
      data.set([...colors, code], 4 * (y * target.width + x));
    }
  }
  return { ...target, data };
}

interface Weights {
  readonly first: number;
  readonly values: readonly number[];
}

function weightsOf(source: number, target: number): Weights[] {
  const scale = source / target;
  return Array.from({ length: target }, (_, i) => {
    const middle = (i + 0.5) * scale;
    const first = Math.max(Math.floor(middle - 3 * scale) - 1, 0);
    const end = Math.min(Math.ceil(middle + 3 * scale) + 1, source);
    const values = Array.from({ length: end - first }, (_, k) => {
      const x = (first + k + 0.5 - middle) / scale;
      if (x === 0) return 1;
      const angle = Math.PI * x;
      return Math.abs(x) < 3 ? (3 * Math.sin(angle) * Math.sin(angle / 3)) / angle ** 2 : 0;
    });
    const sum = values.reduce((a, b) => a + b);
    return { first, values: values.map((value) => value / sum) };
  });
}

function weightedSum({ first, values }: Weights, samples: readonly number[]): number {
  return values.reduce((sum, value, k) => sum + value * (samples[first + k] ?? 0), 0);
}

/** Of the pixels with a weight across and one down that is not zero. */
function greatestAlpha(
  raster: Raster,
  region: Region,
  across: Weights | undefined,
  down: Weights | undefined,
): number {
  let most = 0;
  for (const [j, weight] of (down?.values ?? []).entries()) {
    if (weight === 0) continue;
    const y = region.top + (down?.first ?? 0) + j;
    for (const [i, other] of (across?.values ?? []).entries()) {
      if (other === 0) continue;
      const x = region.left + (across?.first ?? 0) + i;
      most = Math.max(most, (raster.data[4 * (y * raster.width + x) + 3] ?? 0) / 255);
    }
  }
  return most;
}

function nearestCode(light: number, curve: Curve): number {
  let [low, high] = [0, 255];
  while (low < high) {
    const code = Math.floor((low + high) / 2);
    if (light > curve((code + 0.5) / 255)) low = code + 1;
    else high = code;
  }
  return low;
}
