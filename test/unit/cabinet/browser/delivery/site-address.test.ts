import { describe, expect, it } from 'vitest';
import {
  imagePath,
  pathBelow,
  readAddress,
  slugFor,
} from '../../../../../src/cabinet/browser/delivery/site-address.ts';
import { isSigned } from '../../../../../src/routes/delivery/url-signature.ts';
import { siteRecord } from './site-records.ts';

describe('the address of images', () => {
  it.each([
    ['https://www.example.com/images/', 'https://www.example.com/images/'],
    [' https://www.example.com/images ', 'https://www.example.com/images/'],
    ['www.example.com', 'https://www.example.com/'],
    ['HTTPS://WWW.Example.COM', 'https://www.example.com/'],
    ['http://localhost:3000/a/', 'http://localhost:3000/a/'],
    ['localhost', 'http://localhost/'],
    ['shop.localhost:3000/a', 'http://shop.localhost:3000/a/'],
    ['127.0.0.1:8080', 'http://127.0.0.1:8080/'],
    ['[::1]:8080/a/', 'http://[::1]:8080/a/'],
    ['https://localhost', 'https://localhost/'],
    ['localhost.example.com', 'https://localhost.example.com/'],
    ['https://www.example.com/a b/', 'https://www.example.com/a%20b/'],
  ])('of %j is %s', (typed, source) => {
    expect(readAddress(typed)).toEqual({ source, path: '' });
  });

  it.each([
    ['https://www.example.com/cups/blue.jpg', 'https://www.example.com/', 'cups/blue.jpg'],
    ['www.example.com/cups/blue.jpeg?v=2', 'https://www.example.com/', 'cups/blue.jpeg?v=2'],
    ['https://example.com/image?id=7#top', 'https://example.com/', 'image?id=7'],
  ])('of the image %j is that of its server', (typed, source, path) => {
    expect(readAddress(typed)).toEqual({ source, path });
  });

  it.each([
    '',
    '  ',
    'https://',
    'ftp://example.com/',
    'javascript:alert(1)',
    'https://a:b@c.d/',
    'http://[1',
  ])('is not %j', (typed) => expect(readAddress(typed)).toBeNull());
});

describe('the slug proposed for', () => {
  it.each([
    ['https://www.example.com/', 'example-com'],
    ['https://a.b/', 'a-b'],
    ['http://127.0.0.1:8080/', '127-0-0-1'],
    ['https://münchen.example/', 'xn-mnchen-3ya-example'],
    [`https://${'a'.repeat(39)}.example/`, 'a'.repeat(39)],
    ['https://q/', ''],
  ])('%s is %j', (source, slug) => expect(slugFor({ source, path: '' })).toBe(slug));
});

const source = 'https://images.example/shop/';

describe('the path below the source', () => {
  it.each([
    ['cups/blue.jpg', 'cups/blue.jpg'],
    [' /cups/blue.jpg ', 'cups/blue.jpg'],
    [`${source}cups/blue.jpg?v=2`, 'cups/blue.jpg?v=2'],
    ['a b/ü.jpg', 'a%20b/%C3%BC.jpg'],
    ['a%20b.jpg', 'a%20b.jpg'],
    ['100%.jpg', '100%25.jpg'],
    ['', ''],
    ['/', ''],
    [source, ''],
  ])('of %j is %j', (typed, path) => expect(pathBelow(source, typed)).toBe(path));
});

describe('the path of an image by URL', () => {
  it('has what was typed in its place', async () => {
    const path = await imagePath(siteRecord(), 'w_800,f_webp', 'cups/blue.jpg?v=2');
    expect(path).toBe('/i/shop/w_800,f_webp/cups/blue.jpg?v=2');
  });

  it.each([
    ['w_800/../../../v1/me', 'a.jpg'],
    ['"><script>', 'a.jpg'],
    ['w_800?x=1#y', 'a.jpg'],
    ['w_800', 'a%22%3E.jpg'],
    ['\ud800', 'a.jpg'],
  ])('keeps %j and %j in their segments', async (options, path) => {
    const written = await imagePath(siteRecord(), options, path);
    const { pathname } = new URL(`https://host.example${written}`);
    const [, i, slug, segment = ''] = pathname.split('/');
    expect([i, slug]).toEqual(['i', 'shop']);
    expect(decodeURIComponent(segment)).toBe(options.toWellFormed());
    expect(written).not.toMatch(/["<>]/);
  });

  it.each([
    ['..', 'a.jpg'],
    ['~signature', 'w_800/a.jpg'],
    ['w_800', '../a.jpg'],
    ['w_800', 'a/../../../v1/me'],
    ['w_800', '%2e%2e/a.jpg'],
  ])('is none that leads out of the site: %j and %j', async (options, path) => {
    expect(await imagePath(siteRecord(), options, pathBelow(source, path))).toBeNull();
  });

  it.each([
    'cups/blue.jpg',
    'a b/ü~!*()\'".jpg?q=a b&c=%2f',
    '100%.jpg',
    "it's.jpg",
    'مفتاح/👩🏽‍🚀.png',
  ])('is signed as the service checks it: %s', async (typed) => {
    const site = siteRecord({ signed: true });
    const path = await imagePath(site, 'w_800', pathBelow(source, typed));
    const [, signature = '', signed = ''] =
      /^\/i\/shop\/~([\w-]{24})\/(.*)$/.exec(path ?? '') ?? [];
    const key = Uint8Array.from(Buffer.from(site.secrets[0]?.secret ?? ''));
    expect(await isSigned(signature, signed, [key])).toBe(true);
    expect(await isSigned(signature, `${signed}x`, [key])).toBe(false);
  });
});
