import { expect, it } from 'vitest';
import {
  boundOf,
  failuresOf,
  overBound,
  type Search,
} from '../../../../bench/targets/search-cpu.ts';

const search: Search = { format: 'avif', megapixels: 3, quality: '72', auto: 1400, pass: 1000 };

it('lets a search take half of a pass, or a quarter of a second', () => {
  expect(boundOf(search)).toBe(500);
  expect(boundOf({ ...search, pass: 100 })).toBe(250);
  expect(overBound(search)).toBeCloseTo(0.8);
});

it('fails where a search takes more', () => {
  expect(failuresOf([search, { ...search, auto: 1600 }])).toEqual([
    'avif, 3 MP: a search of 600 ms, 500 allowed',
  ]);
});
