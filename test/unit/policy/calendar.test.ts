import { expect, it } from 'vitest';
import { dayOf, monthOf, nextMonth } from '../../../src/policy/calendar.ts';

const lastMoment = Date.UTC(2026, 11, 31, 23, 59, 59, 999);

it('days and months are those of UTC', () => {
  expect(dayOf(lastMoment)).toBe('2026-12-31');
  expect(monthOf(lastMoment)).toBe('2026-12');
  expect(monthOf(lastMoment + 1)).toBe('2027-01');
});

it('the month after December is January of the next year', () => {
  expect(nextMonth(lastMoment).toISOString()).toBe('2027-01-01T00:00:00.000Z');
});
