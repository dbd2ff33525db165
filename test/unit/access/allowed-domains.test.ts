import { describe, expect, it } from 'vitest';
import { isAllowedDomain, parseAllowedDomains } from '../../../src/access/email-address.ts';

function allows(list: string, address: string): boolean {
  const allowed = parseAllowedDomains(list);
  if (allowed === null) throw new Error('not a list');
  return isAllowedDomain(address, allowed);
}

describe('allowed domains', () => {
  it.each([
    ['gmail.com', 'a@gmail.com', true],
    [' GMail.com ,\nexample.org', 'a@gmail.com', true],
    ['münchen.example', 'a@xn--mnchen-3ya.example', true],
    ['*', 'a@anything.example', true],
    ['gmail.com', 'a@mail.gmail.com', false],
    ['gmail.com', 'a@notgmail.com', false],
    ['gmail.com', 'gmail.com@example.org', false],
  ])('%j and %s: %s', (list, address, expected) => {
    expect(allows(list, address)).toBe(expected);
  });

  it.each(['', ',', 'gmail.com,', 'a b.com', 'a@b.com', '*, gmail.com'])('are not %j', (list) => {
    expect(parseAllowedDomains(list)).toBeNull();
  });
});
