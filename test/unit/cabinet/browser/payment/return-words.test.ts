import { expect, test } from 'vitest';
import {
  type PaymentState,
  returnMessage,
} from '../../../../../src/cabinet/browser/payment/confirmation.ts';

const settled = (status: 'paid' | 'failed' | 'refunded', files = 1000): PaymentState => ({
  kind: 'settled',
  status,
  price: { files, amount: 30_000, currency: 'usd' },
});

test('thanks are for what was paid alone', () => {
  const others: readonly PaymentState[] = [
    settled('failed'),
    settled('refunded'),
    { kind: 'waiting', price: null },
    { kind: 'unknown' },
  ];
  expect(returnMessage(settled('paid'), false).title).toMatch(/^Thank you/);
  for (const other of others) {
    for (const isLate of [false, true]) {
      const { title, text } = returnMessage(other, isLate);
      expect(`${title} ${text}`).not.toMatch(/thank/i);
    }
  }
});

test('what was added is counted', () => {
  expect(returnMessage(settled('paid'), false).text).toBe(
    '1,000 files were added to your account.',
  );
  expect(returnMessage(settled('paid', 1), false).text).toBe('1 file was added to your account.');
});

test('a payment is told by its files and its amount', () => {
  const price = { files: 100_000, amount: 30_000, currency: 'usd' };
  expect(returnMessage({ kind: 'waiting', price }, false).title).toBe(
    '100,000 files · $300.00 is being confirmed.',
  );
  expect(returnMessage({ kind: 'waiting', price: null }, false).title).toBe(
    'Your payment is being confirmed.',
  );
  expect(returnMessage(settled('paid'), false).title).toBe(
    'Thank you. Your payment of $300.00 is confirmed.',
  );
});

test('a failed payment and a refunded one are said plainly', () => {
  expect(returnMessage(settled('failed'), false)).toMatchObject({
    title: 'The payment didn’t go through.',
    isGood: false,
  });
  expect(returnMessage(settled('refunded'), false)).toMatchObject({
    title: 'This payment was refunded.',
    isGood: false,
  });
});
