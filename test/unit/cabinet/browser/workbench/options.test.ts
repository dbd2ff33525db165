import { describe, expect, test } from 'vitest';
import {
  defaultOptions,
  fieldErrors,
  maxSide,
  optionsLine,
  queryOf,
  type TryOptions,
  withFormat,
  withWidth,
} from '../../../../../src/cabinet/browser/workbench/options.ts';
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

describe('the options of one image', () => {
  test('change its format, with what goes with that', () => {
    expect(withFormat('format=jpeg&quality=80&background=%23000000', 'webp')).toBe(
      'format=webp&quality=80',
    );
    expect(withFormat('width=80', 'jpeg')).toBe('format=jpeg&width=80&background=%23ffffff');
    expect(withFormat('format=webp&width=80', 'keep')).toBe('width=80');
  });

  test('change its width', () => {
    expect(withWidth('format=avif&width=9000&height=100&fit=cover&metadata=all', 4000)).toBe(
      'format=avif&width=4000&metadata=all',
    );
  });

  test.each([
    [{}, 'Original format, automatic quality'],
    [{ format: 'webp', quality: 'custom', customQuality: '080' }, 'WebP, quality 80'],
    [
      { format: 'auto', quality: 'lossless', width: '800', height: '600', metadata: 'all' },
      'Smallest format, lossless, at most 800 wide and 600 high, metadata kept',
    ],
  ] as const)('are told in a line: %o', (changed, line) => {
    expect(optionsLine({ ...defaultOptions, ...changed })).toBe(line);
  });
});
