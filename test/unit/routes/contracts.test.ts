import type { OpenAPIHono } from '@hono/zod-openapi';
import { describe, expect, it } from 'vitest';
import { createApp } from '../../../src/app.ts';
import type { AppEnv } from '../../../src/routes/http/context.ts';
import { createRouter, defineRoute } from '../../../src/routes/http/contract.ts';
import { rateLimits } from '../../../src/settings.ts';
import { configWith } from '../../support/config.ts';

const cabinet = 'https://cabinet.example';

function newApp(): OpenAPIHono<AppEnv> {
  return createApp(
    configWith({
      CABINET_ORIGINS: cabinet,
      STRIPE_SECRET_KEY: 'sk_test_0123456789abcdef',
      STRIPE_WEBHOOK_SECRET: 'whsec_0123456789abcdef',
    }),
  );
}

/** Routes of the API without a contract, or with one that does not state who may call them. */
function withoutCredential(app: OpenAPIHono<AppEnv>): string[] {
  const known = contractsOf(app)
    .filter(({ security }) => security !== undefined)
    .map(({ name }) => name);
  const routes = app.routes
    .filter(({ path }) => /^\/v1\//.test(path) && !path.includes('*'))
    .map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`);
  return [...new Set(routes)].filter((name) => !known.includes(name));
}

function contractsOf({ openAPIRegistry }: OpenAPIHono<AppEnv>) {
  return openAPIRegistry.definitions.flatMap((definition) => {
    if (definition.type !== 'route') return [];
    const { method, path, security, request } = definition.route;
    const [scheme = 'none'] = (security ?? []).flatMap((each) => Object.keys(each));
    const takesBody = request?.body !== undefined;
    return { name: `${method.toUpperCase()} ${path}`, method, path, security, scheme, takesBody };
  });
}

/** A body that records whether any of it was read. */
function watchedBody() {
  const watched = { isRead: false };
  const body = new ReadableStream(
    {
      pull(controller) {
        watched.isRead = true;
        controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  return { watched, body };
}

/** Rate limits that allow everything, or nothing. */
function rateLimiting(success: boolean) {
  const names = Object.keys(rateLimits);
  return Object.fromEntries(names.map((name) => [name, { limit: async () => ({ success }) }]));
}

const app = newApp();
const contracts = contractsOf(app);

/** The response of a route without its credential; there are no services behind the gates. */
async function call(
  path: string,
  method: string,
  headers: Record<string, string> = {},
  { body, env = rateLimiting(true) }: { body?: ReadableStream; env?: object } = {},
) {
  const context = { waitUntil() {}, passThroughOnException() {}, props: {} };
  const request = new Request(`https://img.example${path}`, {
    method: method.toUpperCase(),
    headers,
    ...(body && { body, duplex: 'half' }),
  } as RequestInit);
  const response = await app.fetch(request, env, context);
  const { code = null } = (await response.json().catch(() => ({}))) as { code?: string };
  return { code, headers: response.headers };
}

/** The error code for a caller without the credential of a security scheme. */
const refusals: Record<string, string> = {
  session: 'auth_required',
  apiKey: 'invalid_api_key',
};

/** In the library's format, which does not state who may call it. */
const careless = {
  method: 'post',
  path: '/v1/careless',
  responses: { 200: { description: 'Anything.' } },
} as const;

describe('a route of the API', () => {
  it('has a contract that says who may call it', () => {
    expect(contracts.length).toBeGreaterThan(15);
    expect(withoutCredential(app)).toEqual([]);
  });

  it('is noticed when it has none', () => {
    const extended = newApp();
    extended.get('/v1/bare/:id', (c) => c.text(''));
    extended.route(
      '/',
      createRouter().openapi(careless, (c) => c.text('')),
    );
    expect(withoutCredential(extended)).toEqual(['GET /v1/bare/{id}', 'POST /v1/careless']);
  });

  it('does not compile without a credential', () => {
    // @ts-expect-error: the credential is required
    expect(() => defineRoute(careless)).toThrow();
  });

  it('is for pages or for programs on one path, whatever the method', () => {
    const isForPages = ({ scheme }: { scheme: string }) => /^(none|session)$/.test(scheme);
    for (const [path, group] of Map.groupBy(contracts, (contract) => contract.path)) {
      expect(new Set(group.map(isForPages)).size, path).toBe(1);
    }
  });

  it.each(contracts.filter(({ scheme }) => scheme in refusals))(
    '$name is refused to those without its credential',
    async ({ path, method, scheme }) => {
      expect((await call(path, method)).code).toBe(refusals[scheme]);
    },
  );
});

describe('a body', () => {
  const taking = contracts.filter(({ takesBody }) => takesBody);
  const json = { 'Content-Type': 'application/json' };
  const forged = `t=${Math.floor(Date.now() / 1000)},v1=${'0'.repeat(64)}`;

  it('is taken by routes of each kind', () => {
    expect(new Set(taking.map(({ scheme }) => scheme))).toEqual(
      new Set(['none', 'session', 'apiKey', 'stripeSignature']),
    );
  });

  it.each(taking.filter(({ scheme }) => scheme !== 'none'))(
    'of $name is not read without a credential',
    async ({ path, method, scheme }) => {
      const { watched, body } = watchedBody();
      const { code } = await call(path, method, json, { body });
      expect(code).toBe({ ...refusals, stripeSignature: 'invalid_signature' }[scheme]);
      expect(watched.isRead).toBe(false);
    },
  );

  it.each(taking.filter(({ scheme }) => /^(none|stripe)/.test(scheme)))(
    'of $name, which anyone can send, is not read past a rate limit',
    async ({ path, method }) => {
      const { watched, body } = watchedBody();
      const headers = { ...json, 'Stripe-Signature': forged };
      const env = rateLimiting(false);
      const { code } = await call(path, method, headers, { body, env });
      expect(code).toBe('too_many_requests');
      expect(watched.isRead).toBe(false);
    },
  );
});

describe('the cross-site gate', () => {
  const changing = contracts.filter(({ method }) => method !== 'get');
  const forPages = changing.filter(({ scheme }) => /^(none|session)$/.test(scheme));
  const forPrograms = contracts.filter((contract) => /^(apiKey|stripe)/.test(contract.scheme));

  it.each(forPages)('refuses $name to a page of a foreign origin', async ({ path, method }) => {
    for (const headers of [
      { Origin: 'https://evil.example' },
      { 'Sec-Fetch-Site': 'cross-site' },
    ]) {
      expect((await call(path, method, headers)).code).toBe('origin_not_allowed');
    }
    const { code, headers } = await call(path, method, { Origin: cabinet });
    expect(code).not.toBe('origin_not_allowed');
    expect(headers.get('Access-Control-Allow-Origin')).toBe(cabinet);
  });

  it.each(forPrograms)('leaves $name alone, and never opens it to pages', async (contract) => {
    for (const Origin of ['https://evil.example', cabinet]) {
      const { code, headers } = await call(contract.path, contract.method, { Origin });
      expect(code).not.toBe('origin_not_allowed');
      expect(headers.get('Access-Control-Allow-Origin')).toBeNull();
    }
  });

  it('refuses changes where there is no route', async () => {
    const { code } = await call('/v1/nothing', 'post', { Origin: 'https://evil.example' });
    expect(code).toBe('origin_not_allowed');
  });
});
