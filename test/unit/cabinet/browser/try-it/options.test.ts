import { expect, test } from 'vitest';
import {
  complaintsOf,
  largestSide,
  queryOf,
  type TryOptions,
  usualOptions,
} from '../../../../../src/cabinet/browser/try-it/options.ts';
import { optionsSchema } from '../../../../../src/routes/optimize/options.ts';

test.each<[Partial<TryOptions>, string]>([
  [{}, ''],
  [{ format: 'webp' }, 'format=webp'],
  [{ quality: 'lossless' }, 'quality=lossless'],
  [{ quality: 'own', ownQuality: ' 080 ' }, 'quality=80'],
  [{ quality: 'auto', ownQuality: 'nonsense' }, ''],
  [{ width: '800' }, 'width=800'],
  [{ width: '800', fit: 'cover' }, 'width=800'],
  [{ width: '800', height: '600', fit: 'cover' }, 'width=800&height=600&fit=cover'],
  [{ metadata: 'copyright' }, 'metadata=copyright'],
  [{ format: 'jpeg', background: '#00ff00' }, 'format=jpeg&background=%2300ff00'],
  [{ format: 'webp', background: '#00ff00' }, 'format=webp'],
])('%o is asked for as "%s"', (chosen, query) => {
  expect(queryOf({ ...usualOptions, ...chosen })).toBe(query);
});

test.each<[Partial<TryOptions>, string[]]>([
  [{ width: '0' }, ['width']],
  [{ width: '16385', height: '16384' }, ['width']],
  [{ width: '1.5', height: '-3' }, ['width', 'height']],
  [{ quality: 'own', ownQuality: '101' }, ['ownQuality']],
  [{ quality: 'own', ownQuality: '' }, ['ownQuality']],
  [{ quality: 'lossless', ownQuality: '' }, []],
])('%o is wrong in %o', (chosen, fields) => {
  const options = { ...usualOptions, ...chosen };
  expect(Object.keys(complaintsOf(options))).toEqual(fields);
  expect(queryOf(options) === null).toBe(fields.length > 0);
});

test.each([largestSide, largestSide + 1])(
  'a side of %i pixels is taken or refused as the API does it',
  (pixels) => {
    const width = String(pixels);
    const isRefused = queryOf({ ...usualOptions, width }) === null;
    expect(isRefused).toBe(!optionsSchema.safeParse({ width }).success);
    expect(isRefused).toBe(pixels > largestSide);
  },
);

test('what is asked for is what the API knows', () => {
  const everything: TryOptions = {
    format: 'jpeg',
    quality: 'own',
    ownQuality: '80',
    width: '800',
    height: '600',
    fit: 'cover',
    metadata: 'all',
    background: '#00ff00',
  };
  const asked = new URLSearchParams(queryOf(everything) ?? '');
  expect(optionsSchema.safeParse(Object.fromEntries(asked)).error).toBeUndefined();
});
