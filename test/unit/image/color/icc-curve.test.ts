import { describe, expect, it } from 'vitest';
import { readCurve } from '../../../../src/image/color/icc-reader.ts';
import { gammaCurve, parametric, sampledCurve } from '../../../support/icc.ts';

const values = (tag: Uint8Array) => [0, 0.25, 0.5, 1].map((code) => readCurve(tag)?.(code) ?? null);

describe('a curve of a profile', () => {
  it.each([
    [
      'without samples',
      Uint8Array.from([...Buffer.from('curv'), 0, 0, 0, 0, 0, 0, 0, 0]),
      [0, 0.25, 0.5, 1],
    ],
    ['of one gamma', gammaCurve(2), [0, 0.0625, 0.25, 1]],
    ['of three samples', sampledCurve(3, (code) => code ** 2), [0, 0.125, 0.25, 1]],
    ['of function type 0', parametric(0, 2), [0, 0.0625, 0.25, 1]],
    ['of function type 1', parametric(1, 2, 2, -0.5), [0, 0, 0.25, 1]],
    ['of function type 2', parametric(2, 2, 1, -0.25, 0.125), [0.125, 0.125, 0.1875, 0.6875]],
    ['of function type 3', parametric(3, 2, 1, 0, 0.125, 0.5), [0, 0.03125, 0.25, 1]],
    [
      'of function type 4',
      parametric(4, 2, 1, 0, 0.125, 0.5, -0.125, 0.25),
      [0.25, 0.28125, 0.125, 0.875],
    ],
  ])('%s is read', (_, tag, expected) => {
    for (const [i, value] of values(tag).entries()) {
      expect(value).toBeCloseTo(expected[i] ?? Number.NaN, 4);
    }
  });

  it('never leaves 0–1 and is always a number', () => {
    for (const tag of [
      parametric(0, -1),
      parametric(1, 0.5, 0, 0),
      parametric(3, 0.5, -4, 1, 100, 0.5),
      parametric(4, 3, 30000, -30000, -30000, 0.5, 30000, -30000),
    ]) {
      for (const value of values(tag)) {
        expect(value).toBeGreaterThanOrEqual(0);
        expect(value).toBeLessThanOrEqual(1);
      }
    }
  });

  it('is refused when damaged, unknown or oversized', () => {
    expect(readCurve(new Uint8Array())).toBeNull();
    expect(readCurve(gammaCurve(2).subarray(0, 12))).toBeNull();
    expect(readCurve(parametric(3, 2))).toBeNull();
    expect(readCurve(parametric(5, 1, 1, 1, 1, 1, 1, 1))).toBeNull();
    expect(readCurve(sampledCurve(32768, (code) => code))).toBeNull();
    expect(readCurve(sampledCurve(32767, (code) => code))?.(0.5)).toBeCloseTo(0.5, 4);
  });
});
