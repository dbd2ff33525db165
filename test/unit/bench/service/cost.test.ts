import { expect, it } from 'vitest';
import { costOf } from '../../../../bench/service/speed/report.ts';

it('adds what requests, CPU time and rows of the database cost', () => {
  const cost = costOf(1_000_000, 100, { read: 20, written: 10 });
  expect(cost.requests).toBeCloseTo(0.3);
  expect(cost.cpu).toBeCloseTo(2);
  expect(cost.database).toBeCloseTo(0.02 + 10);
  expect(cost.total).toBeCloseTo(12.32);
});
