import { describe, expect, test } from 'vitest';
import {
  defaultOptions,
  fieldErrors,
  kilobytesLimit,
  maxSide,
  optimizeOptionsOf,
  optionsLine,
  otherFormats,
  queryOf,
  type TryOptions,
  targetText,
  usuallyGrows,
  withFormat,
  withMaxBytes,
} from '../../../../../src/cabinet/browser/workbench/options.ts';
import { readOptions as readGivenOptions } from '../../../../../src/image/engine.ts';
import { outputTypes } from '../../../../../src/image/formats/facts.ts';
import { outputFormat } from '../../../../../src/image/formats/registry.ts';
import { namedTargets, targetRange } from '../../../../../src/image/metric/targets.ts';
import { optionsSchema, readOptions } from '../../../../../src/routes/optimize/options.ts';

test.each<[Partial<TryOptions>, string]>([
  [{}, ''],
  [{ format: 'webp' }, 'format=webp'],
  [{ quality: 'lossless' }, 'quality=lossless'],
  [{ quality: 'custom', customQuality: ' 080 ' }, 'quality=80'],
  [{ quality: 'auto', customQuality: 'nonsense' }, ''],
  [{ quality: 'target', target: '70' }, 'target=70'],
  [{ quality: 'target', target: '86', maxKilobytes: 'nonsense' }, 'target=high'],
  [{ quality: 'size', maxKilobytes: ' 0120 ' }, 'max_bytes=120000'],
  [{ width: '800' }, 'width=800'],
  [{ width: '800', fit: 'cover' }, 'width=800'],
  [{ width: '800', height: '600', fit: 'cover' }, 'width=800&height=600&fit=cover'],
  [{ metadata: 'copyright' }, 'metadata=copyright'],
  [{ animation: 'first' }, 'animation=first'],
  [{ format: 'avif', animation: 'first' }, 'format=avif&animation=first'],
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
  [{ quality: 'lossless', customQuality: '', maxKilobytes: '' }, []],
  [{ quality: 'size', maxKilobytes: '' }, ['maxKilobytes']],
  [{ quality: 'size', maxKilobytes: '0.5' }, ['maxKilobytes']],
  [{ quality: 'size', maxKilobytes: '33555' }, ['maxKilobytes']],
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

test.each([
  '',
  'format=webp&target=high&width=800&height=600&fit=cover',
  'format=jpeg&max_bytes=120000&background=%2300ff00&hdr=drop',
  'format=auto&quality=lossless&metadata=copyright',
  'quality=80&animation=first',
])('the engine is given what the API reads from "%s"', (query) => {
  const asked = readOptions([...new URLSearchParams(query)], undefined);
  expect(readGivenOptions(optimizeOptionsOf(query))).toEqual(asked);
});

test('it is known which conversions usually make a file larger', () => {
  expect(usuallyGrows('image/jpeg', 'format=png')).toBe(true);
  expect(usuallyGrows('image/jpeg', 'format=webp&quality=lossless')).toBe(true);
  expect(usuallyGrows('image/jpeg', 'quality=lossless')).toBe(false);
  expect(usuallyGrows('image/jpeg', 'format=webp')).toBe(false);
  expect(usuallyGrows('image/png', 'format=png')).toBe(false);
  expect(usuallyGrows('image/gif', 'format=png')).toBe(false);
});

test('targets are those of the API', () => {
  for (const [name, score] of Object.entries(namedTargets)) {
    expect(readOptions([['target', name]], undefined).target).toBe(score);
    expect(targetText(String(score))).toBe(`${score}, ${name}`);
  }
  expect(targetText('70')).toBe('70');
  const { min, max } = targetRange;
  for (const score of [min - 1, min, max, max + 1]) {
    const isTaken = optionsSchema.safeParse({ target: String(score) }).success;
    expect(isTaken, String(score)).toBe(score >= min && score <= max);
  }
});

test('the largest size that can be typed is that of the largest file', () => {
  const limit = readOptions([['max_bytes', String(1000 * (kilobytesLimit + 1))]], undefined);
  expect(limit.maxBytes).toBe(2 ** 25);
  expect(Math.floor(2 ** 25 / 1000)).toBe(kilobytesLimit);
});

const qualities = ['target', 'size', 'custom'] as const;

test.each(qualities)('what is asked for by %s is what the API knows', (quality) => {
  const everything: TryOptions = {
    format: 'jpeg',
    quality,
    target: '82',
    maxKilobytes: '120',
    customQuality: '80',
    width: '800',
    height: '600',
    fit: 'cover',
    position: 'auto',
    metadata: 'all',
    animation: 'first',
    hdr: 'drop',
    background: '#00ff00',
  };
  const asked = new URLSearchParams(queryOf(everything) ?? '');
  expect(() => readOptions(asked, undefined)).not.toThrow();
});

describe('the formats that an image can become', () => {
  const typesOf = (type: string, frames: number | null, query = '') =>
    otherFormats(type, frames, query).map((facts) => facts.type);

  test('are those that stills have, for a still one, and those that are made of its own', () => {
    const ofStills = outputTypes.filter((type) => type !== 'gif');
    const ofAll = ofStills.filter((type) => type !== 'jxl');
    expect(typesOf('image/jpeg', null)).toEqual(ofStills.filter((type) => type !== 'jpeg'));
    expect(typesOf('image/gif', null)).toEqual(ofAll);
    expect(typesOf('image/gif', 12, 'format=webp&animation=first')).toEqual(ofAll);
  });

  test('are those that move, for an animation, and none for one that is not read', () => {
    expect(typesOf('image/gif', 12)).toEqual(['png', 'webp']);
    expect(typesOf('image/webp', 12, 'width=80')).toEqual(['png', 'gif']);
    expect(typesOf('image/apng', 12)).toEqual(['webp', 'gif']);
    expect(typesOf('image/avif', 12)).toEqual([]);
  });

  test('move as the service writes them', () => {
    for (const type of outputTypes) {
      const { facts, write } = outputFormat(type);
      expect(facts.output.holdsAnimations, type).toBe(write.animation !== undefined);
    }
  });
});

describe('the options of one image', () => {
  test('change its format, with what goes with that', () => {
    expect(withFormat('format=jpeg&quality=80&background=%23000000', 'webp')).toBe(
      'format=webp&quality=80',
    );
    expect(withFormat('width=80', 'jpeg')).toBe('format=jpeg&width=80&background=%23ffffff');
    expect(withFormat('format=webp&width=80', 'keep')).toBe('width=80');
  });

  test('change its size in bytes', () => {
    expect(withMaxBytes('format=webp&max_bytes=20000&width=400', 49_000)).toBe(
      'format=webp&max_bytes=49000&width=400',
    );
  });

  test.each([
    [{}, 'Original format, automatic quality'],
    [{ format: 'webp', quality: 'custom', customQuality: '080' }, 'WebP, encoder setting 80'],
    [{ quality: 'target', target: '86' }, 'Original format, score 86'],
    [{ quality: 'size', maxKilobytes: '0120' }, 'Original format, at most 120 KB'],
    [
      { format: 'auto', quality: 'lossless', width: '800', height: '600', metadata: 'all' },
      'Smallest format, lossless, at most 800 wide and 600 high, metadata kept',
    ],
    [{ animation: 'first' }, 'Original format, automatic quality, first frames only'],
  ] as const)('are told in a line: %o', (changed, line) => {
    expect(optionsLine({ ...defaultOptions, ...changed })).toBe(line);
  });
});
