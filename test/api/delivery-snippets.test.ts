import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { DOMParser, type Element, onErrorStopParsing } from '@xmldom/xmldom';
import sharp from 'sharp';
import { afterAll, beforeAll, beforeEach, describe, expect, it, type TestContext } from 'vitest';
import { root } from '../../scripts/local/root.ts';
import { deliverySnippets } from '../../src/cabinet/text/delivery-snippets.ts';
import { isSigned } from '../../src/routes/delivery/url-signature.ts';
import { writtenPath } from '../../src/routes/delivery/url-spelling.ts';
import { expectProblem } from '../support/answers.ts';
import {
  type DeliveringService,
  type Site,
  startDeliveringService,
} from '../support/delivering-service.ts';
import { codeTitled } from '../support/docs/code.ts';
import { describeForEach, itForEach } from '../support/each.ts';
import { hostileValues as hostile } from '../support/hostile-values.ts';
import { missingLanguages, type Outcome, runCode } from '../support/language-runtimes.ts';
import { smallPhoto } from '../support/pictures.ts';

/** Paths as they stand in the address of an image, or as its file is called. */
const paths = [
  'cups/blue.jpg',
  '/summer%20at%20sea/gr%C3%BC%C3%9Fe.jpg?v=2&w=1',
  `it's "a" $x \${y} #{z} \`w\` {{v}} <b>&amp; 100%.jpg`,
];

let service: DeliveringService;
let signed: Site;
let folder: string;

beforeAll(async () => {
  service = await startDeliveringService();
  const photo = await smallPhoto();
  for (const text of paths) {
    const { path, query } = writtenPath(text);
    service.foreign.serve(`/${path}${query}`, photo);
    // Components of frameworks have no place for a query.
    service.foreign.serve(`/${path}`, photo);
  }
  await service.site('open', { on_error: 'error' });
  signed = await service.site('signed', { signed: true });
  folder = await mkdtemp(join(tmpdir(), 'delivery-snippets-'));
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
}, 180_000);
afterAll(async () => {
  await service?.close();
  if (folder) await rm(folder, { recursive: true });
});

function secretOf(site: Site): string {
  return site.secrets[0]?.secret ?? '';
}

function codeOf(
  id: string,
  image: { origin: string; slug: string; signed: boolean; path: string },
) {
  const snippet = deliverySnippets(image).find((one) => one.id === id);
  if (!snippet) throw new Error(`There is no snippet ${id}.`);
  return snippet.code;
}

/** The code for an image of the site without signatures. */
function pageCode(id: string, path: string, origin = service.origin): string {
  return codeOf(id, { origin, slug: 'open', signed: false, path });
}

/** The size of what is at a URL; fails if that is no image. */
async function widthAt(url: string): Promise<number> {
  const response = await fetch(url, { headers: { Accept: 'image/webp' } });
  const body = Buffer.from(await response.arrayBuffer());
  expect(response.status, `${url}: ${body.toString('latin1', 0, 300)}`).toBe(200);
  return (await sharp(body).metadata()).width;
}

/** The only element of a text, as a browser reads it. */
function elementOf(html: string): Element {
  const parser = new DOMParser({ onError: onErrorStopParsing });
  const { documentElement } = parser.parseFromString(html, 'text/html');
  if (!documentElement) throw new Error('There is no element.');
  return documentElement;
}

/** The `src` of the component that a comment of the code shows. */
function shownSource(code: string): string {
  const [, tag = ''] = /^\/\/ <\w+ (src="[^"\n]*")[^\n]*\/>$/m.exec(code) ?? [];
  return elementOf(`<img ${tag}>`).getAttribute('src') ?? '';
}

/** What a module exports. */
async function exportsOf(code: string) {
  const file = join(folder, `${crypto.randomUUID()}.mjs`);
  await writeFile(file, code);
  return import(pathToFileURL(file).href);
}

/** What a component of Astro computes; the rest of it is markup. */
async function astroValues(code: string, props: Record<string, string>) {
  const [, script = ''] = /^---\n([\s\S]*?)\n---\n<img [^\n]*\/>$/.exec(code) ?? [];
  const module = `export default (Astro) => { ${script}\nreturn { src: url(800), srcset }; }`;
  const { default: component } = await exportsOf(module);
  return component({ props }) as { src: string; srcset: string };
}

function urlsOf(srcset: string): readonly (readonly [url: string, descriptor: string])[] {
  return srcset.split(/,\s+/).map((candidate) => candidate.split(' ') as [string, string]);
}

describeForEach(
  paths.map((path) => [path] as const),
  'in a page, %s',
  (path) => {
    it('is shown by HTML, in three widths', async () => {
      const image = elementOf(pageCode('html', path));
      expect(await widthAt(image.getAttribute('src') ?? '')).toBe(480);
      const candidates = urlsOf(image.getAttribute('srcset') ?? '');
      expect(candidates.map(([, width]) => width)).toEqual(['400w', '800w', '1600w']);
      const found = await Promise.all(candidates.map(([url]) => widthAt(url)));
      expect(found).toEqual([400, 480, 480]);
    });

    it('is shown by Next.js, through a loader', async () => {
      const code = pageCode('next', path);
      const { default: loader } = await exportsOf(code);
      const src = shownSource(code);
      expect(await widthAt(loader({ src, width: 40 }))).toBe(40);
      expect(await widthAt(loader({ src, width: 50, quality: 60 }))).toBe(50);
      expect(loader({ src, width: 50, quality: 60 })).toContain(',q_60/');
    });

    it('is shown by Nuxt, whose provider encodes paths', async () => {
      const code = pageCode('nuxt', path);
      const { default: config } = await exportsOf(
        `const defineNuxtConfig = (config) => config;\n${code}`,
      );
      expect(config.image.provider).toBe('ipx');
      const name = shownSource(code).split('/').map(encodeURIComponent).join('/');
      expect(await widthAt(`${config.image.ipx.baseURL}/w_60${name}`)).toBe(60);
    });

    it('is shown by Astro, through a component', async () => {
      const code = pageCode('astro', path);
      const [, literal] = /^\/\/ <SiteImage src=\{('.*')\} alt="[^"]*" \/>$/m.exec(code) ?? [];
      const { default: src } = await exportsOf(`export default ${literal};`);
      const image = await astroValues(code, { src, alt: '' });
      expect(await widthAt(image.src)).toBe(480);
      const found = await Promise.all(urlsOf(image.srcset).map(([url]) => widthAt(url)));
      expect(found).toEqual([400, 480, 480]);
    });

    it('is shown by unpic', async () => {
      const place = { folder, name: 'unpic', env: {} };
      const { stdout, stderr } = await runCode('Node', pageCode('unpic', path), place);
      expect(stderr).toBe('');
      expect(await widthAt(stdout.trim())).toBe(480);
    });
  },
);

const signers = deliverySnippets({ origin: '', slug: 'signed', signed: true, path: '' });

describe.each([...signers])('signing in $name', ({ id, name }) => {
  beforeEach(({ skip }: TestContext) =>
    skip(missingLanguages.has(name), `${name} cannot be run here`),
  );

  function run(path: string, secret: string): Promise<Outcome> {
    const code = codeOf(id, { origin: service.origin, slug: 'signed', signed: true, path });
    return runCode(name, code, { folder, name: 'sign', env: { SITE_SECRET: secret } });
  }

  itForEach(paths, 'makes a URL of %s that is answered', async (path) => {
    const { status, stdout, stderr } = await run(path, secretOf(signed));
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^http\S+\n$/);
    expect(await widthAt(stdout.trim())).toBe(480);
  });

  it('with another secret makes one that is refused', { tags: 'slow' }, async () => {
    for (const secret of [secretOf(signed).toLowerCase(), 'wrong']) {
      const { stdout } = await run('cups/blue.jpg', secret);
      await expectProblem(await service.get(stdout.trim()), 'invalid_url_signature');
    }
  });

  it('takes whatever a path contains for data', async () => {
    const path = hostile.filter((text) => !/[/?]/.test(text)).join('/');
    const query = hostile.join('&');
    const { status, stdout, stderr } = await run(`${path}?${query}`, secretOf(signed));
    expect([status, stderr]).toEqual([0, '']);
    const { pathname, search } = new URL(stdout.trim());
    const written = writtenPath(`${path}?${query}`);
    const found = pathname.split('/').slice(5).map(decodeURIComponent);
    expect(found).toEqual(written.segments);
    expect(search).toBe(written.query);
    // Such paths are refused, so this asks what decides on signatures.
    const [, signature = '', rest = ''] = /~([^/]+)\/(.*)$/s.exec(`${pathname}${search}`) ?? [];
    const key = Uint8Array.from(new TextEncoder().encode(secretOf(signed)));
    expect(await isSigned(signature, rest, [key])).toBe(true);
  });
});

it('where only presets are answered, the code asks for one', { tags: 'slow' }, async () => {
  const presets = { small: 'w_70' };
  const image = { origin: service.origin, path: 'cups/blue.jpg', preset: 'p_small' };
  await service.site('framed', { presets, presets_only: true });
  const shown = deliverySnippets({ ...image, slug: 'framed', signed: false });
  expect(shown.map(({ id }) => id)).toEqual(['html']);
  const src = elementOf(shown[0]?.code ?? '').getAttribute('src') ?? '';
  expect(await widthAt(src)).toBe(70);

  const site = await service.site('signed-frames', { presets, presets_only: true, signed: true });
  for (const { name, code } of deliverySnippets({ ...image, slug: site.slug, signed: true })) {
    if (missingLanguages.has(name)) continue;
    const place = { folder, name: 'preset', env: { SITE_SECRET: secretOf(site) } };
    const { stdout } = await runCode(name, code, place);
    expect(await widthAt(stdout.trim()), name).toBe(70);
  }
});

describe('with the package, as the documentation has it', () => {
  /** What code of the documentation prints, run for a site of this service. */
  async function printedBy(page: string, slug: string, around: (code: string) => string) {
    const address = 'http://localhost:8787/i/shop';
    const code = codeTitled(page, 'With the package');
    expect(code).toContain(address);
    const own = around(code.replace(address, `${service.origin}/i/${slug}`));
    const place = { folder, name: 'package', env: { SITE_SECRET: secretOf(signed) } };
    const { stdout, stderr } = await runCode('Node', own, place);
    expect(stderr).toBe('');
    return stdout;
  }

  it('an image is shown in three widths', async () => {
    const printed = await printedBy('delivery.md', 'open', (code) => {
      const [imports = '', ...rest] = code.split('\n');
      const image = 'globalThis.Image = class {};';
      return [imports, image, ...rest, 'console.log(JSON.stringify(image));'].join('\n');
    });
    const { src, srcset } = JSON.parse(printed);
    expect(await widthAt(src)).toBe(480);
    const found = await Promise.all(urlsOf(srcset).map(([url]) => widthAt(url)));
    expect(found).toEqual([400, 480, 480]);
  });

  it('a signed image is shown in two widths', { tags: 'slow' }, async () => {
    const image = elementOf(await printedBy('signing.md', 'signed', (code) => code));
    expect(await widthAt(image.getAttribute('src') ?? '')).toBe(480);
    const candidates = urlsOf(image.getAttribute('srcset') ?? '');
    expect(await Promise.all(candidates.map(([url]) => widthAt(url)))).toEqual([400, 480]);
  });
});

describe.each(hostile)('in a page, a path with %j', (text) => {
  const origin = 'https://images.example';
  const { segments, path, query } = writtenPath(`a/${text}/b.jpg?c=${text}`);
  const address = `${origin}/i/open`;

  it('is data in all code', async () => {
    const code = (id: string) => pageCode(id, `a/${text}/b.jpg?c=${text}`, origin);
    const image = elementOf(code('html'));
    const attributes = Array.from(image.attributes, ({ name }) => name);
    expect(attributes).toEqual(['src', 'srcset', 'sizes', 'alt']);
    expect(image.getAttribute('src')).toBe(`${address}/w_800/${path}${query}`);
    expect(shownSource(code('next'))).toBe(`/${path}${query}`);
    const { default: loader } = await exportsOf(code('next'));
    expect(loader({ src: '/x', width: 5 })).toBe(`${address}/w_5,q_auto/x`);
    const nuxt = `const defineNuxtConfig = (config) => config;\n${code('nuxt')}`;
    const { default: config } = await exportsOf(nuxt);
    expect(config.image.ipx).toEqual({ baseURL: address });
    // What no file is called is not read back by the parser.
    if (!/[\0\r\n\t]/.test(segments.join())) {
      expect(shownSource(code('nuxt'))).toBe(`/${segments.join('/')}`);
    }
    const { src } = await astroValues(code('astro'), { src: '/x', alt: '' });
    expect(src).toBe(`${address}/w_800/x`);
    for (const id of ['next', 'nuxt', 'astro', 'unpic']) {
      expect(code(id).split('\n').length, id).toBe(
        pageCode(id, 'b.jpg', origin).split('\n').length,
      );
    }
  });
});
