import { describe, expect, it } from 'vitest';
import {
  type AgainstFixed,
  bytesAt,
  failuresOfFixed,
  fixedTable,
} from '../../../../bench/targets/fixed.ts';

describe('bytes at a mean score', () => {
  const sums = [
    { bytes: 400, score: 80 },
    { bytes: 100, score: 60 },
    { bytes: 200, score: 70 },
  ];

  it('lie between two sums by their logarithm', () => {
    expect(bytesAt(65, sums)).toBeCloseTo(100 * Math.SQRT2);
    expect(bytesAt(70, sums)).toBeCloseTo(200);
  });

  it('go on beyond all of them as they did last', () => {
    expect(bytesAt(90, sums)).toBeCloseTo(800);
    expect(bytesAt(50, sums)).toBeCloseTo(50);
  });

  it('take a sum that comes twice for one', () => {
    expect(bytesAt(75, [...sums, { bytes: 200, score: 70 }])).toBeCloseTo(200 * Math.SQRT2);
  });
});

it('fails where fixed figures take fewer bytes', () => {
  const row: AgainstFixed = {
    format: 'jpeg',
    ...{ figure: 77, pictures: 2, target: 78 },
    ...{ fixed: { bytes: 1000, score: 78 }, auto: { bytes: 900, score: 77 } },
    ...{ atTarget: { bytes: 990, score: 78 }, bytesAtSameScore: 990 },
  };
  expect(failuresOfFixed([row])).toEqual([]);
  expect(failuresOfFixed([{ ...row, bytesAtSameScore: 1050 }])).toEqual([
    'jpeg: 5.0 % more bytes than quality=77 at the same mean score',
  ]);
  expect(fixedTable([row]).rows).toEqual([
    [
      'jpeg, quality=77',
      '2',
      '1000',
      '78.00',
      '900',
      '77.00',
      '78',
      '990',
      '78.00',
      '990',
      '0.990',
    ],
  ]);
});
