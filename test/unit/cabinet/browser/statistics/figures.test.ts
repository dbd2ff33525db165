import { describe, expect, it } from 'vitest';
import {
  addedByLarger,
  balanceText,
} from '../../../../../src/cabinet/browser/statistics/figures.ts';
import { savedBytes } from '../../../../../src/policy/quota.ts';

/** The figures of files of these sizes, before and after. */
function figuresOf(...files: readonly (readonly [number, number])[]) {
  const sum = (of: (before: number, after: number) => number) =>
    files.reduce((total, [before, after]) => total + of(before, after), 0);
  return {
    files: files.length,
    bytes_in: sum((before) => before),
    bytes_out: sum((_, after) => after),
    bytes_saved: sum(savedBytes),
  };
}

describe('figures of files', () => {
  it.each([
    { figures: figuresOf([100, 40], [300, 300]), added: 0 },
    { figures: figuresOf([100, 40], [10, 250]), added: 240 },
    { figures: figuresOf([10, 250]), added: 240 },
    { figures: figuresOf(), added: 0 },
  ])('add up, whatever has grown: $figures', ({ figures, added }) => {
    expect(addedByLarger(figures)).toBe(added);
    expect(figures.bytes_in - figures.bytes_saved + added).toBe(figures.bytes_out);
  });

  it('are said to be smaller by the bytes saved only if none has grown', () => {
    expect(balanceText(figuresOf([62_700_000, 20_300_000]))).toBe(
      '68% smaller: 62.7 MB became 20.3 MB in 1 image.',
    );
    expect(balanceText(figuresOf([62_600_000, 20_200_000], [100_000, 9_000_000]))).toBe(
      '62.7 MB became 29.2 MB: 33.5 MB fewer, as larger formats added 8.90 MB.',
    );
    expect(balanceText(figuresOf([100_000, 40_000], [10_000, 250_000]))).toBe(
      '110 KB became 290 KB: 180 KB more, as larger formats added 240 KB.',
    );
    expect(balanceText(figuresOf([300, 200], [100, 200]))).toBe(
      '400 B became 400 B: 0 B fewer, as larger formats added 100 B.',
    );
    expect(balanceText(figuresOf())).toContain('first image');
  });
});
