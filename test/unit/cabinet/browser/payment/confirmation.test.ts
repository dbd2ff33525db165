import { expect, test } from 'vitest';
import type { Payment } from '../../../../../src/cabinet/browser/api/wire.ts';
import {
  paymentState,
  pollDelays,
  statusWords,
} from '../../../../../src/cabinet/browser/payment/confirmation.ts';

function payment(id: string, status: Payment['status']): Payment {
  const created_at = '2026-11-21T10:00:00.000Z';
  const price = { files: 1000, amount: 500, currency: 'usd' };
  return { id, created_at, pack: 'small', ...price, status, receipt_url: null };
}

test('a pending payment is waited for', () => {
  const payments = [payment('pay_b', 'pending'), payment('pay_a', 'paid')];
  expect(paymentState('pay_b', payments)).toEqual({
    kind: 'waiting',
    price: { files: 1000, amount: 500, currency: 'usd' },
  });
});

test.each(['paid', 'failed', 'refunded'] as const)('a payment that is %s is settled', (status) => {
  const payments = [payment('pay_b', status), payment('pay_a', 'pending')];
  expect(paymentState('pay_b', payments)).toEqual({
    kind: 'settled',
    status,
    price: { files: 1000, amount: 500, currency: 'usd' },
  });
});

test('other payments, newer or older, say nothing about it', () => {
  const payments = [payment('pay_c', 'paid'), payment('pay_b', 'failed'), payment('pay_a', 'paid')];
  expect(paymentState('pay_b', payments)).toMatchObject({ kind: 'settled', status: 'failed' });
});

test('a payment of another account is not waited for', () => {
  expect(paymentState('pay_x', [payment('pay_a', 'paid')])).toEqual({ kind: 'unknown' });
  expect(paymentState('pay_x', [])).toEqual({ kind: 'unknown' });
});

test('the pollDelays grow, and end within two minutes', () => {
  expect(pollDelays).toEqual(pollDelays.toSorted((a, b) => a - b));
  expect(pollDelays.reduce((sum, pause) => sum + pause, 0)).toBeLessThanOrEqual(120);
});

test('a pending payment is said to be processed only where its notice says so', () => {
  const pending = payment('pay_a', 'pending');
  expect(statusWords(pending, true).name).toBe('Processing');
  expect(statusWords(pending, false)).toMatchObject({
    name: 'Not completed',
    meaning: 'No payment has arrived.',
  });
  expect(statusWords(payment('pay_a', 'paid'), true).name).toBe('Paid');
});
