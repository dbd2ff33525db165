import { describe, expect, it } from 'vitest';
import { readUrlOptions } from '../../../../src/routes/delivery/url-options.ts';
import { isSigned } from '../../../../src/routes/delivery/url-signature.ts';
import { codeTitled } from '../../../../test/support/docs/code.ts';
import {
  imageUrl,
  type SrcSetOptions,
  signSrcSet,
  signUrl,
  srcSet,
  type UrlOptions,
} from '../../src/delivery.ts';

const site = 'https://images.example/i/shop';
const secret = 'k'.repeat(43);

describe('the URL of an image', () => {
  it.each<[UrlOptions, string]>([
    [{}, '_'],
    [{ width: 800 }, 'w_800'],
    [{ width: 800, height: undefined, format: 'webp' }, 'w_800,f_webp'],
    [
      { width: 300, height: 200, fit: 'contain', background: '#ffeedd' },
      'w_300,h_200,fit_contain,b_ffeedd',
    ],
    [{ width: 300, height: 200, position: '0.3,0.75' }, 'w_300,h_200,pos_0.3x0.75'],
    [
      { width: 300, height: 200, position: 'top-left', dpr: 1.5 },
      'w_300,h_200,pos_top-left,dpr_1.5',
    ],
    [{ quality: 'lossless', animation: 'first' }, 'q_lossless,a_first'],
    [{ target: 'high', maxBytes: 90_000 }, 't_high,m_90000'],
    [{ preset: 'card', expires: new Date(1_893_456_000_500) }, 'p_card,exp_1893456000'],
  ])('with %j has the options %s, which the service reads', (options, segment) => {
    const url = imageUrl(site, 'cups/blue.jpg', options);
    expect(url).toBe(`${site}/${segment}/cups/blue.jpg`);
    expect(() => readUrlOptions(segment, { card: 'w_100' }, false)).not.toThrow();
  });

  it.each([
    ['/cups/blue.jpg', 'cups/blue.jpg'],
    ['summer at sea/grüße.jpg', 'summer%20at%20sea/gr%C3%BC%C3%9Fe.jpg'],
    ['summer%20at%20sea/gr%c3%bc%c3%9fe.jpg', 'summer%20at%20sea/gr%C3%BC%C3%9Fe.jpg'],
    ['100%.jpg', '100%25.jpg'],
    ['a#b,c.jpg', 'a%23b%2Cc.jpg'],
    ['half \ud800.jpg', 'half%20%EF%BF%BD.jpg'],
    ['photo.jpg?v=2&q=é #1,', 'photo.jpg?v=2&q=%C3%A9%20%231%2C'],
  ])('has the path %s as %s', (path, written) => {
    const url = imageUrl(`${site}/`, path);
    expect(url).toBe(`${site}/_/${written}`);
    // Browsers, which write it once more, change nothing.
    expect(new URL(url).href).toBe(url);
  });

  it.each([
    '',
    '/',
    'a//b.jpg',
    './a.jpg',
    'a/../b.jpg',
    'a/%2e%2E/b.jpg',
    'a%2Fb.jpg',
    'a\\b.jpg',
    '?v=2',
  ])('has no path such as %j, which leads elsewhere', (path) => {
    expect(() => imageUrl(site, path)).toThrow(RangeError);
  });

  it('says what is no option, and lets no value begin another part of the URL', () => {
    const given = (options: object) => () => imageUrl(site, 'a.jpg', options);
    expect(given({ widht: 800 })).toThrow('"widht" is not an option of URLs.');
    expect(given({ constructor: 1 })).toThrow(RangeError);
    for (const value of [
      '8/../../x',
      '8,9,10',
      '8 9',
      '',
      '8?',
      'é',
      null,
      true,
      [8],
      Number.NaN,
      Infinity,
    ]) {
      expect(given({ width: value }), String(value)).toThrow('"width"');
    }
    expect(given({ expires: new Date('never') })).toThrow('"expires"');
  });
});

describe('a srcset', () => {
  it('has each width, and a height where there is a ratio', () => {
    const options: SrcSetOptions = { ratio: '16:9', format: 'avif' };
    expect(srcSet(site, 'a.jpg', [400, 801], options)).toBe(
      `${site}/f_avif,w_400,h_225/a.jpg 400w, ${site}/f_avif,w_801,h_451/a.jpg 801w`,
    );
    expect(srcSet(site, 'a b.jpg?v=1,', [20])).toBe(`${site}/w_20/a%20b.jpg?v=1%2C 20w`);
    for (const ratio of ['16/9', '0:1', '1:0', '']) {
      expect(() => srcSet(site, 'a.jpg', [400], { ratio }), ratio).toThrow('16:9');
    }
  });

  it('keeps its candidates when it is signed', async () => {
    const set = srcSet(site, 'a.jpg', [400, 800]);
    const signed = await signSrcSet(set, secret);
    expect(signed.replaceAll(/~[\w-]{24}\//g, '')).toBe(set);
    const urls = signed.split(', ').map((candidate) => candidate.split(' ')[0]);
    const each = [400, 800].map((width) => signUrl(imageUrl(site, 'a.jpg', { width }), secret));
    expect(urls).toEqual(await Promise.all(each));
  });
});

describe('a signature', () => {
  const key = Uint8Array.from(new TextEncoder().encode(secret));

  it.each([
    ['cups/blue.jpg', { width: 800 }],
    ["summer at sea/it's (2)!*.jpg?v=%c3%a9&w='x'", {}],
    ['~a_b-c.jpg?x=%7E%zz', { preset: 'card', expires: new Date() }],
  ])('of %s is one that the service accepts', async (path, options) => {
    const url = imageUrl(site, path, options);
    const signed = await signUrl(url, secret);
    expect(new URL(signed).href).toBe(signed);
    const [, signature = '', rest = ''] = /\/i\/shop\/~([^/]+)\/(.+)$/.exec(signed) ?? [];
    expect(`${site}/${rest}`).toBe(url);
    expect(await isSigned(signature, rest, [key])).toBe(true);
    expect(await isSigned(signature, `${rest}x`, [key])).toBe(false);
    const other = await signUrl(url, `${secret}k`);
    expect(other).not.toBe(signed);
    // A secret that was rotated is replaced.
    expect(await signUrl(other, secret)).toBe(signed);
  });

  it('is the one in the documentation for its secret', async () => {
    const text = codeTitled('signing.md', 'To check your code');
    const [written = '', signed = '', url = ''] = text.match(/(?<=: +)\S+/g) ?? [];
    expect(await signUrl(`http://localhost:8787/i/shop/${signed}`, written)).toBe(url);
  });

  it('is made for URLs without a host, and below a path, too', async () => {
    const [, signature] = /~([^/]+)/.exec(await signUrl(`${site}/_/a.jpg`, secret)) ?? [];
    expect(await signUrl('/i/shop/_/a.jpg', secret)).toBe(`/i/shop/~${signature}/_/a.jpg`);
    const below = 'https://www.example/img/i/shop';
    expect(await signUrl(`${below}/_/a.jpg`, secret)).toBe(`${below}/~${signature}/_/a.jpg`);
  });

  it('needs a secret, and a URL of an image', async () => {
    await expect(signUrl(`${site}/_/a.jpg`, '')).rejects.toThrow('no secret');
    for (const url of [`${site}/a.jpg`, 'https://images.example/a/b/c.jpg', site, '']) {
      await expect(signUrl(url, secret), url).rejects.toThrow('no URL of an image');
    }
  });
});
