import { describe, expect, it } from 'vitest';
import { failureOf, waitText } from '../../../src/cabinet/browser/api/failure.ts';
import { moneyText } from '../../../src/cabinet/text/money.ts';
import { changeText, countText, sizeText } from '../../../src/cabinet/text/sizes.ts';
import { snippets } from '../../../src/cabinet/text/snippets.ts';

describe('sizes', () => {
  it.each([
    [0, '0 B'],
    [999, '999 B'],
    [1000, '1.00 KB'],
    [9_949, '9.95 KB'],
    [9_960, '10.0 KB'],
    [76_912, '76.9 KB'],
    [224_590, '225 KB'],
    [999_400, '999 KB'],
    [999_600, '1.00 MB'],
    [33_554_432, '33.6 MB'],
    [5e12, '5.00 TB'],
  ])('%d bytes are %s', (bytes, text) => {
    expect(sizeText(bytes)).toBe(text);
  });

  it.each([
    [224_590, 76_912, '−66 %'],
    [1000, 995, '−0.5 %'],
    [1000, 1000, '0 %'],
    [100, 103, '+3.0 %'],
    [100, 250, '+150 %'],
    [10_000, 9_997, '0 %'],
    [0, 0, '0 %'],
  ])('%d to %d is %s', (before, after, text) => {
    expect(changeText(before, after)).toBe(text);
  });

  it('counts have their thousands apart', () => {
    expect(countText(1_234_567)).toBe('1,234,567');
  });
});

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

describe('snippets', () => {
  it('have the key and the address in place, and the key in no address', () => {
    for (const { code } of snippets('https://img.example', 'imgo_KEY')) {
      expect(code).toContain('https://img.example/v1/optimize');
      expect(code).toContain('Bearer imgo_KEY');
      expect(code).not.toMatch(/https:\S*imgo_KEY/);
    }
  });
});

describe('failures', () => {
  const problem = {
    type: 'https://img.example/docs/errors#key_limit_reached',
    title: 'Too many API keys',
    status: 409,
    detail: 'Revoke one that you do not use.',
    code: 'key_limit_reached',
    request_id: 'r-1',
    errors: [{ path: 'name', message: 'should not be empty' }],
  };

  it('are told in the words of the API, with the fields that they are about', async () => {
    const failure = await failureOf(new Response(JSON.stringify(problem), { status: 409 }));
    expect(failure).toEqual({
      code: 'key_limit_reached',
      message: 'Revoke one that you do not use.',
      fields: { name: 'should not be empty' },
      retryAfter: null,
      requestId: 'r-1',
    });
  });

  it('say how long to wait', async () => {
    const headers = { 'Retry-After': '120' };
    const failure = await failureOf(
      new Response(JSON.stringify(problem), { status: 429, headers }),
    );
    expect(failure.retryAfter).toBe(120);
    expect(failure.message).toBe('Revoke one that you do not use. You can try again in 2 minutes.');
  });

  it.each(['<html>Bad gateway</html>', '', 'null', '[]', '{"code":7}'])(
    'that are not of the API (%s) are told all the same',
    async (body) => {
      const { code, message } = await failureOf(new Response(body, { status: 502 }));
      expect(code).toBe('unreadable');
      expect(message).toContain('502');
    },
  );

  it.each([
    [0, '1 second'],
    [45, '45 seconds'],
    [60, '60 seconds'],
    [150, '3 minutes'],
    [7200, '2 hours'],
  ])('%d seconds are %s', (seconds, text) => {
    expect(waitText(seconds)).toBe(text);
  });
});
