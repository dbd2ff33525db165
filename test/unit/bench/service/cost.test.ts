import { expect, it } from 'vitest';
import { costOf } from '../../../../bench/service/cost.ts';

it('a million requests cost what the price list says', () => {
  const cost = costOf(1_000_000, 100, { calls: 2, active: 0.01, rows: 2, databaseRows: 0.5 });
  expect(cost.requests).toBeCloseTo(0.3, 9);
  expect(cost.cpu).toBeCloseTo(2, 9);
  expect(cost.counting).toBeCloseTo(0.3 + 0.016 + 2.5, 9);
  expect(cost.total).toBeCloseTo(5.116, 9);
});
