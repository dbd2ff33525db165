import { expect, test } from 'vitest';
import type { Payment } from '../../../../../src/cabinet/browser/api/wire.ts';
import { confirmationOf, pauses } from '../../../../../src/cabinet/browser/payment/confirmation.ts';

function payment(id: string, status: Payment['status']): Payment {
  const created_at = '2026-11-21T10:00:00.000Z';
  return { id, created_at, pack: 'small', files: 1000, amount: 500, currency: 'usd', status };
}

test('a pending payment is waited for until it is paid', () => {
  const first = [payment('pay_b', 'pending'), payment('pay_a', 'paid')];
  expect(confirmationOf(first, first)).toEqual({ kind: 'waiting' });
  const later = [payment('pay_b', 'paid'), payment('pay_a', 'paid')];
  expect(confirmationOf(first, later)).toEqual({ kind: 'paid', payment: later[0] });
});

test('what was confirmed before the page opened is confirmed at once', () => {
  const first = [payment('pay_b', 'paid'), payment('pay_a', 'pending')];
  expect(confirmationOf(first, first)).toEqual({ kind: 'paid', payment: first[0] });
});

test('an older checkout may be the one that was paid', () => {
  const first = [payment('pay_b', 'pending'), payment('pay_a', 'pending')];
  const later = [payment('pay_b', 'pending'), payment('pay_a', 'paid')];
  expect(confirmationOf(first, later)).toEqual({ kind: 'paid', payment: later[1] });
});

test('an older payment that was paid before says nothing about the new one', () => {
  const first = [payment('pay_b', 'pending'), payment('pay_a', 'paid')];
  const later = [payment('pay_b', 'failed'), payment('pay_a', 'paid')];
  expect(confirmationOf(first, later)).toEqual({ kind: 'failed' });
});

test('without any payment there is nothing but waiting', () => {
  expect(confirmationOf([], [])).toEqual({ kind: 'waiting' });
});

test('the pauses grow, and end within two minutes', () => {
  expect(pauses).toEqual(pauses.toSorted((a, b) => a - b));
  expect(pauses.reduce((sum, pause) => sum + pause, 0)).toBeLessThanOrEqual(120);
});
