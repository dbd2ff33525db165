import { expect, test } from 'vitest';
import { offersOf } from '../../../../../src/cabinet/browser/payment/offers.ts';

const small = { id: 'small', files: 1000, amount: 500, currency: 'usd' };
const large = { id: 'large', files: 100_000, amount: 30_000, currency: 'usd' };

test('each pack says what 1,000 files cost, and the cheapest of them is the best value', () => {
  expect(offersOf([small, large])).toEqual([
    { ...small, perThousand: 500, isBestValue: false },
    { ...large, perThousand: 300, isBestValue: true },
  ]);
});

test.each([
  { packs: [small] },
  { packs: [small, { ...small, id: 'double', files: 2000, amount: 1000 }] },
  { packs: [small, { ...large, currency: 'eur' }] },
])('nothing is the best value where nothing can be compared', ({ packs }) => {
  expect(offersOf(packs).map(({ isBestValue }) => isBestValue)).toEqual(packs.map(() => false));
});

test('no packs are no offers', () => {
  expect(offersOf([])).toEqual([]);
});
