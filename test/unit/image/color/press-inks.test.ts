import { describe, expect, it } from 'vitest';
import { pressColors } from '../../../../src/image/color/press-inks.ts';

const colors = pressColors();
const white = [0.9642, 1, 0.8249];

/** CIE L*, a* and b* on paper of 95, 0, −2. */
function lab(...inks: number[]): number[] {
  const paper = [111 / 116, 111 / 116, 111 / 116 + 2 / 200].map((value) => value ** 3);
  const [x = 0, y = 0, z = 0] = xyz(...inks).map((value, i) =>
    root((value / (white[i] ?? 1)) * (paper[i] ?? 1)),
  );
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

function xyz(...inks: number[]): number[] {
  const values = Float64Array.from(inks);
  colors(values);
  return [...values.subarray(0, 3)];
}

const root = (value: number) =>
  value > (6 / 29) ** 3 ? Math.cbrt(value) : (value * 24389) / 27 / 116 + 16 / 116;

describe('the inks of a press', () => {
  it('leave paper white', () => {
    for (const [i, value] of xyz(0, 0, 0, 0).entries()) expect(value).toBeCloseTo(white[i] ?? 0, 6);
  });

  it.each([
    ['cyan', [1, 0, 0, 0], [55, -37, -50]],
    ['magenta', [0, 1, 0, 0], [48, 74, -3]],
    ['yellow', [0, 0, 1, 0], [89, -5, 93]],
    ['black', [0, 0, 0, 1], [16, 0, 0]],
    ['cyan and magenta', [1, 1, 0, 0], [24, 17, -46]],
    ['cyan and yellow', [1, 0, 1, 0], [50, -65, 27]],
    ['magenta and yellow', [0, 1, 1, 0], [47, 68, 48]],
    ['all three', [1, 1, 1, 0], [23, 0, 0]],
  ])('are those of ISO 12647-2 where they are solid: %s', (_name, inks, expected) => {
    for (const [i, value] of lab(...inks).entries()) expect(value).toBeCloseTo(expected[i] ?? 0, 6);
  });

  it.each([
    ['cyan by red light', 0, 0, 0.53],
    ['magenta by green light', 1, 1, 0.53],
    ['yellow by blue light', 2, 2, 0.53],
    ['black', 3, 1, 0.56],
  ])('of 40 %% cover as much as densitometers measure: %s', (_name, ink, axis, area) => {
    const of = (amount: number) =>
      xyz(...[0, 1, 2, 3].map((i) => (i === ink ? amount : 0)))[axis] ?? 0;
    expect((of(0) - of(0.4)) / (of(0) - of(1))).toBeCloseTo(area, 6);
  });

  it('make it darker the more there is of them, of black under others too', () => {
    const steps = [0, 0.25, 0.5, 0.75, 1];
    for (const ink of [0, 1, 2, 3]) {
      for (const others of [0, 0.5, 1]) {
        const lights = steps.map((amount) => {
          const inks = [others, others, others, others].with(ink, amount);
          return xyz(...inks)[1] ?? 0;
        });
        expect(lights).toEqual(lights.toSorted((a, b) => b - a));
      }
    }
    expect(lab(1, 1, 1, 1)[0]).toBeLessThan(10);
  });
});
