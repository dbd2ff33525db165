import { describe, expect, it } from 'vitest';
import {
  type AtTarget,
  failuresOfReached,
  missedTable,
  reachedTable,
} from '../../../../bench/targets/reached.ts';
import { type Scored, wayOf } from '../../../../bench/targets/searched.ts';

const scored: Scored = {
  ...{ name: 'a.png', isJpeg: false, format: 'webp', bytes: 1000, quality: 80 },
  ...{ score: 76, imageScore: 77.5, smallerAs: null, aim: 77, cpuMs: 500 },
} as const;

function at(target: number, changes: Partial<Scored> = {}): AtTarget {
  return { target, scored: { ...scored, aim: target, ...changes } };
}

describe('how a result came about', () => {
  it('is told by its quality, its format and the target that holds for it', () => {
    expect(wayOf(scored, 77)).toBe('searched');
    expect(wayOf({ ...scored, quality: 'lossless' }, 77)).toBe('exact');
    expect(wayOf({ ...scored, quality: 'original' }, 77)).toBe('exact');
    expect(wayOf({ ...scored, format: 'png' }, 77)).toBe('palette');
    expect(wayOf({ ...scored, aim: 60 }, 77)).toBe('capped');
    expect(wayOf({ ...scored, quality: 98 }, 77)).toBe('end of the scale');
  });
});

describe('the table of targets', () => {
  it('has what searches have come to, by format and target', () => {
    const rows = reachedTable([at(77), at(77, { score: 80, imageScore: 77 })]).rows;
    expect(rows.find(([name]) => name === 'webp, 77')).toEqual([
      ...['webp, 77', '2', '50.0', '3.00', '1.00', '0', '0', '0', '0', '0'],
      ...['2.25', '-3.00', '2000', '1.0'],
    ]);
  });

  it('lists those that are farther off, and fails on others than searched ones alone', () => {
    const runs = [
      at(77, { score: 80 }),
      at(77, { score: 70, quality: 'lossless' }),
      at(86, { score: 70, aim: 71 }),
      at(86, { score: 82, quality: 98 }),
      at(86, { score: 80, quality: 98 }),
    ];
    expect(missedTable(runs).rows.map((row) => row.at(-1))).toEqual([
      ...['searched', 'exact', 'end of the scale'],
    ]);
    expect(failuresOfReached(runs)).toEqual([
      'a.png → webp, target=77: 70.00 (exact)',
      'a.png → webp, target=86: 80.00 (end of the scale)',
    ]);
  });
});
