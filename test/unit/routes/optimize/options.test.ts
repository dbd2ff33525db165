import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../../src/errors.ts';
import { outputTypes } from '../../../../src/image/formats/facts.ts';
import { defaultOptions, type OptimizeOptions } from '../../../../src/image/pipeline/options.ts';
import { readOptions } from '../../../../src/routes/optimize/options.ts';

const read = (query: string) => readOptions(new URLSearchParams(query), undefined);

/** The paths in the error, and its sentence. */
function refusalOf(query: string): { paths: readonly string[]; detail: string } {
  try {
    read(query);
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'invalid_options') throw error;
    const errors = error.members.errors as { path: string }[];
    return { paths: errors.map(({ path }) => path), detail: error.message };
  }
  throw new Error(`${query} was taken`);
}

const formats = `${outputTypes.slice(0, -1).join(', ')} or ${outputTypes.at(-1)}`;

describe('options for the quality', () => {
  it.each<[string, Partial<OptimizeOptions>]>([
    ['', {}],
    ['quality=auto', {}],
    ['quality=75', { quality: 75 }],
    ['quality=lossless', { quality: 'lossless' }],
    ['target=low', { target: 65 }],
    ['target=medium', { target: 77 }],
    ['target=high', { target: 86 }],
    ['target=30', { target: 30 }],
    ['target=95', { target: 95 }],
    ['max_bytes=1000', { maxBytes: 1000 }],
    ['max_bytes=100000&target=90', { maxBytes: 100_000, target: 90 }],
    ['target=low&max_bytes=2000&format=webp', { maxBytes: 2000, target: 65, format: 'webp' }],
    // No result is longer than 32 MiB.
    ['max_bytes=99999999999', { maxBytes: 2 ** 25 }],
  ])('"%s" is %o', (query, options) => {
    expect(read(query)).toEqual({ ...defaultOptions, ...options });
  });

  it.each([
    ['target=29', 'Option "target": should be low, medium, high or 30 to 95.'],
    ['target=96', 'Option "target": should be low, medium, high or 30 to 95.'],
    ['target=077.0', 'Option "target": should be low, medium, high or 30 to 95.'],
    ['target=', 'Option "target": should be low, medium, high or 30 to 95.'],
    ['target=Low', 'Option "target": should be low, medium, high or 30 to 95.'],
    ['target=auto', 'Option "target": should be low, medium, high or 30 to 95.'],
    ['format=bogus', `Option "format": should be keep, auto, ${formats}.`],
    ['fit=zoom', 'Option "fit": should be inside, outside, cover, contain or fill.'],
    ['quality=0', 'Option "quality": should be auto, lossless or 1 to 100.'],
    ['quality=101', 'Option "quality": should be auto, lossless or 1 to 100.'],
    ['max_bytes=', 'Option "max_bytes": should be a whole number of bytes, 1000 or more.'],
    ['max_bytes=999', 'Option "max_bytes": should be a whole number of bytes, 1000 or more.'],
    ['max_bytes=1e6', 'Option "max_bytes": should be a whole number of bytes, 1000 or more.'],
    ['max_bytes=-1000', 'Option "max_bytes": should be a whole number of bytes, 1000 or more.'],
    ['maxBytes=1000', 'Option "maxBytes": is not an option.'],
    ['among=webp', 'Option "among": is not an option.'],
    ['flattens=true', 'Option "flattens": is not an option.'],
    ['metadata=creation', 'Option "metadata": should be none, copyright or all.'],
    ['metadata=copyright,location', 'Option "metadata": should be none, copyright or all.'],
    ['fit=fill&width=9', 'Option "fit": fill needs both width and height.'],
    ['position=top&width=9&height=9', 'Option "position": needs fit=cover or fit=contain.'],
    ...['top-center', '0.5', '.5,.5', '1.1,0', '', '5'].map((position): [string, string] => [
      `fit=cover&width=9&height=9&position=${position}`,
      'Option "position": should be center, top, bottom, left, right, top-left, top-right, bottom-left, bottom-right, auto or x,y.',
    ]),
    ['target=50&target=50', 'Option "target": is given twice.'],
  ])('"%s" is refused', (query, detail) => {
    expect(refusalOf(query).detail).toBe(detail);
  });

  it.each(['auto', 'lossless', '75'])('cannot be combined with quality=%s', (quality) => {
    expect(refusalOf(`quality=${quality}&target=medium`)).toEqual({
      paths: ['target'],
      detail: 'Option "target": cannot be combined with quality.',
    });
    expect(refusalOf(`max_bytes=5000&quality=${quality}`).paths).toEqual(['max_bytes']);
    expect(refusalOf(`max_bytes=5000&quality=${quality}&target=50`).paths).toEqual([
      'target',
      'max_bytes',
    ]);
  });
});

describe('what Accept allows', () => {
  const accepted = (header: string | undefined) =>
    [...readOptions([], header).accept].toSorted().join(' ');
  const inOrder = outputTypes.toSorted();
  const usual = inOrder.filter((type) => type !== 'jxl').join(' ');

  it.each<[string | undefined, string]>([
    [undefined, usual],
    ['*/*', usual],
    ['image/*', usual],
    ['image/avif,image/webp,*/*;q=0.8', usual],
    ['image/jxl', 'jxl'],
    ['Image/JXL;q=0.5, image/webp', 'jxl webp'],
    ['image/avif,image/jxl,image/*;q=0.8', inOrder.join(' ')],
    ['image/jxl;q=0, image/*', usual],
    ['image/jxl, */*;q=0', 'jxl'],
    ['image/png, image/*;q=0', 'png'],
    ['text/html', ''],
  ])('with "%s" is %s', (header, types) => {
    expect(accepted(header)).toBe(types);
  });
});
