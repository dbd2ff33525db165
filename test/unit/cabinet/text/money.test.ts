import { describe, expect, it } from 'vitest';
import { moneyText } from '../../../../src/cabinet/text/money.ts';

describe('money', () => {
  it.each([
    [500, 'usd', '$5.00'],
    [30_000, 'eur', '€300.00'],
    [1900, 'jpy', '¥1,900'],
    [1234, 'kwd', 'KWD 1.234'],
  ])('%d of %s is %s', (amount, currency, text) => {
    expect(moneyText(amount, currency).replaceAll('\u00a0', ' ')).toBe(text);
  });
});
