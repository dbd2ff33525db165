import type { Document } from '@xmldom/xmldom';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { docsPages } from '../../src/cabinet/pages/docs/contents.ts';
import type { SearchEntry } from '../../src/cabinet/text/docs-search.ts';
import { errorTable } from '../../src/errors.ts';
import { isOnNode } from '../support/home.ts';
import { elementsOf, idsOf, parsePage } from '../support/pages.ts';
import { startTestService, type TestService } from '../support/service.ts';

/** Has to be escaped everywhere, in text and in attributes. */
const serviceName = '<b>"x"&';

let service: TestService;
const pages = new Map<string, { readonly html: string; readonly page: Document }>();
const operations: DescribedOperation[] = [];

beforeAll(async () => {
  service = await startTestService({ SERVICE_NAME: serviceName, FREE_FILES_PER_MONTH: '1234' });
  for (const path of ['/', ...docsPages.map((page) => page.path)]) await load(path);
  operations.push(...(await describedOperations()));
  for (const { operationId } of operations) await load(`/docs/api/${operationId}`);
  await load('/docs/api/objects');
});
afterAll(() => service.close());

async function load(path: string): Promise<void> {
  const response = await service.fetch(path);
  expect(response.status, path).toBe(200);
  const html = await response.text();
  pages.set(path, { html, page: parsePage(html) });
}

interface DescribedOperation {
  readonly path: string;
  readonly method: string;
  readonly operationId: string;
  readonly summary: string;
  readonly responses: object;
}

/** In the order of the OpenAPI document. */
async function describedOperations(): Promise<readonly DescribedOperation[]> {
  const response = await service.fetch('/v1/openapi.json');
  const { paths: described } = (await response.json()) as {
    paths: Record<string, Record<string, Omit<DescribedOperation, 'path' | 'method'>>>;
  };
  return Object.entries(described).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, path, method })),
  );
}

function pageAt(path: string) {
  const found = pages.get(path);
  if (!found) throw new Error(`no ${path}`);
  return found;
}

const paths = docsPages.map((page) => page.path);

describe('every page of the documentation', () => {
  it.each(paths)('%s has one h1, a title and a description of its own, and a language', (path) => {
    const { page } = pageAt(path);
    const text = (name: string) => elementsOf(page, name).map(({ textContent }) => textContent);
    const title = docsPages.find((entry) => entry.path === path)?.title;
    expect(text('h1')).toEqual([title]);
    expect(text('title')).toEqual([`${title} – ${serviceName}`]);
    const descriptions = elementsOf(page, 'meta').filter(
      (meta) => meta.getAttribute('name') === 'description',
    );
    expect(descriptions.map((meta) => meta.getAttribute('content'))).toEqual([
      expect.stringMatching(/^.{30,160}\.$/),
    ]);
    expect(page.documentElement?.getAttribute('lang')).toBe('en');
  });

  it('and of the reference has no id twice', () => {
    for (const [path, { page }] of pages) {
      const ids = idsOf(page);
      expect(ids, path).toEqual([...new Set(ids)]);
    }
  });

  it.each(paths)('%s has headings without gaps', (path) => {
    const levels = elementsOf(pageAt(path).page, '*').flatMap(
      ({ tagName }) => /^h([1-6])$/.exec(tagName)?.[1] ?? [],
    );
    for (const [index, level] of levels.entries()) {
      expect(Number(level) - Number(levels[index - 1] ?? 0), `heading ${index}`).toBeLessThan(2);
    }
  });

  it.each(paths)('%s has nothing inline, and the name of the service only as text', (path) => {
    const { html, page } = pageAt(path);
    const elements = elementsOf(page, '*');
    const attributes = elements.flatMap((element) => Array.from(element.attributes));
    expect(attributes.filter(({ name }) => /^(style$|on)/.test(name))).toEqual([]);
    expect(elementsOf(page, 'style')).toEqual([]);
    for (const script of elementsOf(page, 'script')) {
      expect(script.textContent).toBe('');
      expect(script.getAttribute('src')).toMatch(/^\/assets\//);
    }
    expect(html).not.toContain('<b>');
    expect(html).not.toContain('undefined');
    expect(html).not.toContain('[object');
  });

  it.each(paths)('%s is sent again only when it has changed', async (path) => {
    const first = await service.fetch(path);
    expect(first.headers.get('Cache-Control')).toBe('no-cache');
    const tag = first.headers.get('ETag') ?? '';
    expect(tag).toMatch(/^(W\/)?"\w+"$/);
    await first.text();
    const again = await service.fetch(path, { headers: { 'If-None-Match': tag } });
    expect(again.status).toBe(304);
    expect(again.headers.get('Cache-Control')).toBe('no-cache');
    expect(await again.text()).toBe('');
  });

  it.each(paths)('%s is marked in its menu, and leads to its neighbours', (path) => {
    const links = elementsOf(pageAt(path).page, 'a');
    const current = links.filter((link) => link.getAttribute('aria-current') === 'page');
    expect(new Set(current.map((link) => link.getAttribute('href')))).toEqual(new Set([path]));
    const index = paths.indexOf(path);
    const to = (rel: string) =>
      links.find((link) => link.getAttribute('rel') === rel)?.getAttribute('href');
    expect([to('prev'), to('next')]).toEqual([paths[index - 1], paths[index + 1]]);
  });
});

describe('links', () => {
  it('on all pages lead somewhere, to the very anchor', async () => {
    const targets = new Set<string>();
    for (const [path, { page }] of pages) {
      for (const link of elementsOf(page, 'a')) {
        const url = new URL(link.getAttribute('href') ?? '', new URL(path, service.url));
        if (url.origin === service.url.origin) targets.add(url.pathname + url.hash);
      }
    }
    expect(targets.size).toBeGreaterThan(200);
    for (const target of targets) {
      const { pathname, hash } = new URL(target, service.url);
      const known = pages.get(pathname);
      if (known) {
        if (hash !== '') expect(idsOf(known.page), target).toContain(hash.slice(1));
        continue;
      }
      const response = await service.fetch(pathname, { redirect: 'manual' });
      // The cabinet requires sign-in first.
      expect([200, 303], target).toContain(response.status);
      await response.text();
    }
  });

  it.each([
    ['/docs/', '/docs'],
    ['/docs/answers', '/docs/call'],
  ])('to %s lead on to %s', async (from, to) => {
    const response = await service.fetch(from, { redirect: 'manual' });
    expect([response.status, response.headers.get('Location')]).toEqual([301, to]);
    await response.text();
  });

  it.each(['/docs/nothing', '/docs/api/nothing', '/docs/images/nothing.svg', '/docs/README.json'])(
    'to %s lead to no page',
    async (path) => {
      for (const method of ['GET', 'POST']) {
        const unknown = await service.fetch(path, { method });
        // The pattern of images matches, so other methods get 405 instead of 404.
        expect(unknown.status, method).toBe(
          method === 'POST' && path.startsWith('/docs/images/') ? 405 : 404,
        );
        if (unknown.status === 404) {
          expect(unknown.headers.get('Content-Type')).toMatch(/^text\/html/);
          expect(await unknown.text()).toContain('Not found');
        } else await unknown.text();
      }
    },
  );

  it('to images lead to them', async () => {
    const sources = [...pages.values()].flatMap(({ page }) =>
      elementsOf(page, 'img').map((image) => image.getAttribute('src') ?? ''),
    );
    const own = new Set(sources.filter((source) => source.startsWith('/docs/')));
    expect(own.size).toBeGreaterThan(3);
    for (const source of own) {
      const response = await service.fetch(source);
      expect([response.status, response.headers.get('Cache-Control')]).toEqual([200, 'no-cache']);
      const type = source.endsWith('.webp') ? 'image/webp' : 'image/svg+xml';
      expect(response.headers.get('Content-Type')).toBe(type);
      await response.text();
    }
  });
});

/** All values that a schema lists or uses as bounds. */
function valuesOf(schema: unknown): readonly unknown[] {
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([name, value]) => {
    if (name === 'enum') return value;
    if (name === 'minimum' || name === 'maximum') return [value];
    return name === 'anyOf' || name === 'oneOf' ? value.flatMap(valuesOf) : [];
  });
}

describe('what the documentation says', () => {
  it('/docs/errors has every code under its anchor, with its status and title', () => {
    const { page } = pageAt('/docs/errors');
    const entries = elementsOf(page, 'article');
    expect(entries.map((entry) => entry.getAttribute('id')).sort()).toEqual(
      Object.keys(errorTable).sort(),
    );
    for (const entry of entries) {
      const { status, title } = errorTable[entry.getAttribute('id') as keyof typeof errorTable];
      expect(entry.textContent).toContain(`${status} ${title}`);
    }
  });

  it('/docs/errors has the words of the OpenAPI document', async () => {
    const { page } = pageAt('/docs/errors');
    const response = await service.fetch('/v1/openapi.json');
    const { components } = (await response.json()) as {
      components: { examples: Record<string, { description: string }> };
    };
    expect(Object.keys(components.examples).length).toBeGreaterThan(25);
    for (const [code, { description }] of Object.entries(components.examples)) {
      const entry = page.getElementById(code);
      expect(entry?.textContent, code).toContain(description.replaceAll('`', ''));
    }
  });

  it('/docs/options has every option with the values and the default of the API', async () => {
    const { page } = pageAt('/docs/options');
    const response = await service.fetch('/v1/openapi.json');
    const { paths: described } = (await response.json()) as {
      paths: { '/v1/optimize': { post: { parameters: { name: string; schema: object }[] } } };
    };
    const { parameters } = described['/v1/optimize'].post;
    expect(parameters.length).toBe(13);
    const [table] = elementsOf(page, 'table');
    const rows = Array.from(
      table?.getElementsByTagName('tbody')[0]?.getElementsByTagName('tr') ?? [],
    );
    expect(rows.length).toBe(parameters.length);
    for (const [index, { name, schema }] of parameters.entries()) {
      const cells = Array.from(rows[index]?.childNodes ?? [], ({ textContent }) => textContent);
      const { default: usual = 'none' } = schema as { default?: string };
      expect([cells[0], cells[2]]).toEqual([name, usual]);
      for (const value of valuesOf(schema)) expect(cells[1], name).toContain(String(value));
      expect(idsOf(page)).toContain(name);
    }
  });

  it('/docs/call has every header and every reason', () => {
    const codes = elementsOf(pageAt('/docs/call').page, 'code').map((code) => code.textContent);
    const headers =
      'Content-Type Content-Length Image-Width Image-Height Image-Input-Type Image-Input-Bytes Image-Output-Bytes Image-Quality Image-Score Image-Smaller-As Image-HDR Image-Placeholder Image-Frames Image-Optimized Image-Reason Quota-Remaining Server-Timing Content-Disposition Cache-Control Request-Id Vary Retry-After WWW-Authenticate Allow';
    const reasons = ['already-optimal', 'animated', 'larger-format'];
    expect(codes).toEqual(expect.arrayContaining([...headers.split(' '), ...reasons]));
  });

  it('/docs/api has every operation under its anchor, with its method and path', () => {
    const { page } = pageAt('/docs/api');
    expect(operations.length).toBeGreaterThan(18);
    for (const { path, method, operationId, summary } of operations) {
      const entry = page.getElementById(operationId);
      expect(entry?.textContent, operationId).toContain(`${method.toUpperCase()} ${path}`);
      expect(entry?.textContent, operationId).toContain(summary);
    }
  });

  it('/docs/api/… has a page for each operation, with its method, path, and every response', () => {
    for (const { path, method, operationId, summary, responses } of operations) {
      const { page } = pageAt(`/docs/api/${operationId}`);
      const [main] = elementsOf(page, 'main');
      expect(elementsOf(page, 'h1').map(({ textContent }) => textContent)).toEqual([summary]);
      expect(main?.textContent, operationId).toContain(`${method.toUpperCase()} ${path}`);
      for (const status of Object.keys(responses)) {
        expect(main?.textContent, operationId).toContain(status);
      }
    }
  });

  it('/docs/search.json has every section of every page, and every operation', async () => {
    const response = await service.fetch('/docs/search.json');
    expect(response.headers.get('Content-Type')).toMatch(/^application\/json/);
    const entries = (await response.json()) as SearchEntry[];
    const found = new Set(entries.map(({ path }) => path));
    for (const { path, file, isLog } of docsPages) {
      if (file === null || isLog) continue;
      const sections = elementsOf(pageAt(path).page, 'section').map(
        (section) => `${path}#${section.getAttribute('id')}`,
      );
      for (const section of [path, ...sections]) expect([...found]).toContain(section);
    }
    for (const { operationId } of operations) {
      expect([...found]).toContain(`/docs/api/${operationId}`);
    }
    for (const { path, heading, page } of entries) {
      const { pathname, hash } = new URL(path, service.url);
      if (hash !== '') expect(idsOf(pageAt(pathname).page), path).toContain(hash.slice(1));
      expect([heading, page]).not.toContain('');
    }
  });

  it('calls this very service, but where it is about a machine of one’s own', () => {
    for (const [path, { html }] of pages) {
      const isOfOwnMachine = path === '/docs/deploy' || path === '/docs/self-hosting';
      if (!isOfOwnMachine) expect(html, path).not.toContain('localhost:8787/');
    }
    expect(pageAt('/docs/deploy').html).toContain('http://localhost:8787/v1/optimize');
  });

  it('has the figures of this deployment', () => {
    expect(pageAt('/docs').page.documentElement?.textContent).toContain('1,234 files a month');
    const limits = pageAt('/docs/limits').page.documentElement?.textContent;
    expect(limits).toContain('1,234 files per mailbox and month');
    expect(limits).toContain('https only, on ports 443');
    expect(limits).toContain('An upload that stalls10 seconds');
    expect(limits).toContain('A whole upload120 seconds');
    expect(limits).toContain('A JSON body: 64 KiB');
    expect(limits).toContain('for 45 minutes at most');
    expect(limits).toContain('50 active keys per user, and 1,000 including the revoked ones');
    expect(pageAt('/docs').html).toContain(`${service.url.origin}/v1/optimize`);
  });

  it('says whose machine it runs on', () => {
    const limits = pageAt('/docs/limits').page.documentElement?.textContent ?? '';
    expect(limits.includes('it runs on Cloudflare Workers')).toBe(!isOnNode);
    expect(limits.includes('runs on a server of its operator')).toBe(isOnNode);
  });

  it('offers no files where none are sold', () => {
    const [start, limits] = ['/docs', '/docs/limits'].map(
      (path) => pageAt(path).page.documentElement?.textContent,
    );
    expect(start).toContain('until free_resets_at or resets_at, or raise the key’s cap.');
    expect(limits).toContain('For sale: nothing on this deployment.');
  });
});
