import { expect, it } from 'vitest';
import {
  addDays,
  dayOf,
  daysIn,
  firstDayKept,
  monthOf,
  nextDay,
  nextMonth,
} from '../../../src/policy/quota.ts';

const lastMoment = Date.UTC(2026, 11, 31, 23, 59, 59, 999);

it('days and months are those of UTC', () => {
  expect(dayOf(lastMoment)).toBe('2026-12-31');
  expect(monthOf(lastMoment)).toBe('2026-12');
  expect(monthOf(lastMoment + 1)).toBe('2027-01');
});

it('the month after December is January of the next year', () => {
  expect(nextMonth(lastMoment).toISOString()).toBe('2027-01-01T00:00:00.000Z');
});

it('the day after the last of December is the first of January', () => {
  expect(nextDay(lastMoment).toISOString()).toBe('2027-01-01T00:00:00.000Z');
  expect(nextDay(lastMoment + 1).toISOString()).toBe('2027-01-02T00:00:00.000Z');
});

it('days are counted over leap days, both ends included', () => {
  expect(addDays('2028-02-28', 1)).toBe('2028-02-29');
  expect(addDays('2028-03-01', -1)).toBe('2028-02-29');
  expect(daysIn('2028-02-28', '2028-03-01')).toBe(3);
  expect(daysIn('2028-03-01', '2028-03-01')).toBe(1);
  expect(daysIn('2028-03-01', '2028-02-29')).toBe(0);
});

it('days are kept for the month that they are in and thirteen more, each as a whole', () => {
  expect(firstDayKept(Date.UTC(2026, 10, 1))).toBe('2025-10-01');
  expect(firstDayKept(Date.UTC(2026, 10, 30, 23, 59, 59, 999))).toBe('2025-10-01');
  expect(firstDayKept(Date.UTC(2026, 11, 1))).toBe('2025-11-01');
  expect(firstDayKept(Date.UTC(2026, 0, 31))).toBe('2024-12-01');
  expect(firstDayKept(Date.UTC(2026, 1, 28))).toBe('2025-01-01');
});
