import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { comingFrom } from '../../support/client.ts';
import { sample } from '../../support/pictures.ts';
import { sharedTestService, startTestService, type TestService } from '../../support/service.ts';
import { expectWireError, WireClient } from '../../support/tinify/wire-client.ts';
import { madeUpKey, unknownKey } from '../../support/tokens.ts';

let service: TestService;
let client: WireClient;
let photo: Uint8Array<ArrayBuffer>;
beforeAll(async () => {
  service = await sharedTestService();
  client = new WireClient(service.url, service.key);
  photo = await sample('photo.jpg');
});
afterAll(() => service.close());

const paths = [
  ['POST', '/shrink'],
  ['GET', '/output/any'],
  ['POST', '/output/any'],
  ['GET', '/keys/any'],
] as const;

describe('a key', () => {
  it('is 401 on every path when it is missing, made up or unknown, or not the password of api', async () => {
    const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
    const wrong = [
      undefined,
      'Basic',
      'Basic !!!',
      basic(''),
      basic(':'),
      basic('api:'),
      basic(service.key),
      basic(`you:${service.key}`),
      basic(`api:${service.key}0`),
      basic(`api:${await madeUpKey()}`),
      basic(`api:${await unknownKey()}`),
      `Bearer ${service.key}`,
    ];
    for (const [method, path] of paths) {
      for (const authorization of wrong) {
        const headers: Record<string, string> = authorization
          ? { Authorization: authorization }
          : {};
        const response = await fetch(new URL(path, service.url), { method, headers });
        expect(response.headers.has('WWW-Authenticate')).toBe(false);
        expect(response.headers.has('Compression-Count')).toBe(false);
        const message = await expectWireError(response, 401, 'Unauthorized');
        expect(message).toBe('Credentials are invalid.');
      }
    }
  });

  it('is 401 from the moment when it is revoked', { tags: 'slow' }, async () => {
    const visitor = await service.signedIn('revoking@example.com');
    const record = await (await visitor.post('/v1/keys', { name: 'one' })).json();
    const { id, key } = record as { id: string; key: string };
    const own = new WireClient(service.url, key);
    const location = await own.upload(photo);
    expect((await visitor.post(`/v1/keys/${id}/revoke`)).status).toBe(200);
    for (const response of [
      await own.shrink(photo),
      await own.output(location),
      await own.output(location, { preserve: ['copyright'] }),
      await own.fetch('/keys/any'),
      await own.output('/output/any'),
    ]) {
      await expectWireError(response, 401, 'Unauthorized');
    }
  });

  it('stays 401 however many wrong ones come from one place, while that brakes the rest of the API', {
    tags: 'slow',
  }, async () => {
    const headers = comingFrom('203.0.113.77');
    const wrong = new WireClient(service.url, await madeUpKey());
    const bearer = { ...headers, Authorization: `Bearer ${await madeUpKey()}` };
    const statuses = new Set<number>();
    let isLimited = false;
    // 300 are allowed per minute; if a new minute begins, the count starts again.
    for (let round = 0; round < 14 && !isLimited; round += 1) {
      const calls = Array.from({ length: 50 }, () => wrong.fetch('/keys/any', { headers }));
      for (const { status } of await Promise.all(calls)) statuses.add(status);
      const response = await fetch(new URL('/v1/quota', service.url), { headers: bearer });
      isLimited = response.status === 429;
    }
    expect([...statuses]).toEqual([401]);
    expect(isLimited).toBe(true);
    expect((await client.fetch('/keys/any', { headers })).status).toBe(200);
  });

  it('is not taken as a password by the rest of the API', async () => {
    for (const path of ['/v1/quota', '/v1/optimize', '/v1/me']) {
      const method = path === '/v1/optimize' ? 'POST' : 'GET';
      const response = await client.fetch(path, {
        method,
        ...(method === 'POST' && { body: photo }),
      });
      expect(response.status).toBe(401);
    }
  });

  it('never gets into the log, also not from a path', async () => {
    const response = await client.fetch(`/keys/${service.key}`);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({});
    expect(service.logs()).not.toContain(service.key.slice(0, 12));
    expect(service.logs()).not.toContain('/keys/fewer_');
  });

  it('in a path is not read', async () => {
    const response = await fetch(new URL(`/keys/${service.key}`, service.url));
    await expectWireError(response, 401, 'Unauthorized');
    const other = await client.fetch(`/keys/${await madeUpKey()}`);
    expect(other.status).toBe(200);
  });
});

describe('a page of another site', () => {
  it.each([
    { Origin: 'https://evil.example' },
    { Origin: 'null' },
    { 'Sec-Fetch-Site': 'cross-site' },
    { Origin: 'https://evil.example', 'Content-Type': 'application/x-www-form-urlencoded' },
  ])('with %j is refused, even with the right password', async (headers) => {
    for (const [method, path] of paths) {
      const response = await client.fetch(path, { method, headers: { ...headers } });
      await expectWireError(response, 403, 'Forbidden');
      expect(response.headers.has('Access-Control-Allow-Origin')).toBe(false);
    }
  });

  it('is not told by a preflight that it may', async () => {
    const response = await fetch(new URL('/shrink', service.url), {
      method: 'OPTIONS',
      headers: { Origin: 'https://evil.example', 'Access-Control-Request-Method': 'POST' },
    });
    expect(response.headers.has('Access-Control-Allow-Origin')).toBe(false);
  });
});

describe('signing up', () => {
  it('is refused with a message that says where keys are made, whatever its credentials', async () => {
    for (const Authorization of ['Basic Og==', client.authorization, '']) {
      const response = await fetch(new URL('/keys', service.url), {
        method: 'POST',
        headers: { Authorization, 'Content-Type': 'application/json' },
        body: '{"email":"new@example.com","name":"New"}',
      });
      const message = await expectWireError(response, 403, 'Forbidden');
      expect(message).toContain(service.url.origin);
    }
  });
});

describe('other methods and paths', () => {
  it('are errors that clients can read', async () => {
    const response = await client.fetch('/shrink');
    expect(response.headers.get('Allow')).toContain('POST');
    await expectWireError(response, 405, 'Method not allowed');
  });
});

it('where it is off, none of the paths is there', { tags: 'slow' }, async () => {
  const without = await startTestService({ TINIFY_API: 'off' });
  try {
    const closed = new WireClient(without.url, without.key);
    for (const [method, path] of [...paths, ['POST', '/keys'] as const]) {
      const response = await closed.fetch(path, { method });
      expect(response.status, path).toBe(404);
    }
  } finally {
    await without.close();
  }
});
