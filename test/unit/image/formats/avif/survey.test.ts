import { describe, expect, it } from 'vitest';
import { surveyOf } from '../../../../../src/image/formats/avif/codec/survey.ts';
import type { Raster } from '../../../../../src/image/pixels/raster.ts';
import { rowsOf } from '../../../../../src/image/pixels/row-source.ts';
import { runAtOnce } from '../../../../../src/image/slices.ts';
import { Random } from '../../../../support/random.ts';

type Pixel = readonly [number, number, number, number];

function drawn(width: number, height: number, colorAt: (x: number, y: number) => Pixel): Raster {
  const data = new Uint8ClampedArray(4 * width * height);
  for (let i = 0; i < width * height; i += 1) {
    data.set(colorAt(i % width, Math.floor(i / width)), 4 * i);
  }
  return { width, height, data };
}

const survey = (raster: Raster) => runAtOnce(surveyOf(rowsOf(raster)));

describe('what halving chroma loses', () => {
  it('is nothing where pairs of pixels have one colour, or none have any', () => {
    const pairs = drawn(64, 48, (x, y) => [40 * ((x >> 1) % 6), 30 * ((y >> 1) % 8), 90, 255]);
    expect(survey(pairs).washedOut).toBe(0);
    const random = new Random(1);
    const grey = drawn(61, 47, () => {
      const level = random.word() & 255;
      return [level, level, level, 255];
    });
    expect(survey(grey)).toMatchObject({ washedOut: 0 });
    for (const raster of [pairs, grey]) expect(survey(raster).lost).toBeCloseTo(0, 3);
  });

  it('is all of a pattern of single coloured pixels, and what is red on blue', () => {
    const pattern = drawn(64, 64, (x, y) =>
      (x + y) % 2 === 0 ? [230, 20, 20, 255] : [20, 20, 230, 255],
    );
    expect(survey(pattern).washedOut).toBe(1);
    const stroke = drawn(64, 64, (x) => (x === 33 ? [230, 20, 20, 255] : [20, 20, 230, 255]));
    expect(survey(stroke).washedOut).toBe(1 / 4);
  });

  it('leaves aside what is hidden', () => {
    const hidden = drawn(64, 64, (x, y) =>
      (x + y) % 2 === 0 ? [230, 20, 20, 255] : [20, 20, 230, 0],
    );
    expect(survey(hidden).washedOut).toBe(0);
  });

  it('is what the samples themselves lose', () => {
    const random = new Random(7);
    for (const spread of [8, 12, 16, 24, 40]) {
      const raster = drawn(32, 16, () => [
        100 + (random.word() % spread),
        90 + (random.word() % spread),
        110 + (random.word() % spread),
        255,
      ]);
      const lost = [0, 16].filter((left) => lostIn(raster, left) > 6).length;
      expect(survey(raster).washedOut).toBe(lost / 2);
    }
  });
});

/** Levels RMS that a block of 16 × 16 loses to the means of its chroma, by way of its samples. */
function lostIn({ width, data }: Raster, left: number): number {
  const chroma = (x: number, y: number) => {
    const [r = 0, g = 0, b = 0] = data.subarray(4 * (y * width + x));
    const luma = 0.299 * r + 0.587 * g + 0.114 * b;
    return [(b - luma) / 1.772, (r - luma) / 1.402];
  };
  let squares = 0;
  for (let y = 0; y < 16; y += 2) {
    for (let x = left; x < left + 16; x += 2) {
      const four = [chroma(x, y), chroma(x + 1, y), chroma(x, y + 1), chroma(x + 1, y + 1)];
      const mean = [0, 1].map((i) => four.reduce((sum, one) => sum + (one[i] ?? 0) / 4, 0));
      for (const [blue = 0, red = 0] of four) {
        const [dB, dR] = [blue - (mean[0] ?? 0), red - (mean[1] ?? 0)];
        squares += (1.402 * dR) ** 2 + (1.772 * dB) ** 2 + (0.344136 * dB + 0.714136 * dR) ** 2;
      }
    }
  }
  return Math.sqrt(squares / (3 * 256));
}

describe('the detail of luma', () => {
  it('is none in a ramp, whatever its slope, and twice the steps of a checkerboard', () => {
    const ramp = drawn(40, 30, (x, y) => [2 * x + 3 * y, 2 * x + 3 * y, 2 * x + 3 * y, 255]);
    expect(survey(ramp).detail).toBeCloseTo(0, 4);
    const board = drawn(40, 30, (x, y) => {
      const level = (x + y) % 2 === 0 ? 100 : 110;
      return [level, level, level, 255];
    });
    expect(survey(board).detail).toBeCloseTo(20, 3);
  });

  it('is that of pixels that are seen', () => {
    const random = new Random(3);
    const hidden = drawn(40, 30, (x) => {
      const level = x < 20 ? random.word() & 255 : 80;
      return [level, level, level, x < 20 ? 0 : 255];
    });
    expect(survey(hidden).detail).toBe(0);
  });

  it('is that of a gray picture only if every pixel is gray', () => {
    const colored = (count: number) =>
      survey(drawn(5, 5, (x, y) => [70, 70, x + 5 * y < count ? 71 : 70, 255])).isGrey;
    expect([0, 1, 25].map(colored)).toEqual([true, false, false]);
  });

  it('is a number for a single pixel', () => {
    expect(survey(drawn(1, 1, () => [9, 8, 7, 255]))).toEqual({
      washedOut: 0,
      lost: 0,
      detail: 0,
      isGrey: false,
    });
  });
});
