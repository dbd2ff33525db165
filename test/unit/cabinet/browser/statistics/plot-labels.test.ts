import { describe, expect, test } from 'vitest';
import {
  axisSize,
  dayTicks,
  shareText,
} from '../../../../../src/cabinet/browser/statistics/figures.ts';

function daysFrom(first: string, count: number): string[] {
  const start = Date.parse(`${first}T00:00:00Z`);
  return Array.from({ length: count }, (_, i) =>
    new Date(start + i * 86_400_000).toISOString().slice(0, 10),
  );
}

describe('the labels below a plot', () => {
  test('name every day of a week', () => {
    expect(dayTicks(daysFrom('2026-11-15', 7), 10).map(({ label }) => label)).toEqual([
      '15 Nov',
      '16 Nov',
      '17 Nov',
      '18 Nov',
      '19 Nov',
      '20 Nov',
      '21 Nov',
    ]);
  });

  test('are as many as there is room for, the last day always among them', () => {
    const ticks = dayTicks(daysFrom('2026-10-23', 30), 4);
    expect(ticks.map(({ index }) => index)).toEqual([5, 13, 21, 29]);
    expect(ticks.at(-1)?.label).toBe('21 Nov');
  });

  test('are months over a year, January with its year', () => {
    const labels = dayTicks(daysFrom('2025-11-22', 365), 20).map(({ label }) => label);
    expect(labels).toHaveLength(12);
    expect(labels.slice(0, 3)).toEqual(['Dec', 'Jan 2026', 'Feb']);
  });

  test('are one at least, however narrow it is', () => {
    expect(dayTicks(daysFrom('2026-11-01', 20), 0)).toHaveLength(1);
  });
});

test.each([
  [0, '0 B'],
  [10, '10 B'],
  [2_500_000, '2.5 MB'],
  [10_000, '10 KB'],
  [100_000_000, '100 MB'],
  [1_000_000, '1 MB'],
])('%i bytes stand on the axis as %s', (bytes, text) => {
  expect(axisSize(bytes)).toBe(text);
});

test.each([
  [0, 10, '0%'],
  [1, 1000, 'under 1%'],
  [64, 100, '64%'],
  [5, 0, '0%'],
])('%i of %i is %s', (part, whole, text) => {
  expect(shareText(part, whole)).toBe(text);
});
