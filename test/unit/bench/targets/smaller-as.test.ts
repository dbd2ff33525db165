import { describe, expect, it } from 'vitest';
import type { AtTarget } from '../../../../bench/targets/reached.ts';
import type { Scored } from '../../../../bench/targets/searched.ts';
import {
  isCorrect,
  jpegComparisons,
  smallerAsTable,
} from '../../../../bench/targets/smaller-as.ts';

const jpeg: Scored = {
  ...{ name: 'a.jpg', isJpeg: true, format: 'jpeg', bytes: 1000, quality: 80 },
  ...{ score: 77, imageScore: 77, smallerAs: null, aim: 77, cpuMs: 50 },
} as const;

function at(changes: Partial<Scored>, target = 77): AtTarget {
  return { target, scored: { ...jpeg, ...changes } };
}

describe('what is told of a JPEG that leaves its format', () => {
  const runs = [
    at({}),
    at({}, 86),
    at({ format: 'webp', bytes: 1050, smallerAs: 'jpeg' }),
    at({ format: 'webp', bytes: 2000 }, 86),
    at({ format: 'avif', bytes: 1100 }),
    at({ format: 'png', bytes: 9000 }),
    at({ name: 'b.png', isJpeg: false, format: 'webp', bytes: 9000 }),
  ];

  it('is held against the JPEG that was made of it at the target of auto', () => {
    expect(jpegComparisons(runs)).toEqual([
      { name: 'a.jpg', format: 'webp', ratio: 1.05, isAnnounced: true },
      { name: 'a.jpg', format: 'avif', ratio: 1.1, isAnnounced: false },
    ]);
  });

  it('is right where more than three percent are told, and no fewer', () => {
    const one = { name: 'a.jpg', format: 'webp' } as const;
    expect(isCorrect({ ...one, ratio: 1.04, isAnnounced: true })).toBe(true);
    expect(isCorrect({ ...one, ratio: 1.02, isAnnounced: true })).toBe(false);
    expect(isCorrect({ ...one, ratio: 1.02, isAnnounced: false })).toBe(true);
  });

  it('is summed up by format, with what was told wrongly', () => {
    expect(smallerAsTable(jpegComparisons(runs)).rows).toEqual([
      ['webp', '1', '1', ''],
      ['avif', '1', '0', '1.100'],
    ]);
  });
});
