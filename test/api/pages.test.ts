import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ SERVICE_NAME: `<b>Pictures</b> "&' small` });
});
afterAll(() => service.close());

const publicPages = ['/', '/sign-in', '/docs', '/docs/errors', '/docs/api'];

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' blob:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
/** Of pages that optimize images in workers, and of the scripts of these. */
const policyWithEngine = `${policy.replace("script-src 'self'", "script-src 'self' 'wasm-unsafe-eval'")}; worker-src 'self'`;

/** Paths in the attributes of a page. */
function linked(html: string, attribute: 'href' | 'src'): string[] {
  return Array.from(
    html.matchAll(new RegExp(`${attribute}="(/[^"]*)"`, 'g')),
    ([, path]) => path ?? '',
  );
}

describe('a page', () => {
  it.each(publicPages)('%s may load what is ours, and nothing inline', async (path) => {
    const response = await service.fetch(path);
    expect(response.status).toBe(200);
    const { headers } = response;
    expect(headers.get('Content-Type')).toMatch(/^text\/html; charset=utf-8$/i);
    expect(headers.get('Content-Security-Policy')).toBe(path === '/' ? policyWithEngine : policy);
    expect(headers.get('X-Content-Type-Options')).toBe('nosniff');
    expect(headers.get('Request-Id')).toMatch(/^[0-9a-f-]{36}$/);
    const html = await response.text();
    expect(html).not.toMatch(/<[^>]+\s(style|on\w+)=/i);
    expect(html).not.toMatch(/<script(?![^>]*\ssrc=)/i);
    expect(html).toContain('&lt;b&gt;Pictures&lt;/b&gt;');
    expect(html).not.toContain('<b>Pictures');
  });

  it('of the public ones is sent again only when it has changed', async () => {
    for (const path of ['/', '/docs']) {
      const first = await service.fetch(path);
      expect(first.headers.get('Cache-Control')).toBe('no-cache');
      const tag = first.headers.get('ETag') ?? '';
      const again = await service.fetch(path, { headers: { 'If-None-Match': tag } });
      expect(again.status).toBe(304);
      expect(await again.text()).toBe('');
    }
  });

  it('of the cabinet is for who has signed in', async () => {
    const stranger = await service.fetch('/cabinet/keys?q=shop', { redirect: 'manual' });
    expect(stranger.status).toBe(303);
    expect(stranger.headers.get('Location')).toBe('/sign-in?next=%2Fcabinet%2Fkeys%3Fq%3Dshop');
    const client = await service.signedIn('pages@example.com');
    expect(stranger.headers.get('Cache-Control')).toBe('no-store');
    for (const path of ['/cabinet', '/cabinet/keys']) {
      const response = await client.get(path);
      expect(response.status).toBe(200);
      expect(response.headers.get('Content-Security-Policy')).toBe(policyWithEngine);
      expect(response.headers.get('Cache-Control')).toBe('no-store');
      expect(await response.text()).toContain('data-payments="off"');
    }
    await client.post('/v1/auth/logout');
    const ended = await client.fetch('/cabinet', { redirect: 'manual' });
    expect(ended.status).toBe(303);
  });

  it('of signing in leads on who has signed in, and nowhere else', async () => {
    const client = await service.signedIn('leads-on@example.com');
    for (const [query, location] of [
      ['', '/cabinet'],
      ['?next=%2Fcabinet%2Fkeys%3Fq%3Dshop', '/cabinet/keys?q=shop'],
      ['?next=https%3A%2F%2Fevil.example%2F', '/cabinet'],
      ['?next=%2F%09%2F%5B', '/cabinet'],
    ]) {
      const signIn = await client.fetch(`/sign-in${query}`, { redirect: 'manual' });
      expect(signIn.status).toBe(303);
      expect(signIn.headers.get('Location')).toBe(location);
      expect(signIn.headers.get('Cache-Control')).toBe('no-store');
    }
  });

  it('is found with a slash at its end too', async () => {
    for (const path of ['/docs', '/sign-in', '/cabinet', '/cabinet/keys']) {
      const response = await service.fetch(`${path}/?q=1`, { redirect: 'manual' });
      expect(response.status, path).toBe(301);
      const { pathname } = new URL(response.headers.get('Location') ?? '', service.url);
      expect(pathname).toBe(path);
    }
  });

  it('of a section that the cabinet does not have says so inside of it', async () => {
    const client = await service.signedIn('sections@example.com');
    const response = await client.get('/cabinet/none');
    expect(response.status).toBe(404);
    expect(response.headers.get('Cache-Control')).toBe('no-store');
    expect(await response.text()).toContain('id="app"');
    const stranger = await service.fetch('/cabinet/none', { redirect: 'manual' });
    expect(stranger.status).toBe(404);
    expect(await stranger.text()).toContain('<h1>Not found</h1>');
    for (const who of [client, service]) {
      const post = await who.fetch('/cabinet/none', { method: 'POST' });
      expect(post.status).toBe(404);
      await post.text();
    }
  });

  it('that does not exist is a page that says so', async () => {
    for (const path of ['/nothing', '/docs/nothing', '/cabinet/a/b', '/.vite']) {
      for (const method of ['GET', 'POST', 'DELETE']) {
        const response = await service.fetch(path, { method });
        expect(response.status, `${method} ${path}`).toBe(404);
        expect(response.headers.get('Content-Type')).toContain('text/html');
        expect(response.headers.get('Cache-Control')).toBe('no-store');
        expect(await response.text()).toContain('<h1>Not found</h1>');
      }
    }
  });

  it('answers HEAD, and no other method', async () => {
    const head = await service.fetch('/', { method: 'HEAD' });
    expect(head.status).toBe(200);
    expect(await head.text()).toBe('');
    const post = await service.fetch('/docs', { method: 'POST' });
    expect(post.status).toBe(405);
    expect(post.headers.get('Allow')).toContain('GET');
    await post.text();
  });
});

describe('what pages load', () => {
  it('is there, and kept for good where its name tells its content', async () => {
    const seen = new Set<string>();
    for (const page of publicPages) {
      const html = await (await service.fetch(page)).text();
      const files = [
        ...linked(html, 'src'),
        ...linked(html, 'href').filter((p) => p.includes('.')),
        ...(/data-files="([^"]*)"/.exec(html)?.[1]?.split(' ') ?? []),
      ];
      for (const file of files) seen.add(file);
    }
    expect(seen.size).toBeGreaterThan(5);
    for (const file of seen) {
      const response = await service.fetch(file);
      expect(response.status, file).toBe(200);
      expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(0);
      expect(response.headers.get('X-Content-Type-Options')).toBe('nosniff');
      if (file.startsWith('/assets/')) {
        expect(response.headers.get('Cache-Control')).toBe('public, max-age=31536000, immutable');
      }
    }
  });

  it('that is not there is not kept', async () => {
    const response = await service.fetch('/assets/nothing.js');
    expect(response.status).toBe(404);
    expect(response.headers.get('Cache-Control')).toBe('no-store');
    expect(await response.text()).toContain('<h1>Not found</h1>');
  });

  it('is not sent again to who has it', async () => {
    const first = await service.fetch('/favicon.svg');
    await first.text();
    const headers = { 'If-None-Match': first.headers.get('ETag') ?? '' };
    const again = await service.fetch('/favicon.svg', { headers });
    expect(again.status).toBe(304);
    expect(again.headers.get('Cache-Control')).toBe('public, max-age=3600');
  });

  it('has the icon for those who guess its name', async () => {
    const response = await service.fetch('/favicon.ico', { redirect: 'manual' });
    expect(response.status).toBe(301);
    expect(response.headers.get('Location')).toBe('/favicon.svg');
    const onPhones = await service.fetch('/apple-touch-icon.png');
    expect(onPhones.headers.get('Content-Type')).toBe('image/png');
    expect((await onPhones.arrayBuffer()).byteLength).toBeGreaterThan(0);
  });

  it('leads nowhere outside of it', async () => {
    for (const path of [
      '/assets/../.vite/manifest.json',
      '/assets/%2e%2e/.vite/manifest.json',
      '/assets/%2e%2e%2fsrc',
      '/assets/..%5c..%5cwrangler.toml',
      '//.vite/manifest.json',
      '/.assetsignore',
    ]) {
      expect(await statusOf(path), path).toBe(404);
    }
  });
});

/** The status of a path that is sent verbatim; `fetch` would resolve its dots. */
async function statusOf(path: string): Promise<number | undefined> {
  const { hostname, port } = service.url;
  const [response] = (await once(get({ hostname, port, path }), 'response')) as [IncomingMessage];
  response.resume();
  return response.statusCode;
}
