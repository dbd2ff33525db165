import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectProblem } from '../support/answers.ts';
import { type Client, createKey } from '../support/client.ts';
import { plainPicture } from '../support/pictures.ts';
import { sharedTestService, type TestService } from '../support/service.ts';

const cabinet = 'https://cabinet.example';
const foreign = 'https://evil.example';

let service: TestService;
let client: Client;
let keyId: string;
let photo: Uint8Array<ArrayBuffer>;
beforeAll(async () => {
  service = await sharedTestService({ CABINET_ORIGINS: `${cabinet}, http://localhost:5173` });
  client = await service.signedIn('cabinet@example.com');
  keyId = (await createKey(client, { name: 'target' })).id;
  photo = Uint8Array.from(await plainPicture(60, 50).jpeg({ quality: 97 }).toBuffer());
});
afterAll(() => service.close());

type Send = (headers: Record<string, string>) => Promise<Response>;

/** Every route that changes something and uses or sets a cookie. */
const routes: Record<string, Send> = {
  'request-code': (headers) => client.post('/v1/auth/request-code', { email: 'x' }, headers),
  'verify-code': (headers) => client.post('/v1/auth/verify-code', {}, headers),
  logout: (headers) => client.post('/v1/auth/logout', { everywhere: 'no' }, headers),
  'DELETE me': (headers) => client.delete('/v1/me', { confirm: 'no' }, headers),
  'POST keys': (headers) => client.post('/v1/keys', {}, headers),
  'PATCH key': (headers) => client.patch(`/v1/keys/${keyId}`, {}, headers),
  revoke: (headers) => client.post('/v1/keys/key_none/revoke', {}, headers),
  reissue: (headers) => client.post('/v1/keys/key_none/reissue', {}, headers),
};
const names = Object.keys(routes);

function send(route: string, headers: Record<string, string>): Promise<Response> {
  const found = routes[route];
  if (!found) throw new Error(`no route ${route}`);
  return found(headers);
}

function corsHeaders({ headers }: Response): string[] {
  return [...headers.keys()].filter((name) => name.startsWith('access-control-'));
}

describe.each(names)('a request to %s', (route) => {
  it.each([
    ['a foreign origin', { Origin: foreign }],
    ['no origin that may be told', { Origin: 'null' }],
    ['an origin that begins like a listed one', { Origin: `${cabinet}.evil.example` }],
    ['a listed host on another port', { Origin: `${cabinet}:8443` }],
    ['a listed host without TLS', { Origin: 'http://cabinet.example' }],
    ['somewhere that a browser calls cross-site', { 'Sec-Fetch-Site': 'cross-site' }],
  ])('from %s is refused', async (_what, headers) => {
    const response = await send(route, headers);
    expect(corsHeaders(response)).toEqual([]);
    await expectProblem(response, 'origin_not_allowed');
  });

  it('from its own pages, a listed origin, or no browser is let through', async () => {
    const own = service.url.origin;
    for (const headers of [
      {},
      { Origin: own },
      { Origin: own, 'Sec-Fetch-Site': 'same-origin' },
      { 'Sec-Fetch-Site': 'same-origin' },
      { 'Sec-Fetch-Site': 'none' },
      { Origin: cabinet, 'Sec-Fetch-Site': 'same-site' },
      { Origin: 'http://localhost:5173' },
    ]) {
      // Each request is invalid in another way, so it fails even if it passes the gate.
      expect([400, 404, 415]).toContain((await send(route, headers)).status);
    }
  });
});

describe('a listed origin', () => {
  it('may read answers and errors, with the cookie', async () => {
    const errors = await Promise.all(names.map((route) => send(route, { Origin: cabinet })));
    const responses = await Promise.all(
      ['/v1/me', '/v1/keys', '/v1/statistics'].flatMap((path) => [
        client.get(path, { Origin: cabinet }),
        service.client().get(path, { Origin: cabinet }),
      ]),
    );
    for (const response of [...errors, ...responses]) {
      expect(response.headers.get('Access-Control-Allow-Origin')).toBe(cabinet);
      expect(response.headers.get('Access-Control-Allow-Credentials')).toBe('true');
      expect(response.headers.get('Vary')).toMatch(/\bOrigin\b/i);
    }
  });

  it.each([
    ['/v1/me', 'GET'],
    ['/v1/me', 'DELETE'],
    ['/v1/keys', 'POST'],
    ['/v1/keys/key_1', 'PATCH'],
    ['/v1/keys/key_1/reissue', 'POST'],
    ['/v1/auth/request-code', 'POST'],
    ['/v1/auth/logout', 'POST'],
  ])('may ask about %s %s first', async (path, method) => {
    const preflight = (origin: string) =>
      service.fetch(path, {
        method: 'OPTIONS',
        headers: {
          Origin: origin,
          'Access-Control-Request-Method': method,
          'Access-Control-Request-Headers': 'content-type',
        },
      });
    const { status, headers } = await preflight(cabinet);
    expect(headers.get('Request-Id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(headers.get('X-Content-Type-Options')).toBe('nosniff');
    expect(status).toBe(204);
    expect(headers.get('Access-Control-Allow-Origin')).toBe(cabinet);
    expect(headers.get('Access-Control-Allow-Credentials')).toBe('true');
    expect(headers.get('Access-Control-Allow-Methods')?.split(/, */)).toContain(method);
    expect(headers.get('Access-Control-Allow-Headers')?.toLowerCase()).toContain('content-type');
    expect(headers.get('Vary')).toMatch(/\bOrigin\b/i);
    for (const origin of [foreign, 'null'])
      expect(corsHeaders(await preflight(origin))).toEqual([]);
  });

  it('sees the file name of a download, and what an error says in headers', async () => {
    const response = await client.get('/v1/statistics?format=csv', { Origin: cabinet });
    const exposed = response.headers.get('Access-Control-Expose-Headers')?.toLowerCase();
    expect(exposed?.split(/, */).sort()).toEqual([
      'content-disposition',
      'request-id',
      'retry-after',
    ]);
  });
});

describe('reading', () => {
  it.each([foreign, 'null', null])(
    'from %s is not refused, but not shown to pages',
    async (origin) => {
      const headers = {
        'Sec-Fetch-Site': 'cross-site',
        ...(origin !== null && { Origin: origin }),
      };
      for (const path of ['/v1/me', '/v1/keys', '/v1/statistics', '/v1/health']) {
        const response = await client.get(path, headers);
        expect(response.status).toBe(200);
        expect(corsHeaders(response)).toEqual([]);
      }
    },
  );
});

describe('a route for keys', () => {
  it('does not ask where a request comes from, and is never open to pages', {
    tags: 'slow',
  }, async () => {
    for (const Origin of [cabinet, foreign, 'null', service.url.origin]) {
      const fields = { Origin, 'Sec-Fetch-Site': 'cross-site' };
      const optimized = await service.optimize(photo, '', fields);
      const headers = { ...fields, Authorization: `Bearer ${service.key}` };
      const quota = await service.fetch('/v1/quota', { headers });
      const preflight = { ...fields, 'Access-Control-Request-Method': 'POST' };
      for (const path of ['/v1/optimize', '/v1/quota']) {
        const response = await service.fetch(path, { method: 'OPTIONS', headers: preflight });
        expect(corsHeaders(response)).toEqual([]);
      }
      for (const response of [optimized, quota]) {
        expect(response.status).toBe(200);
        expect(corsHeaders(response)).toEqual([]);
      }
      const refused = await service.fetch('/v1/optimize', { method: 'POST', headers: fields });
      expect(corsHeaders(refused)).toEqual([]);
      await expectProblem(refused, 'invalid_api_key');
    }
  });
});
