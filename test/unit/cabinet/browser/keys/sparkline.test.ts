import { expect, it } from 'vitest';
import { sparklinePaths } from '../../../../../src/cabinet/browser/keys/sparkline-paths.ts';

it('a sparkline goes from the first day at the left to today at the right, the highest at the top', () => {
  expect(sparklinePaths([0, 5, 10])).toEqual({
    line: 'M0 26.5L48 14L96 1.5',
    area: 'M0 26.5L48 14L96 1.5V28H0Z',
  });
});

it('a sparkline of nothing lies on the ground, and of one day is a point', () => {
  expect(sparklinePaths([0, 0]).line).toBe('M0 26.5L96 26.5');
  expect(sparklinePaths([3]).line).toBe('M0 1.5');
});
