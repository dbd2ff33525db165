import { describe, expect, it } from 'vitest';
import {
  moneyText,
  thousandFilesPrice,
  thousandFilesPriceText,
} from '../../../../src/cabinet/text/formatting.ts';

const plainSpaces = (text: string) => text.replaceAll('\u00a0', ' ');

describe('money', () => {
  it.each([
    [500, 'usd', '$5.00'],
    [30_000, 'eur', '€300.00'],
    [1900, 'jpy', '¥1,900'],
    [25_000, 'krw', '₩25,000'],
    [1_250_000, 'clp', 'CLP 1,250,000'],
    [1230, 'kwd', 'KWD 1.230'],
    [1230, 'bhd', 'BHD 1.230'],
    [199_000, 'huf', 'HUF 1,990.00'],
    [69_000, 'isk', 'ISK 690.00'],
    [7_900_000, 'idr', 'IDR 79,000.00'],
    [1_850_000, 'ugx', 'UGX 18,500.00'],
    [500, 'USD', '$5.00'],
  ])('%d of %s, as Stripe counts it, is %s', (amount, currency, text) => {
    expect(plainSpaces(moneyText(amount, currency))).toBe(text);
  });
});

describe('the price of 1,000 files', () => {
  it.each([
    [{ files: 1000, amount: 500, currency: 'usd' }, 500, '$5.00'],
    [{ files: 100_000, amount: 30_000, currency: 'usd' }, 300, '$3.00'],
    [{ files: 3000, amount: 1000, currency: 'usd' }, 333, '$3.33'],
    [{ files: 500, amount: 400, currency: 'jpy' }, 800, '¥800'],
    [{ files: 10_000_000, amount: 2000, currency: 'usd' }, 0, 'under $0.01'],
    [{ files: 100_000, amount: 20, currency: 'jpy' }, 0, 'under ¥1'],
  ])('of $0', (price, amount, text) => {
    expect(thousandFilesPrice(price)).toBe(amount);
    expect(thousandFilesPriceText(price)).toBe(text);
  });
});
