import { expect, test } from 'vitest';
import {
  type Confirmation,
  returnWords,
} from '../../../../../src/cabinet/browser/payment/confirmation.ts';

const settled = (status: 'paid' | 'failed' | 'refunded', files = 1000): Confirmation => ({
  kind: 'settled',
  status,
  files,
});

test('thanks are for what was paid alone', () => {
  const others: readonly Confirmation[] = [
    settled('failed'),
    settled('refunded'),
    { kind: 'waiting' },
    { kind: 'unknown' },
  ];
  expect(returnWords(settled('paid'), false).title).toMatch(/^Thank you/);
  for (const other of others) {
    for (const isLate of [false, true]) {
      const { title, text } = returnWords(other, isLate);
      expect(`${title} ${text}`).not.toMatch(/thank/i);
    }
  }
});

test('what was added is counted', () => {
  expect(returnWords(settled('paid'), false).text).toBe('1,000 files were added to your account.');
  expect(returnWords(settled('paid', 1), false).text).toBe('1 file was added to your account.');
});

test('a failed payment and a refunded one are said plainly', () => {
  expect(returnWords(settled('failed'), false)).toMatchObject({
    title: 'The payment did not go through.',
    isGood: false,
  });
  expect(returnWords(settled('refunded'), false)).toMatchObject({
    title: 'This payment was refunded.',
    isGood: false,
  });
});
