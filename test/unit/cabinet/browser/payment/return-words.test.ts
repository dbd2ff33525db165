import { expect, test } from 'vitest';
import {
  type PaymentState,
  returnMessage,
} from '../../../../../src/cabinet/browser/payment/confirmation.ts';

const settled = (status: 'paid' | 'failed' | 'refunded', files = 1000): PaymentState => ({
  kind: 'settled',
  status,
  files,
});

test('thanks are for what was paid alone', () => {
  const others: readonly PaymentState[] = [
    settled('failed'),
    settled('refunded'),
    { kind: 'waiting' },
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
