import { describe, expect, it } from 'vitest';
import { srgbCurves } from '../../../../src/image/color/curves.ts';
import { lightStep, lightTables } from '../../../../src/image/pixels/light-table.ts';

const [srgb] = srgbCurves;
const power = (gamma: number) => (code: number) => code ** gamma;
const codes = Array.from({ length: 256 }, (_, code) => code);

describe('light tables', () => {
  it.each([
    ['sRGB', srgb],
    ['gamma 1.0', power(1)],
    ['gamma 1.8', power(1.8)],
    ['gamma 2.2', power(2.2)],
    ['gamma 2.6', power(2.6)],
  ])('bring every code back under %s', (_, curve) => {
    const [table] = lightTables([curve, curve, curve]);
    expect(codes.map((code) => table.codes[lightStep(table.light[code] ?? 0)])).toEqual(codes);
  });

  it.each([
    ['sRGB', srgb],
    ['gamma 1.0', power(1)],
    ['gamma 2.2', power(2.2)],
  ])('put the bounds between codes within 1/30 code under %s', (_, curve) => {
    const [table] = lightTables([curve, curve, curve]);
    for (let code = 0; code < 255; code += 1) {
      const below = curve((code + 0.5 - 1 / 30) / 255);
      const above = curve((code + 0.5 + 1 / 30) / 255);
      expect([table.codes[lightStep(below)], table.codes[lightStep(above)]]).toEqual([
        code,
        code + 1,
      ]);
    }
  });

  it('share one table where the curves are one', () => {
    const [red, green, blue] = lightTables([srgb, srgb, srgb]);
    expect([green === red, blue === red]).toEqual([true, true]);
    const other = power(2);
    const mixed = lightTables([srgb, other, other]);
    expect([mixed[1] === mixed[0], mixed[2] === mixed[1]]).toEqual([false, true]);
    expect(lightTables([other, srgb, other]).map((table) => table.light[128])).toEqual(
      [other, srgb, other].map((curve) => Math.fround(curve(128 / 255))),
    );
  });

  it('take light beyond black and white as black and white, and none as black', () => {
    const [{ codes: table }] = lightTables([srgb, srgb, srgb]);
    const lights = [-0.2, -0, 1, 1.3, Number.POSITIVE_INFINITY, Number.NaN];
    expect(lights.map((light) => table[lightStep(light)])).toEqual([0, 0, 255, 255, 255, 0]);
  });

  it.each([
    ['says NaN', () => Number.NaN, 0],
    ['says infinity', () => Number.POSITIVE_INFINITY, 1],
    ['falls below black', (code: number) => code - 2, 0],
  ])('stay between black and white under a curve that %s', (_, curve, expected) => {
    const [{ light }] = lightTables([curve, curve, curve]);
    expect([...new Set(light)]).toEqual([expected]);
  });
});
