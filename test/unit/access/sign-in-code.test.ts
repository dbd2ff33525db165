import { describe, expect, it } from 'vitest';
import {
  isSignInCode,
  makeSignInCode,
  readSignInCode,
  sealSignInCode,
} from '../../../src/access/sign-in-code.ts';

const secret = new Uint8Array(32).fill(1);

describe('a fresh code', () => {
  it.each([6, 12])('has %i digits', (digits) => {
    for (let i = 0; i < 200; i += 1) {
      expect(makeSignInCode(digits)).toMatch(new RegExp(`^\\d{${digits}}$`));
    }
  });

  it('has every digit equally often', () => {
    const counts = new Array<number>(10).fill(0);
    const drawn = 60_000;
    for (let i = 0; i < drawn / 6; i += 1) {
      for (const digit of makeSignInCode(6))
        counts[Number(digit)] = (counts[Number(digit)] ?? 0) + 1;
    }
    // Chi-squared with 9 degrees of freedom: beyond 40 once in 100,000 runs.
    const expected = drawn / 10;
    const chiSquared = counts.reduce((sum, n) => sum + (n - expected) ** 2 / expected, 0);
    expect(chiSquared).toBeLessThan(40);
  });
});

describe('a code as it is typed', () => {
  it.each([
    ['123456', '123456'],
    [' 123 456\n', '123456'],
    ['123-456', '123456'],
    ['123–456', '123456'],
    ['123\u00a0456', '123456'],
    ['１２３４５６', '123456'],
    ['000000', '000000'],
  ])('%j is %s', (typed, code) => {
    expect(readSignInCode(typed)).toBe(code);
  });

  it.each(['', ' - ', '12345a', '123.456', '0x12', '+123456', '٣٤٥٦٧٨', '1'.repeat(21)])(
    '%j is none',
    (typed) => {
      expect(readSignInCode(typed)).toBeNull();
    },
  );
});

describe('a sealed code', () => {
  it('is recognised, and nothing else is', async () => {
    const sealed = await sealSignInCode('123456', 'challenge', secret);
    expect(sealed).not.toContain('123456');
    expect(await isSignInCode('123456', 'challenge', sealed, secret)).toBe(true);
    expect(await isSignInCode('123457', 'challenge', sealed, secret)).toBe(false);
    expect(await isSignInCode('123456', 'another', sealed, secret)).toBe(false);
    const otherSecret = new Uint8Array(32).fill(2);
    expect(await isSignInCode('123456', 'challenge', sealed, otherSecret)).toBe(false);
    expect(await isSignInCode('123456', 'challenge', null, secret)).toBe(false);
  });
});
