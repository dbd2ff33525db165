import { expect, test } from 'vitest';
import { offersOf } from '../../../../../src/cabinet/browser/payment/offers.ts';

const small = { id: 'small', files: 1000, amount: 500, currency: 'usd' };
const large = { id: 'large', files: 100_000, amount: 30_000, currency: 'usd' };

test('the pack with the cheapest files is the best value', () => {
  expect(offersOf([small, large])).toEqual([
    { ...small, isBestValue: false, isSmallest: true },
    { ...large, isBestValue: true, isSmallest: false },
  ]);
});

test.each([
  { what: 'one pack', packs: [small] },
  {
    what: 'files of one price',
    packs: [small, { ...small, id: 'double', files: 2000, amount: 1000 }],
  },
  {
    what: 'a difference that the prices on the page do not show',
    packs: [small, { ...large, amount: 49_999 }],
  },
  { what: 'packs of different currencies', packs: [small, { ...large, currency: 'eur' }] },
  {
    what: 'two packs that are the cheapest',
    packs: [small, large, { ...large, id: 'huge', files: 200_000, amount: 60_000 }],
  },
])('with $what nothing is the best value', ({ packs }) => {
  expect(offersOf(packs).map(({ isBestValue }) => isBestValue)).toEqual(packs.map(() => false));
});

test('one pack is not the smallest of any', () => {
  expect(offersOf([small])).toEqual([{ ...small, isBestValue: false, isSmallest: false }]);
});

test('no packs are no offers', () => {
  expect(offersOf([])).toEqual([]);
});
