import { describe, expect, it } from 'vitest';
import {
  domainRefusal,
  isAllowedDomain,
  namesAll,
  parseAllowedDomains,
  whoMaySignIn,
} from '../../../src/access/allowed-domains.ts';
import { normalizeEmailAddress } from '../../../src/access/email-address.ts';
import { errorTable } from '../../../src/errors.ts';
import { settings } from '../../../src/settings.ts';

/** Whether an address, as someone types it, may sign in. */
function allows(list: string, typed: string): boolean {
  const allowed = parseAllowedDomains(list);
  if (allowed === null) throw new Error('not a list');
  const address = normalizeEmailAddress(typed);
  return address !== null && isAllowedDomain(address.slice(address.indexOf('@') + 1), allowed);
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

  it.each([
    ['*.edu', 'a@mit.edu', true],
    ['*.edu', 'a@cs.mit.edu', true],
    ['*.EDU', 'A@MIT.Edu', true],
    ['gmail.com, *.ac.uk', 'a@cs.ox.ac.uk', true],
    ['*.xn--mnchen-3ya.example', 'a@post.MÜNCHEN.example', true],
    ['*.münchen.example', 'a@post.xn--mnchen-3ya.example', true],
    ['*.xn--p1ai', 'a@почта.рф', true],
    ['*.edu', 'a@evil-edu', false],
    ['*.edu', 'a@evil-edu.com', false],
    ['*.edu', 'a@evil.fakeedu', false],
    ['*.edu', 'a@edu', false],
    ['*.edu', 'a@a.edu.evil.com', false],
    ['*.edu', 'a@mit.edu.', false],
    ['*.edu', 'a@mit.edu..', false],
    ['*.edu', 'a@.edu', false],
    ['*.edu', 'a@mit.ėdu', false],
    ['*.edu', 'a@evil.com#.edu', false],
    ['*.edu', 'a@evil.com/.edu', false],
    ['*.edu', 'a@evil.com%00.edu', false],
    ['*.edu', 'a@evil.com@b.edu', false],
    ['*.edu', 'a@*.edu', false],
    ['*.example.org', 'a@mail.example.org', true],
    ['*.example.org', 'a@example.org', false],
    ['*.example.org', 'a@evilexample.org', false],
    ['*.example.org', 'a@evil.org', false],
    ['mit.edu', 'a@cs.mit.edu', false],
  ])('%j as a pattern, and %s: %s', (list, address, expected) => {
    expect(allows(list, address)).toBe(expected);
  });

  it.each([
    ...['', ',', 'gmail.com,', 'a b.com', 'a@b.com', '*, gmail.com', 'edu', 'mit.edu.'],
    ...['*.', '*.*', '*.*.edu', '**.edu', '*edu', 'a.*.edu', 'a*.edu', '*..edu', '*.edu.'],
    ...['*. edu', '*.123', '*.a@b.edu', '*.edu/x', '*.edu:80', '.edu', '*.-.edu'],
  ])('are not %j', (list) => {
    expect(parseAllowedDomains(list)).toBeNull();
  });
});

describe('the sentences about allowed domains', () => {
  const set = (list: string) => parseAllowedDomains(list) as ReadonlySet<string>;

  it('name a few, patterns in words', () => {
    expect(whoMaySignIn('*')).toBe('Addresses at all domains may sign in.');
    expect(whoMaySignIn(set('company.com'))).toBe('Addresses at company.com may sign in.');
    expect(whoMaySignIn(set('company.com, *.edu'))).toBe(
      'Addresses at company.com and any .edu domain may sign in.',
    );
    const seven = set('a.com, b.com, c.com, d.com, e.com, f.com, g.com');
    expect(whoMaySignIn(seven)).toContain(', f.com and g.com may');
    expect(namesAll(seven)).toBe(true);
  });

  it('name the first six of many, in the order of the setting, and count the others', () => {
    const eight = set('z.com, b.com, c.com, d.com, e.com, f.com, g.com, a.com');
    expect(whoMaySignIn(eight)).toBe(
      'Addresses at z.com, b.com, c.com, d.com, e.com, f.com and 2 more may sign in.',
    );
    expect(namesAll(eight)).toBe(false);
  });

  it('tell those who are refused whom to ask', () => {
    const one = set('company.com');
    const refusal =
      'Addresses at example.org cannot sign in here. This service accepts addresses at company.com. Its operator can add yours';
    const said = (contact: string) => domainRefusal('example.org', one, contact);
    expect(said('')).toBe(`${refusal}.`);
    expect(said('mailto:help@company.com')).toBe(`${refusal}: help@company.com`);
    expect(said('https://company.com/help')).toBe(`${refusal}: https://company.com/help`);
  });

  it('are in the table of errors as with the default', () => {
    const { detail } = errorTable.email_domain_not_allowed;
    expect(detail).toBe(
      domainRefusal('this domain', set(settings.ALLOWED_EMAIL_DOMAINS.default), ''),
    );
  });
});
