import { describe, expect, it } from 'vitest';
import { ImageError } from '../../../../src/image/image-error.ts';
import {
  defaultOptions,
  type GivenOptions,
  optionRules,
  readOptions,
} from '../../../../src/image/pipeline/options.ts';
import { optionsSchema } from '../../../../src/routes/optimize/options.ts';

describe('options', () => {
  it('that are left out have the defaults of the API', () => {
    expect(readOptions({})).toEqual(defaultOptions);
    expect(readOptions({ width: undefined, among: undefined })).toEqual(defaultOptions);
  });

  it('are those of the API, in camelCase', () => {
    const snakeCase = (name: string) =>
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    expect(Object.keys(optionRules).map(snakeCase).sort()).toEqual(
      Object.keys(optionsSchema.shape).sort(),
    );
  });

  it('become what the engine works with', () => {
    const given = {
      target: 'high',
      background: '#ff8000',
      format: 'webp',
      maxBytes: 20_000,
    } as const;
    expect(readOptions(given)).toEqual({
      ...defaultOptions,
      ...{ target: 86, background: [255, 128, 0], format: 'webp', maxBytes: 20_000 },
    });
    expect(readOptions({ format: 'auto', among: ['png', 'webp'] }).among).toEqual(
      new Set(['png', 'webp']),
    );
  });

  it.each<[unknown, string]>([
    [
      { format: 'bogus' },
      'Option "format": should be keep, auto, jpeg, png, webp, avif, gif or jxl.',
    ],
    [{ quality: 0 }, 'Option "quality": should be auto, lossless or 1 to 100.'],
    [{ quality: '80' }, 'Option "quality": should be auto, lossless or 1 to 100.'],
    [{ target: 29 }, 'Option "target": should be low, medium, high or 30 to 95.'],
    [{ maxBytes: 999 }, 'Option "maxBytes": should be 1000 or more.'],
    [{ width: 0.5 }, 'Option "width": should be 1 to 16384.'],
    [{ height: Number.NaN }, 'Option "height": should be 1 to 16384.'],
    [{ background: 'red' }, 'Option "background": should be #rrggbb.'],
    [{ background: null }, 'Option "background": should be #rrggbb.'],
    [{ max_bytes: 5000 }, 'Option "max_bytes": is not an option.'],
    [{ toString: 1 }, 'Option "toString": is not an option.'],
    [{ quality: 'auto', target: 80 }, 'Option "target": cannot be combined with quality.'],
    [{ quality: 80, maxBytes: 5000 }, 'Option "maxBytes": cannot be combined with quality.'],
    [{ fit: 'cover', width: 5 }, 'Option "fit": cover needs both width and height.'],
    [
      { format: 'auto', among: [] },
      'Option "among": lists formats of which format auto chooses one.',
    ],
    [{ among: ['png'] }, 'Option "among": lists formats of which format auto chooses one.'],
  ])('that make no sense are refused with what they may be: %j', (given, detail) => {
    let error: unknown;
    try {
      readOptions(given as GivenOptions);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(ImageError);
    expect(error).toMatchObject({ code: 'invalid_options', detail });
  });
});
