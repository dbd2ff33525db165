import { expect, test } from 'vitest';
import {
  defaultOptions,
  fieldErrors,
  maxSide,
  queryOf,
  type TryOptions,
} from '../../../../../src/cabinet/browser/try-it/options.ts';
import { optionsSchema } from '../../../../../src/routes/optimize/options.ts';

test.each<[Partial<TryOptions>, string]>([
  [{}, ''],
  [{ format: 'webp' }, 'format=webp'],
  [{ quality: 'lossless' }, 'quality=lossless'],
  [{ quality: 'custom', customQuality: ' 080 ' }, 'quality=80'],
  [{ quality: 'auto', customQuality: 'nonsense' }, ''],
  [{ width: '800' }, 'width=800'],
  [{ width: '800', fit: 'cover' }, 'width=800'],
  [{ width: '800', height: '600', fit: 'cover' }, 'width=800&height=600&fit=cover'],
  [{ metadata: 'copyright' }, 'metadata=copyright'],
  [{ hdr: 'drop' }, 'hdr=drop'],
  [{ format: 'webp', hdr: 'drop' }, 'format=webp'],
  [{ format: 'jpeg', background: '#00ff00' }, 'format=jpeg&background=%2300ff00'],
  [{ format: 'webp', background: '#00ff00' }, 'format=webp'],
])('%o is asked for as "%s"', (chosen, query) => {
  expect(queryOf({ ...defaultOptions, ...chosen })).toBe(query);
});

test.each<[Partial<TryOptions>, string[]]>([
  [{ width: '0' }, ['width']],
  [{ width: '16385', height: '16384' }, ['width']],
  [{ width: '1.5', height: '-3' }, ['width', 'height']],
  [{ quality: 'custom', customQuality: '101' }, ['customQuality']],
  [{ quality: 'custom', customQuality: '' }, ['customQuality']],
  [{ quality: 'lossless', customQuality: '' }, []],
])('%o is wrong in %o', (chosen, fields) => {
  const options = { ...defaultOptions, ...chosen };
  expect(Object.keys(fieldErrors(options))).toEqual(fields);
  expect(queryOf(options) === null).toBe(fields.length > 0);
});

test.each([maxSide, maxSide + 1])(
  'a side of %i pixels is taken or refused as the API does it',
  (pixels) => {
    const width = String(pixels);
    const isRefused = queryOf({ ...defaultOptions, width }) === null;
    expect(isRefused).toBe(!optionsSchema.safeParse({ width }).success);
    expect(isRefused).toBe(pixels > maxSide);
  },
);

test('what is asked for is what the API knows', () => {
  const everything: TryOptions = {
    format: 'jpeg',
    quality: 'custom',
    customQuality: '80',
    width: '800',
    height: '600',
    fit: 'cover',
    metadata: 'all',
    hdr: 'drop',
    background: '#00ff00',
  };
  const asked = new URLSearchParams(queryOf(everything) ?? '');
  expect(optionsSchema.safeParse(Object.fromEntries(asked)).error).toBeUndefined();
});
