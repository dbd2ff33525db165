import { describe, expect, it } from 'vitest';
import {
  editDistance,
  suggestedAddress,
} from '../../../../../src/cabinet/browser/sign-in/providers.ts';
import { settings } from '../../../../../src/settings.ts';

const byDefault = settings.ALLOWED_EMAIL_DOMAINS.check.parse(
  settings.ALLOWED_EMAIL_DOMAINS.default,
) as ReadonlySet<string>;
const suggested = (email: string) => suggestedAddress(email, byDefault, true);

describe('editDistance', () => {
  it.each([
    ['', '', 0],
    ['abc', 'abc', 0],
    ['', 'abc', 3],
    ['kitten', 'sitting', 3],
    ['ab', 'ba', 1],
    ['gmial.com', 'gmail.com', 1],
    ['gmali.cmo', 'gmail.com', 2],
  ])('of %j and %j is %i', (one, other, edits) => {
    expect(editDistance(one, other)).toBe(edits);
    expect(editDistance(other, one)).toBe(edits);
  });
});

describe('suggestedAddress', () => {
  it.each([
    ['me@gmial.com', 'me@gmail.com'],
    ['me@gmail.co', 'me@gmail.com'],
    ['me@GMAIL.CON', 'me@gmail.com'],
    [' me+shop@gnail.com ', 'me+shop@gmail.com'],
    ['me@hotnail.com', 'me@hotmail.com'],
    ['me@outlok.com', 'me@outlook.com'],
    ['me@yaho.com', 'me@yahoo.com'],
    ['me@iclod.com', 'me@icloud.com'],
    ['me@protn.me', 'me@proton.me'],
    ['me@gmailcom', 'me@gmail.com'],
  ])('puts %j right', (typed, meant) => {
    expect(suggested(typed)).toBe(meant);
  });

  it.each([...byDefault])('leaves %s as it is', (domain) => {
    expect(suggested(`me@${domain}`)).toBeNull();
  });

  it.each(['', 'me', 'me@', '@gmial.com', 'me@company.com', 'me@ab.de', 'me@art.com'])(
    'has nothing to say of %j',
    (typed) => {
      expect(suggested(typed)).toBeNull();
    },
  );

  it('suggests only providers that may sign in', () => {
    expect(suggestedAddress('me@gmial.com', new Set(['company.com']), true)).toBeNull();
    expect(suggestedAddress('me@hotmial.com', new Set(['gmail.com', 'hotmail.com']), true)).toBe(
      'me@hotmail.com',
    );
    expect(suggestedAddress('me@gmial.com', '*', true)).toBe('me@gmail.com');
    expect(suggestedAddress('me@ymail.com', '*', true)).toBeNull();
  });

  it('knows the domains that a pattern stands for', () => {
    const universities = new Set(['gmail.com', '*.mail.edu']);
    expect(suggestedAddress('me@gmal.mail.edu', universities, true)).toBeNull();
    expect(suggestedAddress('me@mail.edu', universities, true)).toBeNull();
    expect(suggestedAddress('me@gmial.com', universities, true)).toBe('me@gmail.com');
    expect(suggestedAddress('me@gmial.com', new Set(['*.com']), true)).toBeNull();
  });

  it('waits while the start of a name is typed', () => {
    const domain = 'outlook.com';
    for (let typed = 1; typed <= domain.length; typed += 1) {
      expect(suggestedAddress(`me@${domain.slice(0, typed)}`, byDefault, false)).toBeNull();
    }
    expect(suggestedAddress('me@gmial.co', byDefault, false)).toBe('me@gmail.com');
  });
});
