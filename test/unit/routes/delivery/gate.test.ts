import { describe, expect, it } from 'vitest';
import { namesUs, partsOf } from '../../../../src/routes/delivery/admission.ts';
import { limitTo, matches } from '../../../../src/routes/delivery.ts';

describe('the parts of a URL', () => {
  const parts = (path: string) => partsOf(new URL(path, 'https://img.example'));

  it('are read as they were sent, not as they are decoded', () => {
    expect(parts('/i/shop/w_1%2Ch_2/a%2Fb/c.jpg?x=%20')).toEqual({
      slug: 'shop',
      signature: null,
      signed: 'w_1%2Ch_2/a%2Fb/c.jpg?x=%20',
      options: 'w_1%2Ch_2',
      path: 'a%2Fb/c.jpg',
    });
  });

  it('have a signature after a tilde, of which the rest is signed', () => {
    expect(parts('/i/shop/~abc-_/_/a.jpg?b')).toEqual({
      ...{ slug: 'shop', signature: 'abc-_', signed: '_/a.jpg?b', options: '_', path: 'a.jpg' },
    });
    expect(parts('/i/shop/~/_/a').signature).toBe('');
    expect(parts('/i/shop/_/~a/b')).toMatchObject({ signature: null, path: '~a/b' });
  });

  it.each(['/i/shop', '/i/shop/_', '/i/sh/_/a', '/i/Shop/_/a', '/i/a%2Fb/_/a', '/i//_/a'])(
    'are none in %s',
    (path) => expect(() => parts(path)).toThrow('is /i/, the slug of a site'),
  );
});

describe('a loop', () => {
  it.each([
    ['fewerbytes', true],
    ['cloudflare, fewerbytes;v="1"', true],
    ['cloudflare; x=fewerbytes, other', false],
    ['notfewerbytes', false],
    [undefined, false],
  ])('%s: %s', (header, isLoop) => {
    expect(namesUs(header)).toBe(isLoop);
  });
});

describe('what a client has', () => {
  it.each([
    ['"a"', true],
    ['W/"a"', true],
    ['"b" ,"a"', true],
    ['*', true],
    ['"b"', false],
    ['a', false],
    [undefined, false],
  ])('If-None-Match: %s matches "a": %s', (condition, isMatch) => {
    expect(matches(condition, '"a"')).toBe(isMatch);
    expect(matches(condition, null)).toBe(false);
  });
});

describe('what may be stored until a URL expires', () => {
  it.each([
    [100, 'public, max-age=86400, stale-while-revalidate=86400', 0, 'public, max-age=100'],
    [100, 'public, max-age=60', 0, 'public, max-age=60'],
    [0, 'public, max-age=60', 0, 'public, max-age=0'],
    [100, 'public, max-age=86400', 7200, 'public, max-age=100'],
    [100, 'public, max-age=7250', 7200, 'public, max-age=50'],
    [100, 'public, max-age=60', 7200, 'public, max-age=0'],
    [100, 'no-store', 0, 'no-store'],
  ])('%i seconds of %s at an age of %i', (left, cacheControl, age, limited) => {
    const headers = new Headers({ 'Cache-Control': cacheControl, Age: String(age) });
    limitTo(left, headers);
    expect(headers.get('Cache-Control')).toBe(limited);
    if (cacheControl !== 'no-store') expect(headers.has('Age')).toBe(false);
  });
});
