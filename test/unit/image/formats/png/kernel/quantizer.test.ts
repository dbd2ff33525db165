import { beforeAll, describe, expect, it } from 'vitest';
import { compiledKernel } from '../../../../../support/kernels.ts';
import { bytesFrom, noise, picture, windowWithDot } from './quantized-pictures.ts';
import { linked, quantized, quantizerFiles, shown } from './quantizing.ts';

let module: WebAssembly.Module;

beforeAll(async () => {
  module = await compiledKernel('png', quantizerFiles);
});

describe('choosing a palette', () => {
  it('keeps every pixel of a picture with few colours', () => {
    const next = bytesFrom(1);
    const level = () => 85 * (next() >> 6);
    const few = picture(61, 33, () => [level(), level(), level(), 85 * (1 + (next() % 3))]);
    const result = quantized(linked(module), few);
    expect(shown(result)).toEqual(few.data);
    expect([result.paletteError, result.shownError]).toEqual([0, 0]);
  });

  it('makes one colour of all that is transparent', () => {
    const next = bytesFrom(2);
    const hidden = picture(40, 40, (x) => [next(), next(), next(), x < 20 ? 0 : 255]);
    const result = quantized(linked(module), hidden, 32);
    const transparent = result.palette.filter((color) => color[3] === 0);
    expect(transparent).toEqual([[0, 0, 0, 0]]);
    const alpha = shown(result).filter((_, i) => i % 4 === 3);
    expect(alpha).toEqual(hidden.data.filter((_, i) => i % 4 === 3));
  });

  it('shows opaque pixels opaque, whatever else there is', () => {
    const next = bytesFrom(3);
    const mixed = picture(64, 64, () => {
      const alpha = next();
      return [next(), next(), next(), alpha < 100 ? 255 : alpha];
    });
    for (const most of [1, 2, 8, 200]) {
      const result = shown(quantized(linked(module), mixed, most));
      for (let i = 3; i < result.length; i += 4) {
        if (mixed.data[i] === 255) expect(result[i]).toBe(255);
      }
    }
  });

  it('keeps the exact colours of large areas, and nothing else in them', { tags: 'slow' }, () => {
    const window = windowWithDot(160);
    const result = quantized(linked(module), window, 16);
    expect(result.palette).toContainEqual([255, 255, 255, 255]);
    const pixels = shown(result);
    for (let i = 0; i < pixels.length; i += 4) {
      if (window.data[i] === 255 && window.data[i + 2] === 255) {
        expect([...pixels.subarray(i, i + 3)]).toEqual([255, 255, 255]);
      }
    }
  });

  it('keeps the colour of a small dot in a large picture where few colours are enough', () => {
    const window = windowWithDot(400);
    const result = quantized(linked(module, 128), window, 256, 1e-4);
    expect(result.palette.length).toBeLessThan(40);
    const middle = 4 * (23 * 400 + 23);
    expect([...shown(result).subarray(middle, middle + 4)]).toEqual([220, 20, 40, 255]);
  });

  it('takes no more colours than are needed for an error, and comes as near as was asked', () => {
    const smooth = picture(200, 200, (x, y) => [100 + (x >> 1), 150 - (y >> 1), 80, 255]);
    const counts = [1e-3, 3e-4, 1e-4].map((target) => {
      const { palette, paletteError } = quantized(linked(module), smooth, 256, target);
      expect(paletteError).toBeLessThan(1.25 * target);
      expect(paletteError).toBeGreaterThan(target / 8);
      return palette.length;
    });
    expect(counts).toEqual([...counts].sort((a, b) => a - b));
    expect(new Set(counts).size).toBe(3);
  });

  it('puts colours together where there are too many for its memory', { tags: 'slow' }, () => {
    const { palette, paletteError } = quantized(linked(module, 128), noise(400, 300, 5, true));
    expect(palette.length).toBe(256);
    // About the error of 256 evenly spread opaque colors.
    expect(paletteError).toBeLessThan(4e-3);
    const coarse = quantized(linked(module, 128), noise(400, 300, 5, true), 16);
    expect(coarse.paletteError).toBeGreaterThan(2 * paletteError);
  });
});

describe('memory', () => {
  it('is what is stated, and refused where it is not there', () => {
    for (const width of [1, 7, 1000, 16384]) {
      const kernel = linked(module, 128);
      const before = kernel.taken();
      expect(kernel.beginQuantizer(width)).toBe(1);
      expect(kernel.taken() - before).toBeLessThanOrEqual(1.125 * 2 ** 20 + 102 * width + 512);
      expect(kernel.taken() - before).toBeGreaterThan(1.125 * 2 ** 20 + 100 * width);
    }
    const cramped = linked(module, 18);
    cramped.allocate(cramped.room() - 1_100_000);
    expect(cramped.beginQuantizer(100)).toBe(0);
  });

  it('does not matter to pictures of one pixel, one row or one column', () => {
    for (const [width, height] of [
      [1, 1],
      [300, 1],
      [1, 300],
    ] as const) {
      const result = quantized(linked(module), noise(width, height, 9, false), 255);
      expect(result.indices.length).toBe(width * height);
      expect(Math.max(...result.indices)).toBeLessThan(result.palette.length);
    }
  });
});
