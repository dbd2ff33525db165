import { beforeAll, describe, expect, it } from 'vitest';
import { compiledKernel } from '../../../../../support/kernels.ts';
import { distance, pointOf } from './oklab.ts';
import { gradient, noise, type Pixels, picture, windowWithDot } from './quantized-pictures.ts';
import { linked, type Quantized, quantized, quantizerFiles, shown } from './quantizing.ts';

let module: WebAssembly.Module;

beforeAll(async () => {
  module = await compiledKernel('png', quantizerFiles);
});

/** The nearest entry of each pixel, by exhaustive search. */
function nearestOf({ data }: Pixels, { palette }: Quantized): Uint8Array {
  const points = palette.map(pointOf);
  return Uint8Array.from({ length: data.length / 4 }, (_, i) => {
    const point = pointOf(data.subarray(4 * i, 4 * i + 4));
    const distances = points.map((entry) => distance(point, entry));
    return distances.indexOf(Math.min(...distances));
  });
}

/** Mean difference between the red means of blocks of 16 × 16. */
function differenceOfMeans(a: Uint8Array, b: Uint8Array, width: number): number {
  const sums = new Map<number, number>();
  for (let i = 0; i < a.length / 4; i += 1) {
    const block = (Math.floor(i / width) >> 4) * 4096 + ((i % width) >> 4);
    sums.set(block, (sums.get(block) ?? 0) + (a[4 * i] ?? 0) - (b[4 * i] ?? 0));
  }
  return [...sums.values()].reduce((sum, value) => sum + Math.abs(value) / 256, 0) / sums.size;
}

describe('mapping pixels', () => {
  it('finds the nearest entry, or one that looks the same, where nothing is diffused', {
    tags: 'slow',
  }, () => {
    for (const isOpaque of [true, false]) {
      const pixels = noise(90, 60, 11, isOpaque);
      const result = quantized(linked(module), pixels, 120);
      const nearest = nearestOf(pixels, result);
      for (const [i, index] of result.indices.entries()) {
        const point = pointOf(pixels.data.subarray(4 * i, 4 * i + 4));
        const best = distance(point, pointOf(result.palette[nearest[i] ?? 0] ?? []));
        const chosen = distance(point, pointOf(result.palette[index] ?? []));
        expect(chosen - best).toBeLessThan(isOpaque ? 4e-5 : 2e-4);
      }
    }
  });

  it('keeps the mean of a gradient that few colours would make bands of', () => {
    const smooth = gradient(256, 128);
    const result = quantized(linked(module), smooth, 6);
    const banded = { ...result, indices: nearestOf(smooth, result) };
    const dithered = differenceOfMeans(shown(result), smooth.data, 256);
    expect(dithered).toBeLessThan(0.6 * differenceOfMeans(shown(banded), smooth.data, 256));
  });

  it('lets no error out of a gradient into what is flat', () => {
    const smooth = gradient(128, 64);
    const both = picture(128, 128, (x, y) => {
      const at = 4 * (y * 128 + x);
      if (y >= 64) return [200, 120, 40, 255];
      return [smooth.data[at] ?? 0, smooth.data[at + 1] ?? 0, smooth.data[at + 2] ?? 0, 255];
    });
    const pixels = shown(quantized(linked(module), both, 6));
    const flat = new Set<string>();
    for (let i = 64 * 128 * 4; i < pixels.length; i += 4) {
      flat.add([...pixels.subarray(i, i + 4)].join());
    }
    expect([...flat]).toEqual(['200,120,40,255']);
  });

  it('repeats the index beside or above where that hardly differs', () => {
    // 300 neighboring grays and blues, most of which the palette contains.
    const pixels = noise(80, 80, 21, true);
    for (let i = 0; i < pixels.data.length; i += 4) {
      const shade = 100 + ((pixels.data[i] ?? 0) & 15);
      pixels.data.set([shade, shade, shade + ((pixels.data[i + 1] ?? 0) & 31)], i);
    }
    const result = quantized(linked(module), pixels, 250);
    const repeats = (indices: Uint8Array) =>
      indices.reduce((sum, index, i) => sum + Number(i > 80 && index === indices[i - 80]), 0);
    expect(repeats(result.indices)).toBeGreaterThan(1.5 * repeats(nearestOf(pixels, result)));
  });

  it('measures more error with fewer colours, and less of it in noise than in smooth areas', () => {
    const window = windowWithDot(120);
    const errors = [4, 16, 64].map((most) => quantized(linked(module), window, most).shownError);
    expect(errors).toEqual([...errors].sort((a, b) => b - a));
    expect(errors[0]).toBeGreaterThan(4 * (errors[2] ?? 0));
    const rough = quantized(linked(module), noise(120, 120, 4, true), 64);
    const smooth = quantized(linked(module), gradient(120, 120), 2);
    const perError = ({ shownError, paletteError }: Quantized) => shownError / paletteError;
    expect(perError(rough)).toBeLessThan(0.5 * perError(smooth));
  });

  it('gives the same for the same picture', () => {
    const pixels = noise(50, 50, 8, false);
    expect(quantized(linked(module), pixels, 40)).toEqual(quantized(linked(module), pixels, 40));
  });
});
