import { describe, expect, it } from 'vitest';
import { quotaPacks } from '../../../src/policy/quota.ts';

const small = { id: 'small', files: 1000, amount: 500, currency: 'usd' };

describe('packs of quota', () => {
  it('are read from JSON, in their order', () => {
    const packs = [small, { id: 'x-2', files: 1e8, amount: 1e8, currency: 'jpy' }];
    expect(quotaPacks.parse(JSON.stringify(packs))).toEqual(packs);
  });

  it.each([
    ['', 'should be JSON such as'],
    ['small', 'should be JSON such as'],
    [small, 'should be a list'],
    [[], 'should have one pack at least'],
    [[small, { ...small, files: 5 }], 'should not have two packs of one id'],
    [Array.from({ length: 51 }, (_, i) => ({ ...small, id: `p${i}` })), 'at most 50 packs'],
    [[{ ...small, id: '' }], 'should be 1 to 32 of the characters'],
    [[{ ...small, id: 'Small' }], 'should be 1 to 32 of the characters'],
    [[{ ...small, id: 'x'.repeat(33) }], 'should be 1 to 32 of the characters'],
    [[{ ...small, files: 0 }], 'should be 1 at least'],
    [[{ ...small, files: 1.5 }], 'should be a whole number'],
    [[{ ...small, files: '1000' }], 'should be a whole number'],
    [[{ ...small, files: 1e8 + 1 }], 'is too large'],
    [[{ ...small, amount: -5 }], 'should be 1 at least'],
    [[{ ...small, amount: 1e8 + 1 }], 'is too large'],
    [[{ ...small, currency: 'USD' }], 'should be an ISO 4217 code in lower case'],
    [[{ ...small, currency: 'usdc' }], 'should be an ISO 4217 code in lower case'],
    [[{ ...small, price: 5 }], 'Unrecognized key: "price"'],
  ])('cannot be %j', (packs, why) => {
    const result = quotaPacks.safeParse(typeof packs === 'string' ? packs : JSON.stringify(packs));
    expect(result.error?.issues.map(({ message }) => message).join()).toContain(why);
  });
});
