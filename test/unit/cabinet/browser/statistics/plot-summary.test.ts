import { expect, test } from 'vitest';
import { plotSummary } from '../../../../../src/cabinet/browser/statistics/figures.ts';
import { filesText, sizeText } from '../../../../../src/cabinet/text/formatting.ts';

const days = ['2026-11-18', '2026-11-19', '2026-11-20', '2026-11-21'];

test('a plot of files is told by its sum, its busiest day and its idle days', () => {
  expect(plotSummary(days, [0, 1, 1200, 0], filesText)).toBe(
    '18 Nov 2026 to 21 Nov 2026: 1,201 files in total. Peak on 20 Nov 2026: 1,200 files. None on 2 of 4 days.',
  );
});

test('days that all had something are not counted', () => {
  expect(plotSummary(days, [4000, 3000, 2000, 1000], sizeText)).toBe(
    '18 Nov 2026 to 21 Nov 2026: 10.0 KB in total. Peak on 18 Nov 2026: 4.00 KB.',
  );
});

test('where there was nothing, there is no most', () => {
  expect(plotSummary(days, [0, 0, 0, 0], filesText)).toBe('18 Nov 2026 to 21 Nov 2026: none.');
});
