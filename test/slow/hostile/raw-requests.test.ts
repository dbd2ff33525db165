import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RawAnswer, rawRequest } from '../../support/raw-request.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { eventually } from '../../support/time.ts';

const cabinet = 'https://cabinet.example';
const script = '"><script>alert(1)</script>';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ CABINET_ORIGINS: cabinet });
});
afterAll(() => service.close());

/** A request without a body. */
function get(target: string, lines: readonly string[] = [], method = 'GET'): string {
  const host = lines.some((line) => /^host:/i.test(line)) ? [] : [`Host: ${service.url.host}`];
  return [`${method} ${target} HTTP/1.1`, ...host, ...lines, '', ''].join('\r\n');
}

/** A request to the optimizer with the key of a user. */
function post(body: string, lines: readonly string[], query = ''): string {
  const head = [`Host: ${service.url.host}`, `Authorization: Bearer ${service.key}`, ...lines];
  return [`POST /v1/optimize${query} HTTP/1.1`, ...head, '', body].join('\r\n');
}

/**
 * Sends it and checks what holds for every answer. One that the server in front of the Worker gave
 * has no `Request-Id`, and is that server's affair as long as it is no success.
 */
async function answered(
  bytes: string,
  answers = 1,
): Promise<RawAnswer & { readonly isOurs: boolean }> {
  const answer = await rawRequest(service.url, bytes, { answers });
  const { head, text, status } = answer;
  const isOurs = /\r\nRequest-Id: [0-9a-f-]{36}/i.test(head);
  expect(text).not.toContain(script);
  expect(text).not.toContain(service.key);
  expect(head).not.toMatch(/evil|<script|injected/i);
  if (!isOurs) {
    expect(status ?? 400).toBeGreaterThanOrEqual(400);
    return { ...answer, isOurs };
  }
  expect(status, text).toBeLessThan(500);
  expect(head).toMatch(/\r\nX-Content-Type-Options: nosniff\r\n/i);
  expect(head).toMatch(/\r\nContent-Security-Policy: default-src 'none'/i);
  expect(text).not.toMatch(/\bat .*\.ts:\d|SQLITE|D1_/);
  return { ...answer, isOurs };
}

/** Whatever it is, it is refused, and the service goes on. */
async function expectRefused(bytes: string): Promise<void> {
  const { status } = await answered(bytes);
  expect(status ?? 400).toBeGreaterThanOrEqual(400);
  expect((await service.fetch('/v1/health')).status).toBe(200);
}

const openReservations = () => service.meters.inFlight();

describe('a Host header', () => {
  it.each([
    ['a page', script],
    ['two words', 'a b'],
    ['a port beyond all', 'a:99999'],
    ['nothing', ''],
    ['two hosts', 'a.example\r\nHost: evil.example'],
  ])('that is %s is refused', async (_what, host) => {
    for (const path of ['/v1/me', '/nothing']) await expectRefused(get(path, [`Host: ${host}`]));
  });

  it('that names another host is in links of that answer alone, as JSON', async () => {
    const { head, text, status } = await answered(get('/v1/me', ['Host: evil.example']));
    expect(status).toBe(401);
    const { type } = JSON.parse(text.slice(head.length + 4)) as { type: string };
    expect(type).toBe('http://evil.example/docs/errors#auth_required');
    const later = await answered(get('/v1/me'));
    expect(later.text).not.toContain('evil');
  });

  it.each([
    'X-Forwarded-Host: evil.example',
    'Forwarded: host=evil.example;proto=https',
    'X-Host: evil.example',
    'X-Forwarded-Server: evil.example',
    'X-Original-URL: /v1/payments/packs',
    'X-Rewrite-URL: /v1/payments/packs',
  ])('is what counts, not %s', async (line) => {
    const { text, status } = await answered(get('/v1/me', [line]));
    expect(status).toBe(401);
    expect(text).toContain(`http://${service.url.host}/docs/errors#auth_required`);
    expect(text).not.toContain('evil');
  });

  it('need not be that of an absolute target, which names no other service either', async () => {
    for (const origin of [`http://${service.url.host}`, 'http://evil.example']) {
      const { text, status } = await answered(get(`${origin}/v1/me`));
      expect(status).toBe(401);
      expect(text).toContain('auth_required');
    }
  });
});

describe('a method', () => {
  it.each(['TRACE', 'PROPFIND', 'PURGE', 'LOCK', 'PUT', 'DELETE'])(
    '%s is not allowed where it is nothing',
    async (method) => {
      const { status, head, isOurs } = await answered(get('/v1/payments/packs', [], method));
      expect([isOurs, status]).toEqual([true, 405]);
      expect(head).toMatch(/\r\nAllow: GET, HEAD, OPTIONS\r\n/i);
    },
  );

  it.each(['CONNECT', 'TRACK', 'BREW', 'get', '<script>', 'G\0T', 'GETGETGET'.repeat(500)])(
    'as strange as %s gets nowhere',
    (method) => expectRefused(get('/v1/payments/packs', [], method)),
  );

  it.each(['X-HTTP-Method-Override', 'X-Method-Override', 'X-HTTP-Method', '_method'])(
    'is not what %s says',
    async (name) => {
      const { status } = await answered(get('/v1/payments/packs', [`${name}: DELETE`]));
      expect(status).toBe(200);
    },
  );
});

describe('a path', () => {
  it.each([
    '//v1/keys',
    '/v1//keys',
    '/v1%2Fkeys',
    '/v1/keys/',
    '/v1/keys..',
    '/v1/keys;a=b',
    '/V1/keys',
    '/v1/%00',
    '/v1/%zz',
    '/v1/%ff%fe',
    '/%ff',
    `/v1/${'a'.repeat(20_000)}`,
    '/v1/x%0d%0aSet-Cookie:%20injected=1',
    '/%0d%0aLocation:%20//evil.example',
    '//evil.example/%2e%2e',
    '/docs//evil.example/',
    '/cabinet/..%2f..%2fwrangler.toml',
    '/%22%3E%3Cscript%3Ealert(1)%3C/script%3E',
  ])('%s is nothing', async (target) => {
    const { status, head, isOurs } = await answered(get(target));
    expect([isOurs, status]).toEqual([true, 404]);
    expect(head).not.toMatch(/\r\nLocation:/i);
  });

  it.each(['/v1/../v1/keys', '/v1/%2e%2e/v1/keys', '/v1/./keys', '/x/%2E%2e/v1/keys'])(
    '%s is the one that it leads to, gates and all',
    async (target) => {
      const { status, text } = await answered(get(target));
      expect(status).toBe(401);
      expect(text).toContain('auth_required');
    },
  );

  it.each(['\\v1\\keys', '/v1/\xff', '*', '', '/<script>', '/v1/me x', `/${'a'.repeat(300_000)}`])(
    'that is none is refused',
    (target) => expectRefused(get(target)),
  );
});

describe('a request that is none', () => {
  it.each([
    'GET /v1/me\r\n\r\n',
    'GET /v1/me HTTP/9.9\r\nHost: a\r\n\r\n',
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    '\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03\r\n\r\n',
    '\0\0\0\0\r\n\r\n',
    'GET /v1/me HTTP/1.1\r\nHost: a\r\nno colon\r\n\r\n',
    'GET /v1/me HTTP/1.1\r\nHost: a\r\nX Y: z\r\n\r\n',
    'GET /v1/me HTTP/1.1\r\nHost: a\r\nX: a\0b\r\n\r\n',
    'GET /v1/me HTTP/1.1\r\nHost: a\r\nX: a\r\n folded\r\n\r\n',
  ])('%# is refused', expectRefused);
});

describe('the length of a body', () => {
  it.each([
    ['negative', ['Content-Length: -1']],
    ['text', ['Content-Length: abc']],
    ['signed', ['Content-Length: +3']],
    ['beyond all numbers', ['Content-Length: 99999999999999999999999']],
    ['given twice', ['Content-Length: 3', 'Content-Length: 4']],
    ['a list', ['Content-Length: 3, 4']],
    ['of an unknown coding', ['Transfer-Encoding: xchunked']],
  ])('that is %s is refused', (_what, lines) => expectRefused(post('abc', lines)));

  it('that is too much is refused before it has come', async () => {
    const { text, status } = await answered(post('abc', ['Content-Length: 40000000']));
    expect(status).toBe(413);
    expect(text).toContain('body_too_large');
  });

  it.each([
    [
      'a length beside',
      ['Content-Length: 3', 'Transfer-Encoding: chunked'],
      '3\r\nabc\r\n0\r\n\r\n',
    ],
    ['extensions', ['Transfer-Encoding: chunked'], '3;a=b;c="d"\r\nabc\r\n0\r\n\r\n'],
    ['a trailer', ['Transfer-Encoding: chunked'], '3\r\nabc\r\n0\r\nX-A: b\r\n\r\n'],
  ])('in chunks with %s is that of the chunks', async (_what, lines, body) => {
    const { text, status } = await answered(post(body, lines));
    expect(status).toBe(415);
    expect(text).toContain('unsupported_media_type');
  });

  it.each(['zz\r\nabc\r\n0\r\n\r\n', '-1\r\nabc\r\n', 'ffffffffffffffffff\r\nabc'])(
    'in chunks of impossible size is refused, and nothing stays reserved',
    async (body) => {
      await expectRefused(post(body, ['Transfer-Encoding: chunked']));
      await eventually(async () => expect(await openReservations()).toBe(0));
    },
  );

  it('may be waited for with Expect: 100-continue, and with any other word', async () => {
    for (const word of ['100-continue', '200-ok', '100-continue, injected']) {
      const { status } = await answered(post('abc', [`Expect: ${word}`, 'Content-Length: 3']));
      expect(status).toBe(415);
    }
  });

  it('is where the next request begins, which is answered by itself', async () => {
    const next = get('/v1/payments/packs');
    const { status, text } = await answered(post(`abc${next}`, ['Content-Length: 3']), 2);
    expect(status).toBe(415);
    expect(text).toMatch(/HTTP\/1\.1 200 OK[\s\S]*"items":/);
  });
});
