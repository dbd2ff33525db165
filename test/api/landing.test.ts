import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formats, photo } from '../../src/cabinet/pages/landing/figures.json';
import { formatFacts } from '../../src/image/formats/facts.ts';
import { itForEach } from '../support/each.ts';
import { sharedTestService, type TestService } from '../support/service.ts';

const root = join(import.meta.dirname, '../..');

let service: TestService;
let page: string;
beforeAll(async () => {
  service = await sharedTestService();
  page = await (await service.fetch('/')).text();
});
afterAll(() => service.close());

/** The front page as it is read, without its elements. */
function pageText(): string {
  return page
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>');
}

describe('the front page', () => {
  itForEach(
    formats.results,
    'states what the service makes of its photo as $format',
    async (row) => {
      const type = formatFacts.find(({ name }) => name === row.format)?.type;
      const before = await readFile(join(root, 'src/cabinet/public/before.jpg'));
      expect(before.length).toBe(photo.before);
      const { headers } = await service.optimize(before, `?format=${type}`);
      expect(Number(headers.get('Image-Output-Bytes'))).toBe(row.bytes);
      expect(Number(headers.get('Image-Score'))).toBe(row.score);
      expect(headers.get('Image-Reason')).toBe(row.bytes < photo.before ? null : 'larger-format');
    },
  );

  it('shows the very problem that a wrong key gets', async () => {
    const refused = await service.fetch('/v1/optimize', {
      method: 'POST',
      headers: { Authorization: 'Bearer fewer_wrong' },
      body: 'no image',
    });
    expect(refused.status).toBe(401);
    const problem = { ...((await refused.json()) as object), request_id: '…' };
    expect(pageText()).toContain(JSON.stringify(problem, null, 2));
  });

  it('has at most 40 KB besides its pictures, with all that it loads at first, as gzip', async () => {
    const bytes = new Map<string, number>([['/', gzipSync(page).length]]);
    const load = async (path: string): Promise<void> => {
      if (bytes.has(path)) return;
      const response = await service.fetch(path);
      expect(response.status, path).toBe(200);
      const body = Buffer.from(await response.arrayBuffer());
      // Fonts are compressed by themselves.
      bytes.set(path, path.endsWith('.woff2') ? body.length : gzipSync(body).length);
      if (!path.endsWith('.js')) return;
      for (const [, module = ''] of body
        .toString()
        .matchAll(/(?:from|import)\s*["'](\.[^"']+)["']/g)) {
        await load(new URL(module, `http://service${path}`).pathname);
      }
    };
    for (const [, path = ''] of page.matchAll(
      /<(?:link|script)[^>]* (?:href|src)="(\/[^"]*\.(?:css|js|woff2))"/g,
    )) {
      await load(path);
    }
    const ends = (end: string) => [...bytes.keys()].filter((path) => path.endsWith(end)).length;
    expect(ends('.woff2')).toBe(1);
    expect(ends('.css')).toBeGreaterThan(0);
    // The page’s own script, and what it imports.
    expect(ends('.js')).toBeGreaterThan(1);
    const sum = [...bytes.values()].reduce((one, other) => one + other);
    expect(sum).toBeGreaterThan(20_000);
    expect(sum).toBeLessThanOrEqual(40_000);
  });

  it('leads to nothing that is not there', async () => {
    const links = new Set(
      Array.from(page.matchAll(/<a [^>]*href="(\/[^"]*)"/g), ([, path]) => path ?? ''),
    );
    expect(links.size).toBeGreaterThan(15);
    for (const link of links) {
      const response = await service.fetch(link);
      expect(response.status, link).toBe(200);
      const html = await response.text();
      const [, anchor] = link.split('#');
      if (anchor) expect(html, link).toContain(`id="${anchor}"`);
    }
  });
});
