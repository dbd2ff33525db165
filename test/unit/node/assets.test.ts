import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { folderAssets } from '../../../src/node/assets.ts';

const folder = mkdtempSync(join(tmpdir(), 'fewerbytes-assets-'));
mkdirSync(join(folder, 'site/assets'), { recursive: true });
mkdirSync(join(folder, 'site/.vite'));
writeFileSync(join(folder, 'secret.txt'), 'secret');
writeFileSync(join(folder, 'site/.vite/manifest.json'), '{}');
writeFileSync(join(folder, 'site/.assetsignore'), '.vite');
writeFileSync(join(folder, 'site/assets/a b.js'), 'export {};');
const assets = folderAssets(join(folder, 'site'));
const url = 'http://a.example/assets/a%20b.js';

afterAll(() => rmSync(folder, { recursive: true }));

describe('the files of pages', () => {
  it('come with type, length and a strong entity tag', async () => {
    const response = await assets.fetch(url);
    expect(await response.text()).toBe('export {};');
    expect(response.headers.get('Content-Type')).toBe('text/javascript; charset=utf-8');
    expect(response.headers.get('Content-Length')).toBe('10');
    expect(response.headers.get('ETag')).toMatch(/^"\w{32}"$/);
  });

  it('are not sent again to whoever has them', async () => {
    const etag = (await assets.fetch(url)).headers.get('ETag');
    for (const condition of [`${etag}`, `"x", W/${etag}`, '*']) {
      const request = new Request(url, { headers: { 'If-None-Match': condition } });
      const response = await assets.fetch(request);
      expect([response.status, await response.text()]).toEqual([304, '']);
    }
    const other = new Request(url, { headers: { 'If-None-Match': '"x"' } });
    expect((await assets.fetch(other)).status).toBe(200);
  });

  it('have only their headers for HEAD, and answer no other method', async () => {
    const head = await assets.fetch(new Request(url, { method: 'HEAD' }));
    expect([head.headers.get('Content-Length'), await head.text()]).toEqual(['10', '']);
    expect((await assets.fetch(new Request(url, { method: 'POST' }))).status).toBe(405);
  });

  it.each([
    '/',
    '/assets',
    '/assets/',
    '/assets/no.js',
    '/%2e%2e/secret.txt',
    '/assets/..%2f..%2f..%2fsecret.txt',
    '/%E0%A4%A',
    '/.vite/manifest.json',
    '/.assetsignore',
  ])('are all that there is: %s', async (path) => {
    expect((await assets.fetch(`http://a.example${path}`)).status).toBe(404);
  });
});
