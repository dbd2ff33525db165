import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createKey } from '../support/client.ts';
import { plainPicture } from '../support/pictures.ts';
import { type LoggedRequest, recordOf, requestRecords } from '../support/request-log.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
let picture: Uint8Array<ArrayBuffer>;
beforeAll(async () => {
  // As in cross-site.test.ts, with which it shares the service.
  const origins = 'https://cabinet.example, http://localhost:5173';
  service = await startTestService({ CABINET_ORIGINS: origins });
  picture = Uint8Array.from(await plainPicture(300, 200).jpeg({ quality: 97 }).toBuffer());
});
afterAll(() => service.close());

/** The record of a response, without the members that always differ. */
async function recordFor(response: Response): Promise<LoggedRequest> {
  await response.arrayBuffer();
  // The log is transferred separately, and may arrive later than the response.
  const logged = await vi.waitFor(() => recordOf(service.logs(), response), 30_000);
  const { milliseconds, request_id, event, ...record } = logged;
  expect(event).toBe('request');
  expect(request_id).toBe(response.headers.get('Request-Id'));
  expect(milliseconds).toBeGreaterThanOrEqual(0);
  return record;
}

/** The id of the key that `service.optimize` sends. */
async function keyId(): Promise<string> {
  const row = await service.database
    .prepare('SELECT id FROM api_keys WHERE prefix = ?1')
    .bind(service.key.slice(0, 11))
    .first<{ id: string }>();
  return row?.id ?? '';
}

describe('the log has one record', () => {
  const foreign = { Origin: 'https://elsewhere.example' };
  const preflight = { Origin: 'https://cabinet.example', 'Access-Control-Request-Method': 'PATCH' };
  it.each<[string, string, Record<string, string>, string, number, string?]>([
    ['GET', '/v1/health', {}, '/v1/health', 200],
    ['HEAD', '/v1/health', {}, '/v1/health', 200],
    ['GET', '/v1/nothing', {}, 'none', 404, 'not_found'],
    ['GET', '/v1/keys/key_1', {}, '/v1/keys/{id}', 405, 'method_not_allowed'],
    ['PATCH', '/v1/keys/key_1', foreign, '/v1/keys/{id}', 403, 'origin_not_allowed'],
    ['PATCH', '/v1/keys/key_1', {}, '/v1/keys/{id}', 401, 'auth_required'],
    ['OPTIONS', '/v1/keys/key_1/revoke', {}, '/v1/keys/{id}/revoke', 204],
    ['OPTIONS', '/v1/keys/key_1', preflight, '/v1/keys/{id}', 204],
    ['DELETE', '/v1/optimize', {}, '/v1/optimize', 405, 'method_not_allowed'],
    ['POST', '/v1/optimize', {}, '/v1/optimize', 401, 'invalid_api_key'],
    ['GET', '/v1/quota?key=fewer_0', {}, '/v1/quota', 400, 'key_in_query'],
    ['POST', '/v1/payments/webhook', {}, '/v1/payments/webhook', 503, 'payments_not_configured'],
    ['GET', '/', {}, '/', 200],
    ['GET', '/docs/errors', {}, '/docs/errors', 200],
    ['GET', '/docs/nothing', {}, 'none', 404, 'not_found'],
    ['GET', '/cabinet/keys', {}, '/cabinet/keys', 303],
    ['GET', '/cabinet/nothing', {}, '/cabinet/{section}', 404, 'not_found'],
    ['GET', '/favicon.svg', {}, '/favicon.svg', 200],
    ['GET', '/assets/nothing.js', {}, '/assets/{file}', 404, 'not_found'],
    ['GET', '/nothing', {}, 'none', 404, 'not_found'],
  ])('of %s %s with %j', async (method, path, headers, route, status, code) => {
    const url = new URL(path, service.url);
    const response = await fetch(url, { method, headers, redirect: 'manual' });
    const expected = { method, route, status, ...(code && { code }) };
    expect(await recordFor(response)).toEqual(expected);
  });

  it('of a picture that was made smaller, with its figures', async () => {
    const response = await service.optimize(picture, '?format=webp');
    const record = await recordFor(response);
    expect(record).toEqual({
      method: 'POST',
      route: '/v1/optimize',
      status: 200,
      key_id: await keyId(),
      bytes_in: picture.length,
      bytes_out: Number(response.headers.get('Image-Output-Bytes')),
      input_type: 'jpeg',
      output_type: 'webp',
      engine: 'raster',
      predicted_peak: record.predicted_peak,
      predicted_cpu: record.predicted_cpu,
    });
    expect(record.predicted_cpu).toBeGreaterThan(5);
    expect(record.predicted_cpu).toBeLessThan(2_000);
    expect(record.predicted_peak).toBeGreaterThan(picture.length);
    expect(record.predicted_peak).toBeLessThanOrEqual(128 * 2 ** 20);
  });

  it('of a refused picture, with what was found out about it', async () => {
    const request = { method: 'POST', route: '/v1/optimize', key_id: await keyId() };
    const broken = await service.optimize(picture.slice(0, picture.length / 2));
    expect(await recordFor(broken)).toMatchObject({
      ...request,
      ...{ status: 422, code: 'invalid_image', bytes_in: picture.length >> 1, input_type: 'jpeg' },
    });
    expect(await recordFor(await service.optimize('no picture'))).toEqual({
      ...request,
      ...{ status: 415, code: 'unsupported_media_type', bytes_in: 10 },
    });
    expect(await recordFor(await service.optimize(picture, '?colour=red'))).toEqual({
      ...request,
      ...{ status: 400, code: 'invalid_options' },
    });
  });

  it('of a call with a key or a session, whose id is that of the key alone', async () => {
    const headers = { Authorization: `Bearer ${service.key}` };
    const quota = await service.fetch('/v1/quota', { headers });
    const call = { method: 'GET', route: '/v1/quota', status: 200, key_id: await keyId() };
    expect(await recordFor(quota)).toEqual(call);
    const client = await service.signedIn('logged@example.com');
    const { id } = await createKey(client, { name: 'a' });
    const revoked = await client.post(`/v1/keys/${id}/revoke`);
    const route = '/v1/keys/{id}/revoke';
    expect(await recordFor(revoked)).toEqual({ method: 'POST', route, status: 200 });
  });

  it('of each of a hundred parallel requests', { tags: 'slow' }, async () => {
    const responses = await Promise.all(
      Array.from({ length: 100 }, (_, i) =>
        i % 2 ? service.fetch('/v1/health') : service.optimize(picture),
      ),
    );
    const routes = await Promise.all(responses.map(async (one) => (await recordFor(one)).route));
    expect(routes.filter((route) => route === '/v1/optimize')).toHaveLength(50);
    expect(routes.filter((route) => route === '/v1/health')).toHaveLength(50);
  });

  it('of a request that a fault of ours ended', async () => {
    await service.database.prepare('ALTER TABLE users RENAME TO users_away').run();
    try {
      const headers = { Authorization: `Bearer ${service.key}` };
      const response = await service.fetch('/v1/quota', { headers });
      expect(await recordFor(response)).toMatchObject({ route: '/v1/quota' });
      expect(response.status).toBeGreaterThanOrEqual(500);
    } finally {
      await service.database.prepare('ALTER TABLE users_away RENAME TO users').run();
    }
  });

  it('of a client that left in the middle of its picture', async () => {
    const before = requestRecords(service.logs()).length;
    const socket = connect(Number(service.url.port), service.url.hostname);
    socket.write(
      `POST /v1/optimize HTTP/1.1\r\nHost: ${service.url.host}\r\nAuthorization: Bearer ${service.key}\r\n` +
        'Content-Length: 100000\r\n\r\nbeginning',
    );
    await pause(300);
    socket.destroy();
    await expect
      .poll(() => requestRecords(service.logs()).slice(before))
      .toEqual([expect.objectContaining({ route: '/v1/optimize', key_id: await keyId() })]);
  });
});

describe('the log of a part of the requests', () => {
  it('has some of them, each with what it stands for, and all that we failed', {
    tags: 'slow',
  }, async () => {
    const sampled = await startTestService({ REQUEST_LOG: '0.5' });
    try {
      for (let i = 0; i < 8; i += 1) {
        await Promise.all(Array.from({ length: 25 }, () => sampled.fetch('/v1/nothing')));
      }
      const failed = await Promise.all(
        Array.from({ length: 20 }, () =>
          sampled.fetch('/v1/payments/webhook', { method: 'POST', body: '{}' }),
        ),
      );
      const records = requestRecords(sampled.logs());
      const ordinary = records.filter(({ status }) => status === 404);
      // Outside this range by chance once in 10¹⁵ runs.
      expect(ordinary.length).toBeGreaterThan(40);
      expect(ordinary.length).toBeLessThan(160);
      expect(new Set(ordinary.map(({ sample }) => sample))).toEqual(new Set([0.5]));
      for (const response of failed) {
        expect(response.status).toBe(503);
        const logged = await vi.waitFor(() => recordOf(sampled.logs(), response), 30_000);
        expect(logged).not.toHaveProperty('sample');
      }
    } finally {
      await sampled.close();
    }
  });
});
