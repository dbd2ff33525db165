import { describe, expect, it } from 'vitest';
import {
  atScore,
  eachAtEqualScore,
  equalScoreTable,
  rateCurvePlot,
} from '../../../bench/measures/rate-curves.ts';

const points = [
  { score: 90, bytes: 4000, time: 40 },
  { score: 70, bytes: 1000, time: 10 },
];

describe('bytes at a score', () => {
  it('are those of the point that has it', () => {
    expect(atScore(points, 70, 'bytes')).toBe(1000);
    expect(atScore(points, 90, 'bytes')).toBe(4000);
  });

  it('lie between two points by their logarithm, and so does time', () => {
    expect(atScore(points, 80, 'bytes')).toBeCloseTo(2000);
    expect(atScore(points, 75, 'bytes')).toBeCloseTo(1000 * 4 ** 0.25);
    expect(atScore(points, 80, 'time')).toBeCloseTo(20);
  });

  it('are unknown where no point is below or none above', () => {
    expect(atScore(points, 69, 'bytes')).toBeUndefined();
    expect(atScore(points, 91, 'bytes')).toBeUndefined();
    expect(atScore([], 80, 'bytes')).toBeUndefined();
  });

  it('do not mind two points of the same score', () => {
    const twice = [...points, { score: 70, bytes: 1100, time: 10 }];
    expect(atScore(twice, 80, 'bytes')).toBeCloseTo(Math.sqrt(1100 * 4000));
  });
});

describe('coders compared at equal scores', () => {
  const curveOf = (bytes: number, time: number) =>
    [60, 95].map((score) => ({ score, bytes, time }));
  const picture = (ours: number, theirs: number) => ({
    name: `${ours} bytes`,
    pixels: 10_000,
    points: new Map([
      ['ours', curveOf(ours, 5)],
      ['peer', curveOf(theirs, 20)],
    ]),
  });
  const curves = [picture(80, 100), picture(90, 100), picture(300, 100)];

  it('gives the median of the ratios of each picture, and theirs in time for a megapixel', () => {
    const { columns, rows } = equalScoreTable('caption', curves, 'ours', ['peer']);
    expect(columns[0]).toBe('ours, against');
    const ratios = ['0.900', '0.900', '0.900', '0.900', '0.900', '0.900'];
    expect(rows).toEqual([['peer', ...ratios, '2000', '0.25']]);
  });

  it('leaves a cell empty for a coder that reaches no such score', () => {
    const { rows } = equalScoreTable('caption', curves, 'ours', ['absent']);
    expect(rows).toEqual([['absent', '–', '–', '–', '–', '–', '–', '–', '–']]);
  });

  it('tells them picture by picture, with the mean of each and the worst of all', () => {
    const high = [75, 95].map((score) => ({ score, bytes: 50, time: 5 }));
    const short = {
      ...picture(50, 100),
      points: new Map([...picture(50, 100).points, ['ours', high]]),
    };
    const { rows } = eachAtEqualScore('caption', [...curves.slice(0, 2), short], 'ours', 'peer');
    const same = (ratio: string) => Array.from({ length: 6 }, () => ratio);
    expect(rows).toEqual([
      ['80 bytes', ...same('0.800'), '0.25'],
      ['90 bytes', ...same('0.900'), '0.25'],
      ['50 bytes', '–', '–', '0.500', '0.500', '0.500', '0.500', '0.25'],
      ['the worst', ...same('0.900'), '0.25'],
    ]);
  });

  it('plots bytes a pixel only at scores that every picture reaches', () => {
    const short = { ...picture(50, 50), points: new Map([['ours', points]]) };
    const { series } = rateCurvePlot({ name: 'n', title: 't' }, [...curves, short], ['ours']);
    const scores = series[0]?.points.map(({ y }) => y) ?? [];
    expect(Math.min(...scores)).toBeGreaterThanOrEqual(70);
    expect(Math.max(...scores)).toBeLessThanOrEqual(90);
    expect(scores.length).toBeGreaterThan(5);
  });
});
