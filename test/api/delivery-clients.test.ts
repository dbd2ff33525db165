import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createIPX, createIPXFetchHandler } from 'ipx';
import sharp from 'sharp';
import { generate } from 'unpic/providers/ipx';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { npm } from '../../scripts/local/packages.ts';
import { deliverySnippets } from '../../src/cabinet/text/delivery-snippets.ts';
import { movingBall } from '../support/animations/moving-ball.ts';
import { expectProblem } from '../support/answers.ts';
import { type DeliveringService, startDeliveringService } from '../support/delivering-service.ts';
import { itForEach } from '../support/each.ts';
import { decodedJxl } from '../support/jxl.ts';
import { smallPhoto } from '../support/pictures.ts';

/** What clients send as `Accept` for an image, as recorded, and the types that they show. */
const imageClients = {
  Chrome: {
    accept: 'image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8',
    shows: ['image/jpeg', 'image/png', 'image/gif', 'image/webp', 'image/avif'],
  },
  Firefox: {
    accept: 'image/avif,image/webp,image/png,image/svg+xml,image/*;q=0.8,*/*;q=0.5',
    shows: ['image/jpeg', 'image/png', 'image/gif', 'image/webp', 'image/avif'],
  },
  Safari: {
    accept:
      'image/webp,image/avif,image/jxl,image/heic,image/heic-sequence,video/*;q=0.8,image/png,image/svg+xml,image/*;q=0.8,*/*;q=0.5',
    shows: ['image/jpeg', 'image/png', 'image/gif', 'image/webp', 'image/avif', 'image/jxl'],
  },
  'a proxy of mails': {
    accept: 'image/*,*/*;q=0.8',
    shows: ['image/jpeg', 'image/png', 'image/gif'],
  },
  curl: { accept: '*/*', shows: ['image/jpeg', 'image/png', 'image/gif'] },
} as const;

let delivering: DeliveringService;
/** The URL below which the images are. */
let base: string;
let photo: Uint8Array<ArrayBuffer>;

beforeAll(async () => {
  delivering = await startDeliveringService();
  const { foreign } = delivering;
  photo = await smallPhoto();
  const type = (name: string) => ({ 'Content-Type': `image/${name}` });
  foreign.serve('/photo.jpg', photo, type('jpeg'));
  foreign.serve('/albums/summer%20at%20sea/gr%C3%BC%C3%9Fe.jpg', photo, type('jpeg'));
  const file = sharp(photo);
  foreign.serve('/photo.webp', await file.clone().webp().toBuffer(), type('webp'));
  foreign.serve('/photo.avif', await file.clone().avif({ effort: 0 }).toBuffer(), type('avif'));
  const logo = file.clone().resize(90, 60).ensureAlpha(0.4).png();
  foreign.serve('/logo.png', await logo.toBuffer(), type('png'));
  foreign.serve('/ball.gif', (await movingBall('gif')).file, type('gif'));
  foreign.serve('/ball.webp', (await movingBall('webp')).file, type('webp'));
  base = await below('clients', { on_error: 'error' });
});
afterAll(() => delivering?.close());

/** Makes a site; returns the URL below which its images are. */
async function below(slug: string, options: Record<string, unknown>): Promise<string> {
  await delivering.site(slug, options);
  return `${delivering.origin}/i/${slug}`;
}

interface Seen {
  readonly type: string | null;
  readonly width: number;
  readonly height: number;
  readonly pages: number;
}

/** What a client sees at a URL that stands in a page; fails if it is no image. */
async function seen(url: string, accept: string = imageClients.Chrome.accept): Promise<Seen> {
  const response = await fetch(url, { headers: { Accept: accept } });
  const body = Buffer.from(await response.arrayBuffer());
  expect(response.status, `${url}: ${body.toString('latin1', 0, 300)}`).toBe(200);
  const type = response.headers.get('Content-Type');
  if (type === 'image/jxl') return { type, pages: 1, ...(await decodedJxl(body)) };
  const { format, width, height, pages = 1, pageHeight = height } = await sharp(body).metadata();
  expect(type).toBe(`image/${format === 'heif' ? 'avif' : format}`);
  await sharp(body, { failOn: 'warning' }).raw().toBuffer();
  return { type, width, height: pageHeight, pages };
}

describe('URLs of unpic', () => {
  itForEach(
    [
      [{}, { width: 480, height: 320 }],
      [{ width: 120 }, { width: 120, height: 80 }],
      [
        { width: 60, height: 60 },
        { width: 60, height: 60 },
      ],
      [
        { height: 40, format: 'webp', quality: 50 },
        { width: 60, type: 'image/webp' },
      ],
      [
        { width: 90, format: 'jpg' },
        { width: 90, type: 'image/jpeg' },
      ],
      [
        { s: '90x30', f: 'png' },
        { width: 90, height: 30, type: 'image/png' },
      ],
      [{ width: 5000 }, { width: 480, height: 320 }],
    ],
    'give what they ask for: %j',
    async (operations, expected) => {
      const url = generate('/photo.jpg', { ...operations }, { baseURL: base });
      expect(await seen(url)).toMatchObject(expected);
    },
  );

  it('may have paths of any language, with or without their first slash', async () => {
    for (const path of ['albums/summer at sea/grüße.jpg', '/albums/summer%20at%20sea/grüße.jpg']) {
      const url = generate(path, { width: 30 }, { baseURL: base });
      expect(await seen(url)).toMatchObject({ width: 30, height: 20 });
    }
  });
});

describe('URLs of IPX', () => {
  it.each([
    ...['w_100', 'h_100', 'w=96&f:webp', 'width=96,f=webp', 's_120x120', 'resize_64', '_'],
    ...['s_120x60,fit_contain,b_fff', 's_120x60,fit_inside', 's_120x60,fit_outside'],
    ...['s_120x60,fit_fill', 's_60x60,pos_right top', 'w_9000', 'h_321', 's_960x960', 's_960x640'],
    ...['s_100x400', 's_960x320,fit_outside'],
  ])('give images of the size that it makes: %s', async (segment) => {
    const storage = { name: 'one', getMeta: () => ({}), getData: () => Buffer.from(photo) };
    const ipx = createIPXFetchHandler(createIPX({ storage }));
    const path = `/${encodeURI(segment)}/photo.jpg`;
    const response = await ipx(new Request(`https://ipx.example${path}`));
    const { width, height } = await sharp(await response.arrayBuffer()).metadata();
    // As JPEG, which is made fastest.
    expect(await seen(`${base}${path}`, '*/*')).toMatchObject({ width, height });
  });

  it('are refused where they ask for more than is made here, on sites of either kind', async () => {
    const lenient = await below('lenient', { on_error: 'original' });
    for (const site of [base, lenient]) {
      const response = await fetch(`${site}/w_10,blur_5/photo.jpg`, { redirect: 'manual' });
      const { detail } = await expectProblem(response, 'invalid_options');
      expect(detail).toContain('w or width');
    }
  });
});

it('the format depends on Accept, and caches are told', async () => {
  const types = new Set<string | null>();
  for (const { accept } of Object.values(imageClients)) {
    const response = await fetch(`${base}/w_50/photo.jpg`, { headers: { Accept: accept } });
    expect(response.headers.get('Vary')).toMatch(/\bAccept\b/);
    await response.arrayBuffer();
    types.add(response.headers.get('Content-Type'));
  }
  expect(types.size).toBeGreaterThan(1);
});

describe.each(Object.entries(imageClients))('%s', { tags: 'slow' }, (_, { accept, shows }) => {
  const sources: readonly (readonly [string, number])[] = [
    ['photo.avif', 1],
    ['photo.jpg', 1],
    ['photo.webp', 1],
    ['logo.png', 1],
    ['ball.gif', 2],
    ['ball.webp', 2],
  ];
  itForEach(sources, 'gets a type that it shows, of %s', async (name, leastPages) => {
    for (const segment of ['w_60', 'f_auto,w_30,animated']) {
      const { type, pages } = await seen(`${base}/${segment}/${name}`, accept);
      expect(shows).toContain(type);
      expect(pages).toBeGreaterThanOrEqual(leastPages);
    }
  });
});

// Both are installed for these tests alone: they are large, and nothing else needs them.
describe('frameworks', { tags: 'slow' }, () => {
  let folder: string;
  const widths = [40, 80, 120];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fewerbytes-clients-'));
    await writeFile(join(folder, 'package.json'), '{"private":true}');
    const quiet = ['--no-save', '--ignore-scripts', '--no-audit', '--legacy-peer-deps'];
    await npm(['install', ...quiet, '--omit=optional', '@nuxt/image@2.1.0'], folder);
    await npm(['pack', 'next@16.4.6'], folder);
    // Of a fifth of a gigabyte, what makes URLs needs itself alone.
    const part = 'package/dist/shared/lib';
    execFileSync('tar', ['-xzf', 'next-16.4.6.tgz', part], { cwd: folder });
  }, 300_000);
  afterAll(() => rm(folder, { recursive: true, force: true }));

  /** What the code of a snippet exports. */
  async function exportsOf(id: string, before = '') {
    const image = { origin: delivering.origin, slug: 'clients', signed: false, path: 'photo.jpg' };
    const snippet = deliverySnippets(image).find((one) => one.id === id);
    const file = join(folder, `${id}.mjs`);
    await writeFile(file, `${before}${snippet?.code}`);
    return import(pathToFileURL(file).href);
  }

  /** Checks that each candidate has the width that is written behind it. */
  async function expectCandidates(srcset: string, expected: readonly number[]): Promise<void> {
    const candidates = srcset.split(', ').map((candidate) => candidate.split(' '));
    expect(candidates.map(([, width]) => width)).toEqual(expected.map((width) => `${width}w`));
    for (const [url = '', width = ''] of candidates) {
      expect(await seen(url)).toMatchObject({ width: Number.parseInt(width, 10) });
    }
  }

  it('Nuxt Image’s provider of IPX makes URLs, and sets of them, that are answered', async () => {
    const load = (path: string) =>
      import(pathToFileURL(join(folder, 'node_modules/@nuxt/image/dist/runtime', path)).href);
    const { createImage } = await load('image.js');
    const { default: setup } = await load('providers/ipx.js');
    const { default: config } = await exportsOf(
      'nuxt',
      'const defineNuxtConfig = (config) => config;\n',
    );
    const { provider, ipx: defaults } = config.image;
    const image = createImage({
      ...{ provider, providers: { ipx: { setup, defaults } } },
      ...{ presets: {}, domains: [], alias: {}, densities: [1], screens: {} },
      nuxt: { baseURL: '/' },
    });
    expect(await seen(image('/photo.jpg'))).toMatchObject({ width: 480 });
    const modifiers = { width: 60, height: 90, fit: 'contain', background: '#fff', format: 'webp' };
    const webp = await seen(image('/photo.jpg', { ...modifiers, quality: 40 }));
    expect(webp).toEqual({ type: 'image/webp', width: 60, height: 90, pages: 1 });
    const cut = image('/albums/summer at sea/grüße.jpg', {
      width: 30,
      height: 30,
      position: 'left top',
    });
    expect(await seen(cut)).toMatchObject({ width: 30, height: 30 });
    const ball = await seen(image('/ball.gif', { format: 'webp', animated: true }));
    expect(ball.pages).toBeGreaterThan(1);
    const sizes = widths.map((width) => `${width}:100vw`).join(' ');
    const { srcset } = image.getSizes('/photo.jpg', { sizes, modifiers: { format: 'auto' } });
    await expectCandidates(srcset, widths);
  });

  it('a loader of Next.js makes URLs, and sets of them, that are answered', async () => {
    const next = createRequire(join(folder, 'package/dist/shared/lib/'));
    const { getImgProps } = next('./get-img-props.js');
    const { imageConfigDefault } = next('./image-config.js');
    const { default: defaultLoader } = next('./image-loader.js');
    const imgConf = {
      ...imageConfigDefault,
      ...{ deviceSizes: widths, imageSizes: [], allSizes: widths, qualities: [60] },
    };
    const { default: loader } = await exportsOf('next');
    const properties = { src: '/photo.jpg', alt: '', fill: true, sizes: '100vw', loader };
    const auto = getImgProps(properties, { imgConf, defaultLoader }).props;
    await expectCandidates(auto.srcSet, widths);
    expect(await seen(auto.src)).toMatchObject({ width: 120 });
    const fixed = getImgProps({ ...properties, quality: 60 }, { imgConf, defaultLoader }).props;
    expect(fixed.src).toContain('q_60');
    await expectCandidates(fixed.srcSet, widths);
  });
});
