import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import type { OutputType } from '../../../../src/image/formats/facts.ts';
import { optionsFor, reducedAccept } from '../../../../src/routes/delivery/negotiation.ts';
import { readUrlOptions } from '../../../../src/routes/delivery/url-options.ts';
import { plainPicture } from '../../../support/pictures.ts';

describe('what matters of an Accept header', () => {
  it.each([
    [undefined, []],
    ['', []],
    ['*/*', []],
    ['image/*', []],
    ['image/jpeg,image/png,image/gif', []],
    ['image/webp', ['webp']],
    ['IMAGE/WebP , image/AVIF', ['webp', 'avif']],
    ['image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8', ['webp', 'avif']],
    ['image/avif;q=0.1, image/webp;q=0', ['avif']],
    ['image/webp;q=0.000', []],
    ['image/jxl;q=0.5, image/webp', ['webp', 'jxl']],
    ['text/html, image/webpx', []],
    [';;;,=,image/webp', ['webp']],
  ])('%j: %j', (header, types) => {
    expect([...reducedAccept(header)].toSorted()).toEqual([...types].toSorted());
  });

  it('is the same text for browsers that show the same', () => {
    const ways = ['image/webp,image/avif', '*/*,image/avif;q=0.3,image/webp;q=0.9'];
    expect(new Set(ways.map((way) => reducedAccept(way).join())).size).toBe(1);
  });
});

describe('the options for a source', () => {
  const clear = { create: { width: 9, height: 9, channels: 4, background: '#f008' } } as const;
  const files = {
    jpeg: plainPicture(9, 9).jpeg(),
    webp: plainPicture(9, 9).webp(),
    'clear webp': sharp(clear).webp(),
    avif: plainPicture(9, 9).avif(),
  };

  async function formats(
    options: string,
    accept: readonly OutputType[],
    file: keyof typeof files,
  ): Promise<string> {
    const bytes = Uint8Array.from(await files[file].clone().toBuffer());
    const read = optionsFor(readUrlOptions(options, {}, false).options, accept, bytes);
    return read.among ? `one of ${[...read.among].join()}` : read.format;
  }

  it.each([
    ['f_keep', [], 'jpeg', 'keep'],
    ['_', ['webp'], 'jpeg', 'auto'],
    ['_', ['webp'], 'webp', 'auto'],
    ['f_webp', [], 'webp', 'webp'],
    ['f_keep', [], 'webp', 'one of jpeg'],
    ['f_keep', ['avif'], 'webp', 'one of jpeg'],
    ['_', ['avif', 'jxl'], 'webp', 'one of jpeg,avif'],
    ['f_keep', [], 'clear webp', 'one of png'],
    ['f_keep,b_fff', [], 'clear webp', 'one of jpeg'],
    ['f_keep', ['webp'], 'avif', 'one of jpeg'],
  ] as const)('%s for who shows %j besides: %s becomes %s', async (options, accept, file, made) => {
    expect(await formats(options, accept, file)).toBe(made);
  });

  it('leave what is no image to the plan', () => {
    const { options } = readUrlOptions('f_keep', {}, false);
    expect(optionsFor(options, [], new Uint8Array(10)).format).toBe('keep');
  });
});
