import { describe, expect, it } from 'vitest';
import { corpusJobs } from '../../../../bench/service/cpu/jobs.ts';
import type { MeasuredCpu } from '../../../../bench/service/cpu/measure.ts';
import { failuresOf, isAsPredicted, verdict } from '../../../../bench/service/cpu/report.ts';

function row(predicted: number, measured: number): MeasuredCpu {
  return { name: 'a.png → webp', megapixels: 1, predicted, measured };
}

describe('predicted computing time', () => {
  it('holds within a factor of two, and where both times are short', () => {
    expect([row(100, 51), row(51, 100), row(4, 1), row(0.5, 4.9)].every(isAsPredicted)).toBe(true);
    expect([row(100, 49), row(49, 100), row(6, 1), row(1, 6)].some(isAsPredicted)).toBe(false);
  });

  it('is a failure where it holds for fewer than 95 %', () => {
    const hold = Array.from({ length: 19 }, () => row(20, 20));
    expect(verdict([...hold, row(20, 50)])).toBe('within a factor of two: 19 of 20 (95.0 %)');
    expect(failuresOf([...hold, row(20, 50)])).toEqual([]);
    expect(failuresOf([...hold, row(20, 50), row(20, 50)])).toHaveLength(1);
  });

  it('is a failure where work began that would take too long', () => {
    expect(failuresOf([row(100_001, 90_000)])).toEqual([
      'a.png → webp: begun with 100001 ms predicted',
    ]);
  });
});

describe('the jobs of a folder of pictures', () => {
  const files = ['a/1.png', 'a/2.png', 'b/1.jpg'].map((name) => ({
    name,
    bytes: new Uint8Array(),
  }));

  it('keep each picture’s format, and take other ways in turn', () => {
    const names = corpusJobs(files, false).map(({ name }) => name);
    expect(names.filter((name) => name.endsWith('→ keep'))).toHaveLength(3);
    expect(new Set(names).size).toBe(12);
  });

  it('are all ways of all pictures at full length', () => {
    expect(corpusJobs(files, true).length).toBeGreaterThan(3 * 12);
  });
});
