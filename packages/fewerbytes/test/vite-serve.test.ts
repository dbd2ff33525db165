import { createHash } from 'node:crypto';
import { glob, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { createServer, type ViteDevServer } from 'vite';
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { findChromium } from '../../../scripts/local/browsers.ts';
import { sharedBrowser } from '../../../test/support/browser.ts';
import { smallPhoto } from '../../../test/support/pictures.ts';
import { sharedTestService } from '../../../test/support/service.ts';
import type { Picture } from '../src/vite.ts';
import { CountingProxy } from './support/counting-proxy.ts';
import { picturePage, ViteProject } from './support/vite-project.ts';

// Pictures on the development server.

const query = '?widths=120,240&formats=avif,jpeg';

let photo: Uint8Array<ArrayBuffer>;
let project: ViteProject;
/** What the server has logged as errors. */
let errors: string[];

beforeAll(async () => {
  photo = await smallPhoto();
});
beforeEach(async () => {
  errors = [];
  project = await ViteProject.create({ ...picturePage(query), 'photo.jpg': photo }, onTestFinished);
});

/** Starts the server. @returns its address, with a slash at the end */
async function serve(settings = '{}', others = ''): Promise<string> {
  await project.configure(settings, others);
  const server = await createServer({
    root: project.folder,
    logLevel: 'error',
    server: { host: '127.0.0.1', port: 0 },
    plugins: [
      {
        name: 'listening',
        configResolved: ({ logger }) => {
          logger.error = (text) => errors.push(text);
        },
      },
    ],
  });
  await server.listen();
  onTestFinished(() => server.close());
  return urlOf(server);
}

function urlOf({ resolvedUrls }: ViteDevServer): string {
  return resolvedUrls?.local[0] ?? '';
}

/** What the import of a picture gives there. @throws Error with what the server says */
async function imported(url: string, path: string): Promise<Picture> {
  const response = await fetch(new URL(`${path}&import`, url));
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return JSON.parse(text.slice('export default '.length, text.indexOf(';')));
}

it('files have their type and an ETag, below the base, and are as wide as the module says', {
  tags: 'slow',
}, async () => {
  const url = await serve('{}', "base: '/app/'");
  const { src, srcset, width, height, sources } = await imported(
    url,
    `photo.jpg${query}&ratio=1:1`,
  );
  expect([width, height]).toEqual([240, 240]);
  expect(src).toMatch(/^\/app\/@fewerbytes\/[\da-f]{16}\/photo-240\.jpg$/);
  expect(srcset).toMatch(/photo-120\.jpg 120w, \S+photo-240\.jpg 240w$/);
  const [avif = ''] = sources[0]?.srcset.split(' ') ?? [];
  for (const [path, type, wide] of [
    [src, 'image/jpeg', 240],
    [avif, 'image/avif', 120],
  ] as const) {
    const response = await fetch(new URL(path, url));
    expect(response.headers.get('Content-Type')).toBe(type);
    const image = Buffer.from(await response.arrayBuffer());
    expect(await sharp(image).metadata()).toMatchObject({ width: wide, height: wide });
    const etag = response.headers.get('ETag') ?? '';
    const again = await fetch(new URL(path, url), { headers: { 'If-None-Match': etag } });
    expect(again.status).toBe(304);
    const head = await fetch(new URL(path, url), { method: 'HEAD' });
    expect(head.headers.get('Content-Length')).toBe(`${image.length}`);
  }
  expect((await fetch(new URL(src, url), { method: 'POST' })).status).toBe(405);
  expect((await fetch(new URL('/app/@fewerbytes/0/photo-240.jpg', url))).status).toBe(404);
});

it('a placeholder is there with the module', { tags: 'slow' }, async () => {
  const url = await serve();
  const { placeholder } = await imported(url, `photo.jpg${query}&placeholder=thumbhash`);
  expect(placeholder).toMatch(/^[\w+/]{20,}=*$/);
});

it('an image that Vite does not serve is not served as a picture either', async () => {
  const other = await ViteProject.create({ 'secret.jpg': photo }, onTestFinished);
  const url = await serve('{}', `server: { fs: { allow: ['.'] } }`);
  const path = `/@fs${encodeURI(join(other.folder, 'secret.jpg'))}`;
  await expect(imported(url, `${path}${query}`)).rejects.toThrow(/server\.fs\.allow/);
});

it('a later start makes nothing again, nor does the first one after a build', {
  tags: 'slow',
}, async () => {
  const asked = `${query}&placeholder=thumbhash`;
  for (const [path, content] of Object.entries(picturePage(asked)))
    await project.write(path, content);
  /** What the cache holds: files that are written again are other ones. */
  const cached = async () => {
    const cwd = join(project.folder, 'node_modules/.vite/fewerbytes');
    const files: string[] = [];
    for await (const name of glob('*/*.bin', { cwd })) {
      files.push(`${name} ${(await stat(join(cwd, name))).ino}`);
    }
    return files.sort();
  };
  const visit = async () => {
    const url = await serve();
    const { src, placeholder } = await imported(url, `photo.jpg${asked}`);
    const image = Buffer.from(await (await fetch(new URL(src, url))).arrayBuffer());
    return { src, placeholder, hash: createHash('sha256').update(image).digest('hex') };
  };
  const first = await visit();
  const made = await cached();
  // the one with the placeholder, and the one that was fetched
  expect(made).toHaveLength(2);
  expect(await visit()).toEqual(first);
  expect(await cached()).toEqual(made);

  // Those of earlier visits that restart may still write to it.
  await rm(join(project.folder, 'node_modules/.vite'), { recursive: true, maxRetries: 5 });
  await project.build();
  const built = await cached();
  expect(built).toHaveLength(1);
  expect((await visit()).hash).toBe(first.hash);
  expect(await cached()).toEqual(built);
});

it('a service is asked for the files that are shown, once each', { tags: 'slow' }, async () => {
  const service = await sharedTestService();
  onTestFinished(() => service.close());
  const proxy = await new CountingProxy(service.url).start();
  onTestFinished(() => proxy.stop());
  const url = await serve(`{ url: '${proxy.origin}', key: '${service.key}' }`);
  const { src } = await imported(url, `photo.jpg${query}`);
  expect(proxy.requests).toBe(0);
  for (let i = 0; i < 2; i += 1) {
    const response = await fetch(new URL(src, url));
    expect(await sharp(await response.arrayBuffer()).metadata()).toMatchObject({ width: 240 });
  }
  expect(proxy.paths).toEqual(['/v1/sets']);
  const [asked] = proxy.queries;
  expect(new URLSearchParams(asked).get('widths')).toBe('240');
  expect(new URLSearchParams(asked).get('formats')).toBe('jpeg');
});

describe.skipIf(findChromium() === null)('in a browser', () => {
  async function open(url: string): Promise<Page> {
    const context = await (await sharedBrowser()).newContext();
    onTestFinished(() => context.close());
    const tab = await context.newPage();
    await tab.goto(url);
    return tab;
  }
  /** Width and height of the file that is shown, in pixels. */
  const shown = (tab: Page) =>
    tab.evaluate<string>(`(async () => {
      const [image] = document.images;
      if (!image?.currentSrc) return '';
      const { width, height } = await createImageBitmap(await (await fetch(image.currentSrc)).blob());
      return image.complete ? width + ' x ' + height : '';
    })()`);
  const overlay = (tab: Page) =>
    tab.evaluate<string>(
      `document.querySelector('vite-error-overlay')?.shadowRoot.textContent ?? ''`,
    );

  it('a changed image replaces the one that is shown, without a reload', {
    tags: 'slow',
  }, async () => {
    const tab = await open(await serve());
    await expect.poll(() => shown(tab)).toBe('120 x 80');
    await tab.evaluate('window.isSame = true');
    await project.write('photo.jpg', await sharp(photo).resize(300, 300).jpeg().toBuffer());
    await expect.poll(() => shown(tab)).toBe('120 x 120');
    expect(await tab.evaluate('window.isSame')).toBe(true);
    expect(errors).toEqual([]);
  });

  it('an image that cannot be read is named over the page, until it is whole again', {
    tags: 'slow',
  }, async () => {
    const tab = await open(await serve());
    await expect.poll(() => shown(tab)).toBe('120 x 80');
    await project.write('photo.jpg', 'nothing');
    await expect.poll(() => overlay(tab)).toMatch(/photo\.jpg\?widths=120,240&formats=avif,jpeg: /);
    await project.write('photo.jpg', photo);
    await expect.poll(() => overlay(tab)).toBe('');
    await expect.poll(() => shown(tab)).toBe('120 x 80');
  });

  it('so is one of which only the end is missing, when it is asked for', {
    tags: 'slow',
  }, async () => {
    await project.write('photo.jpg', photo.subarray(0, photo.length / 2));
    const tab = await open(await serve());
    await expect.poll(() => overlay(tab)).toMatch(/photo\.jpg: \w.+ \w+.*\./);
    expect(errors.join()).toMatch(/fewerbytes: photo\.jpg: /);
  });
});
