import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../../support/client.ts';
import { plainPicture } from '../../support/pictures.ts';
import { rawRequest } from '../../support/raw-request.ts';
import { startTestService, type TestService } from '../../support/service.ts';

const cabinet = 'https://cabinet.example';

let service: TestService;
let client: Client;
let photo: Uint8Array<ArrayBuffer>;
beforeAll(async () => {
  service = await startTestService({ CABINET_ORIGINS: cabinet });
  client = await service.signedIn('headers@example.com');
  photo = Uint8Array.from(await plainPicture(60, 50).jpeg({ quality: 95 }).toBuffer());
});
afterAll(() => service.close());

/** The status and the code of an answer to these header lines, as they are. */
async function outcome(method: string, path: string, lines: readonly string[], body = '') {
  const head = [`${method} ${path} HTTP/1.1`, `Host: ${service.url.host}`, ...lines];
  if (method !== 'GET') head.push(`Content-Length: ${body.length}`);
  const { status, text } = await rawRequest(service.url, `${head.join('\r\n')}\r\n\r\n${body}`);
  expect(text).toMatch(/\r\nRequest-Id: /i);
  return [status, /"code":"(\w+)"/.exec(text)?.[1] ?? null] as const;
}

describe('Authorization', () => {
  const quota = (...lines: string[]) => outcome('GET', '/v1/quota', lines);

  it('may have its scheme in any case and spaces around the key', async () => {
    for (const value of [
      `bearer ${service.key}`,
      `BEARER ${service.key}`,
      `  Bearer   ${service.key}  `,
    ]) {
      expect(await quota(`Authorization: ${value}`)).toEqual([200, null]);
    }
  });

  it.each([
    ['a tab', (key: string) => [`Authorization: Bearer\t${key}`]],
    [
      'two headers',
      (key: string) => [`Authorization: Bearer ${key}`, `Authorization: Bearer ${key}`],
    ],
    ['a list', (key: string) => [`Authorization: Bearer ${key}, Bearer ${key}`]],
    ['quotes', (key: string) => [`Authorization: Bearer "${key}"`]],
    ['a parameter', (key: string) => [`Authorization: Bearer ${key}; a=b`]],
    ['a scheme before it', (key: string) => [`Authorization: Basic Bearer ${key}`]],
    ['no scheme', (key: string) => [`Authorization: ${key}`]],
    ['letters beyond ASCII', () => ['Authorization: Bearer \xff\xfe\xe9']],
    ['ten kilobytes', () => [`Authorization: Bearer ${'a'.repeat(10_000)}`]],
    ['a key that goes on', (key: string) => [`Authorization: Bearer ${key}${'0'.repeat(10_000)}`]],
    ['a percent code', (key: string) => [`Authorization: Bearer ${key.replace('_', '%5F')}`]],
    ['another name', (key: string) => [`X-Api-Key: ${key}`, `Proxy-Authorization: Bearer ${key}`]],
  ])('with %s is no key', async (_what, lines) => {
    expect(await quota(...lines(service.key))).toEqual([401, 'invalid_api_key']);
  });
});

describe('Cookie', () => {
  const keys = (...lines: string[]) => outcome('GET', '/v1/keys', lines);

  it.each([
    ['garbage', () => ['Cookie: sid=\xff\xfe; ;;;=; =sid; sid']],
    ['an empty one', () => ['Cookie: sid=']],
    ['bad percent codes', () => ['Cookie: sid=%zz%ff%00']],
    ['two hundred of them', () => [`Cookie: ${'sid=a; '.repeat(200)}`]],
    ['a hundred kilobytes', () => [`Cookie: sid=${'a'.repeat(100_000)}`]],
    [
      'three thousand others',
      () => [`Cookie: ${Array.from({ length: 3000 }, (_, i) => `c${i}=d`).join('; ')}`],
    ],
    ['a key', () => [`Cookie: sid=${service.key}`]],
    ['names of JavaScript', () => ['Cookie: __proto__=a; constructor=b; toString=c']],
    ['another case', (sid: string) => [`Cookie: SID=${sid}`]],
    ['a letter more', (sid: string) => [`Cookie: sid=${sid}a`]],
  ])('with %s is no session', async (_what, lines) => {
    expect(await keys(...lines(client.cookie('sid')))).toEqual([401, 'auth_required']);
  });

  it('with a session and much else is that session', async () => {
    const sid = client.cookie('sid');
    const others = Array.from({ length: 500 }, (_, i) => `c${i}=d`).join('; ');
    expect(await keys(`Cookie: ${others}; sid=${sid}`)).toEqual([200, null]);
    expect(await keys(`Cookie: __proto__=a; sid=${sid}; \xff=\xfe`)).toEqual([200, null]);
  });

  it.each(['', '"', '%00', '\xff\xfe', 'a'.repeat(10_000), '__proto__', 'ch_', '../../x'])(
    'with a challenge that is none is as good as no right code',
    async (challenge) => {
      const lines = ['Content-Type: application/json', `Cookie: challenge=${challenge}`];
      const body = JSON.stringify({ email: 'headers@example.com', code: '123456' });
      const path = '/v1/auth/verify-code';
      expect(await outcome('POST', path, lines, body)).toEqual([401, 'invalid_code']);
    },
  );
});

describe('Accept', () => {
  const monsters = [
    'text/csv;q=NaN, */*;q=-1',
    ';;;,,,===',
    'image/webp;q=999999999999999999999, image/avif;q=0.0000000000000000001',
    Array.from({ length: 10_000 }, () => 'image/webp;q=0.1').join(),
    'image/*;'.repeat(5000),
    'a'.repeat(50_000),
    '"image/webp',
    '\xff/\xff',
  ];

  it.each([...monsters.keys()])(
    'of monstrous kind %i is read or ignored',
    async (i) => {
      const accept = `Accept: ${monsters[i]}`;
      const sid = `Cookie: sid=${client.cookie('sid')}`;
      expect(await outcome('GET', '/v1/statistics', [accept, sid])).toEqual([200, null]);
      const key = `Authorization: Bearer ${service.key}`;
      const picture = Buffer.from(photo).toString('latin1');
      const query = '/v1/optimize?format=auto';
      expect(await outcome('POST', query, [accept, key], picture)).toEqual([200, null]);
    },
    30_000,
  );
});

describe('Content-Type', () => {
  it.each([
    ['without a boundary', ['multipart/form-data'], 'invalid_request'],
    ['with an empty boundary', ['multipart/form-data; boundary='], 'invalid_request'],
    ['with an open quote', ['multipart/form-data; boundary="a'], 'invalid_request'],
    [
      'with a line break',
      ['multipart/form-data; boundary="a\r\nX-Injected: b"'],
      'invalid_request',
    ],
    [
      'with ten kilobytes',
      [`multipart/form-data; boundary=${'b'.repeat(10_000)}`],
      'invalid_request',
    ],
    ['with letters beyond ASCII', ['multipart/form-data; boundary=\xff'], 'invalid_request'],
    [
      'with ten thousand parameters',
      [`multipart/form-data${'; a=b'.repeat(10_000)}`],
      'invalid_request',
    ],
    ['of garbage', ['\xff\xfe;;;'], 'unsupported_media_type'],
    ['given twice', ['application/json', 'image/png'], 'invalid_request'],
  ] as const)('%s is refused', async (_what, types, code) => {
    const lines = types.map((type) => `Content-Type: ${type}`);
    const key = `Authorization: Bearer ${service.key}`;
    const [status, found] = await outcome('POST', '/v1/optimize', [...lines, key], '--a\r\n\r\nx');
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
    if (types.length === 1) expect(found).toBe(code);
  });
});

describe('very many headers', () => {
  it.each([
    ['2,000 of them', Array.from({ length: 2000 }, (_, i) => `X-${i}: b`)],
    ['200 kilobytes in one', [`X-A: ${'a'.repeat(200_000)}`]],
    [
      'those of proxies',
      ['Via: 1.1 a', 'X-Real-IP: ::1', 'True-Client-IP: 1', 'CDN-Loop: a; a; a'],
    ],
    ['an upgrade', ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13']],
    ['ranges and conditions', ['Range: bytes=0-,0-,-1', 'If-Match: *', 'If-None-Match: "a", *']],
  ])('as %s change nothing', async (_what, lines) => {
    expect(await outcome('GET', '/v1/keys', lines)).toEqual([401, 'auth_required']);
    expect(await outcome('GET', '/v1/payments/packs', lines)).toEqual([200, null]);
  });
});

describe('Origin', () => {
  const logout = (...lines: string[]) => outcome('POST', '/v1/auth/logout', lines);
  const refused = [403, 'origin_not_allowed'];
  const passed = [401, 'auth_required'];

  it('of a foreign place is refused however it is written', async () => {
    for (const origin of [
      'null',
      `http://${service.url.host}.evil.example`,
      `http://evil.example#${service.url.host}`,
      `http://${service.url.host}@evil.example`,
      `http://${service.url.host}, http://evil.example`,
      `${cabinet}.evil.example`,
      `${cabinet}\xff`,
      'https://cabinet.example:8443',
      'file://',
      'x'.repeat(10_000),
    ]) {
      expect(await logout(`Origin: ${origin}`), origin.slice(0, 60)).toEqual(refused);
    }
    expect(await logout(`Origin: ${cabinet}`, 'Origin: https://evil.example')).toEqual(refused);
  });

  it('of the service itself or of a listed place passes', async () => {
    for (const origin of [service.url.origin, cabinet]) {
      expect(await logout(`Origin: ${origin}`)).toEqual(passed);
    }
  });
});
