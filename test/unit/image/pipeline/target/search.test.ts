import { describe, expect, it } from 'vitest';
import {
  expectedBytes,
  expectedScore,
  maxTrials,
  type SearchedScale,
  searchQuality,
  searchTried,
} from '../../../../../src/image/pipeline/target/search.ts';
import { runAtOnce } from '../../../../../src/image/slices.ts';

const scale: SearchedScale = {
  scores: [
    [0, 0],
    [50, 60],
    [100, 100],
  ],
  lowest: 5,
  highest: 98,
  leaps: [],
};

/** A picture whose scores lie on a curve of its own. */
function picture(scoreAt: (quality: number) => number) {
  const tried: number[] = [];
  const tryAt = function* (quality: number) {
    tried.push(quality);
    return { quality, score: scoreAt(quality), bytes: 1000 * 1.04 ** quality };
  };
  return { tried, tryAt };
}

describe('searchTried', () => {
  it('takes no quality that it has not tried, and stops where one is near enough', () => {
    const scoreAt = (quality: number) => 10 + 0.8 * quality;
    for (const target of [50, 65, 77, 86]) {
      const { tried, tryAt } = picture(scoreAt);
      const { quality, score } = runAtOnce(searchTried(target, scale, tryAt));
      expect(tried).toContain(quality);
      expect(score).toBe(scoreAt(quality));
      expect(Math.abs(score - target)).toBeLessThanOrEqual(1.5);
      expect(tried.length).toBeLessThanOrEqual(3);
    }
  });

  it('takes the nearest that it has tried where scores leap, tries none twice, and no more than six', () => {
    const scoreAt = (quality: number) => 50 + 30 * Math.sin(quality);
    const { tried, tryAt } = picture(scoreAt);
    const { quality } = runAtOnce(searchTried(77, scale, tryAt));
    const offs = tried.map((one) => Math.abs(scoreAt(one) - 77));
    expect(Math.abs(scoreAt(quality) - 77)).toBe(Math.min(...offs));
    expect(new Set(tried).size).toBe(tried.length);
    expect(tried.length).toBeLessThanOrEqual(maxTrials);
  });

  it('says that a target lies beyond the scale', () => {
    const { tryAt } = picture((quality) => 0.8 * quality);
    expect(runAtOnce(searchTried(86, scale, tryAt))).toMatchObject({ quality: 98, isBeyond: true });
  });
});

describe('searchQuality', () => {
  it.each([
    ['scores as usual', (quality: number) => (quality < 50 ? 1.2 * quality : 20 + 0.8 * quality)],
    ['scores less', (quality: number) => 10 + 0.8 * quality],
    ['scores more', (quality: number) => 40 + 0.55 * quality],
    ['scores on a steep curve', (quality: number) => 1.6 * quality - 45],
  ])('finds the quality within a point where a picture %s', (_how, scoreAt) => {
    for (const target of [50, 65, 77, 86]) {
      const { tried, tryAt } = picture(scoreAt);
      const { quality, score } = runAtOnce(searchQuality(target, scale, tryAt));
      expect(Math.abs(scoreAt(quality) - target)).toBeLessThanOrEqual(1);
      expect(Math.abs(scoreAt(quality) - score)).toBeLessThanOrEqual(1);
      expect(tried.length).toBeLessThanOrEqual(4);
    }
  });

  it('tries no quality twice, and no more than six', () => {
    const { tried, tryAt } = picture((quality) => 50 + 30 * Math.sin(quality));
    runAtOnce(searchQuality(77, scale, tryAt));
    expect(new Set(tried).size).toBe(tried.length);
    expect(tried.length).toBeLessThanOrEqual(maxTrials);
  });

  it('says that a target lies beyond the scale, and gives its end', () => {
    const { tryAt } = picture((quality) => 0.8 * quality);
    expect(runAtOnce(searchQuality(86, scale, tryAt))).toMatchObject({
      quality: 98,
      isBeyond: true,
    });
  });

  it('trusts no trial beyond a leap of the scores', () => {
    const { tried, tryAt } = picture((quality) => (quality < 80 ? 60 : 75) + 0.1 * quality);
    const { quality } = runAtOnce(searchQuality(76, { ...scale, leaps: [80] }, tryAt));
    expect(tried.some((one) => one < 80)).toBe(true);
    expect(tried.some((one) => one >= 80)).toBe(true);
    expect(quality).toBe(80);
  });

  it('ends where only one trial is allowed with what that says', () => {
    const { tried, tryAt } = picture((quality) => 10 + 0.8 * quality);
    const { quality, score } = runAtOnce(searchQuality(77, scale, tryAt, { most: 1 }));
    expect(tried).toHaveLength(1);
    expect(quality).toBeGreaterThan(tried[0] ?? 0);
    expect(score).toBeCloseTo(77, 0);
  });
});

describe('expectedScore', () => {
  it('is the usual one before anything was tried, and that of a trial at its quality', () => {
    expect(expectedScore(50, scale, [])).toBe(60);
    expect(expectedScore(50, scale, [{ quality: 50, score: 71, bytes: 1 }])).toBe(71);
  });

  it('lies between those of two trials', () => {
    const trials = [
      { quality: 60, score: 80, bytes: 1 },
      { quality: 40, score: 60, bytes: 1 },
    ];
    expect(expectedScore(50, scale, trials)).toBeGreaterThan(60);
    expect(expectedScore(50, scale, trials)).toBeLessThan(80);
  });
});

describe('expectedBytes', () => {
  const trials = [
    { quality: 60, score: 1, bytes: 2000 },
    { quality: 50, score: 1, bytes: 1000 },
  ];

  it('grows in proportion between two trials and beyond them', () => {
    expect(expectedBytes(55, trials)).toBeCloseTo(1000 * Math.SQRT2);
    expect(expectedBytes(70, trials)).toBeCloseTo(4000);
    expect(expectedBytes(40, trials)).toBeCloseTo(500);
  });
});
