import { describe, expect, it } from 'vitest';
import { drawnLimits } from '../../../../bench/targets/limits/drawn.ts';
import {
  failuresOf,
  isSpanned,
  type Limited,
  limitedTable,
  unreachableTable,
} from '../../../../bench/targets/limits/report.ts';

const run: Limited = {
  ...{ name: 'a.png', format: 'webp', limit: 10_000 },
  ...{ bytes: 9500, quality: 70, score: 72, whole: 71, smallest: null, least: null },
} as const;

describe('limits that are drawn', () => {
  const file = { name: 'a.png', bytes: new Uint8Array(100_000) };
  const subjects = [{ file, formats: ['webp', 'avif'] as const }];

  it('are the same ones each time, between 5 and 80 % of the source', () => {
    const limits = drawnLimits(subjects, undefined);
    expect(limits).toHaveLength(200);
    expect(drawnLimits(subjects, undefined)).toEqual(limits);
    expect(Math.min(...limits.map(({ limit }) => limit))).toBeGreaterThanOrEqual(5000);
    expect(Math.max(...limits.map(({ limit }) => limit))).toBeLessThanOrEqual(80_000);
    expect(new Set(limits.map(({ format }) => format)).size).toBe(2);
  });

  it('are fewer where few pictures are wanted', () => {
    expect(drawnLimits(subjects, 1)).toHaveLength(5);
  });
});

describe('the report of limits', () => {
  it('knows where more bytes could have been used', () => {
    expect(isSpanned(run)).toBe(true);
    expect(isSpanned({ ...run, quality: 98 })).toBe(false);
    expect(isSpanned({ ...run, quality: 'lossless' })).toBe(false);
    expect(isSpanned({ ...run, score: 94.6 })).toBe(false);
    expect(isSpanned({ ...run, format: 'png' })).toBe(false);
  });

  it('has what is used of limits', () => {
    const [row] = limitedTable([
      run,
      { ...run, bytes: 9000 },
      { ...run, quality: 'lossless' },
    ]).rows;
    expect(row).toEqual([...['webp', '3', '0', '0', '0', '2', '0.925', '0.900', '0.900', '1']]);
  });

  it('compares what a refusal tells with the least target', () => {
    const refused = { ...run, bytes: null, whole: null, smallest: 12_000, least: 12_000 };
    expect(unreachableTable([refused]).rows[0]).toEqual([
      ...['webp', '1', '1', '1.000', '1.000', '1.000', '0'],
    ]);
  });

  it('fails where a limit is exceeded, is refused though it can be reached, or leaves too low a score', () => {
    const refused = { ...run, bytes: null, whole: null, smallest: 12_000 };
    expect(
      failuresOf([
        ...[run, { ...run, bytes: 10_001 }, { ...refused, least: 9000 }],
        ...[
          { ...refused, least: 12_000 },
          { ...run, whole: 20 },
        ],
      ]),
    ).toEqual([
      'a.png → webp, max_bytes=10000: 10001 bytes',
      'a.png → webp, max_bytes=10000: refused, though target=30 takes 9000 bytes',
      'a.png → webp, max_bytes=10000: answered with a score of 20.0',
    ]);
  });
});
