import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { makeApiKey } from '../../../src/access/api-key.ts';
import { newMailboxId } from '../../../src/access/mailbox.ts';
import { createApp } from '../../../src/app.ts';
import { methods } from '../../../src/routes/http/contract.ts';
import { isTinifyPath } from '../../../src/routes/tinify.ts';
import { configWith } from '../../support/config.ts';

const config = configWith();
const app = createApp(config);
const apiKey = await makeApiKey(newMailboxId(), config.tokenSecrets);
const patterns = new Set(app.routes.map(({ path }) => path).filter((path) => !path.includes('*')));
/** A path for each route of the app, whatever registers it. */
const paths = [...patterns].map((pattern) => pattern.replaceAll(/:\w+(\{\.\+\})?/g, 'something'));
const unknown = ['/nothing', '/docs/nothing', '/cabinet/a/b', '/v1', '/v1/nothing', '/output/a/b'];

/** Bindings that allow everything and have nothing: handlers that get as far as these find nothing, or fail. */
const binding = {
  limit: async () => ({ success: true }),
  get: async () => null,
  fetch: async () => new Response(null, { status: 404 }),
};
// Texts of settings are absent.
const env = new Proxy({}, { get: (_, name) => (name === 'METRICS_TOKEN' ? undefined : binding) });

/** Sends a request with a key that was issued, so that it gets as far as the handlers that check nothing else before. */
async function call(method: string, path: string) {
  const basic = `Basic ${Buffer.from(`api:${apiKey}`).toString('base64')}`;
  const headers = {
    Authorization: isTinifyPath(path.replace(/\?.*/, '')) ? basic : `Bearer ${apiKey}`,
  };
  const context = { waitUntil() {}, passThroughOnException() {}, props: {} };
  const response = await app.fetch(
    new Request(`https://img.example${path}`, { method, headers }),
    env,
    context,
  );
  return { response, body: await response.text(), allow: response.headers.get('Allow') };
}

beforeEach(() => {
  vi.spyOn(console, 'error').mockImplementation(() => {});
});
afterEach(() => vi.restoreAllMocks());

it('the paths are those of the API, of images by URL, of Tinify’s clients and of pages', () => {
  expect(paths.length).toBeGreaterThan(60);
  for (const path of [
    '/v1/optimize',
    '/i/something/something',
    '/output/something',
    '/docs/api',
    '/favicon.svg',
    '/favicon.ico',
    '/',
  ]) {
    expect(paths).toContain(path);
  }
});

describe('a key in the query', () => {
  const key = `fewer_${'k'.repeat(63)}`;
  /** Media type of an error, by path. */
  const typeOf = (path: string) => {
    if (isTinifyPath(path)) return 'application/json';
    return /^\/(v1|i)(\/|$)/.test(path) ? 'application/problem+json' : 'text/html; charset=UTF-8';
  };

  it.each([...paths, ...unknown])('is refused on %s, in the form of its errors', async (path) => {
    for (const method of methods) {
      const { response, body } = await call(method, `${path}?key=${key}&width=1`);
      const what = `${method} ${path}`;
      expect(response.status, what).toBe(400);
      expect(response.headers.get('Content-Type'), what).toBe(typeOf(path));
      expect(response.headers.get('Cache-Control'), what).toBe('no-store');
      // The page must not pass its address on.
      expect(response.headers.get('Referrer-Policy'), what).toBe('no-referrer');
      const isEmpty = method === 'HEAD';
      expect(body, what).toMatch(isEmpty ? /^$/ : /API key in the query|key_in_query/);
      expect(body + JSON.stringify([...response.headers]), what).not.toContain('fewer_');
    }
  });

  it.each([`?${key}`, `?next=/cabinet?key=${key}`, `?a=%66ewer%5f${'k'.repeat(63)}`])(
    'is refused however it is written: %s',
    async (query) => {
      expect((await call('GET', `/docs${query}`)).response.status).toBe(400);
      expect((await call('GET', `/sign-in${query}`)).response.status).toBe(400);
    },
  );

  it('is no other text', async () => {
    expect((await call('GET', '/nothing?key=fewer_')).response.status).toBe(404);
  });
});

describe('Allow', () => {
  it.each(paths)('is true for %s', async (path) => {
    const { response, allow } = await call('OPTIONS', path);
    // Paths that take any method, or none.
    if (response.status === 404) return;
    expect(response.status).toBe(204);
    const allowed = (allow ?? '').split(', ');
    expect(allowed.at(-1)).toBe('OPTIONS');
    for (const method of methods) {
      const answered = await call(method, path);
      const isRefused = answered.response.status === 405;
      expect(isRefused, `${method} ${path}`).toBe(!allowed.includes(method));
      if (isRefused) expect(answered.allow).toBe(allow);
    }
  });
});
