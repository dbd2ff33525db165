import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../../support/client.ts';
import { demandingPicture, demandingQuery, plainPicture } from '../../support/pictures.ts';
import { rawRequest } from '../../support/raw-request.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { eventually } from '../../support/time.ts';

let service: TestService;
let client: Client;
let photo: string;
beforeAll(async () => {
  service = await startTestService();
  client = await service.signedIn('stalled@example.com');
  photo = (await plainPicture(60, 50).jpeg({ quality: 95 }).toBuffer()).toString('latin1');
});
afterAll(() => service.close());

interface Stall {
  readonly what: string;
  readonly path: string;
  readonly type: string;
  /** What comes before nothing more does. */
  readonly sent: string;
  /** No length is stated. */
  readonly isChunked?: boolean;
}

/** With the arena as large as it gets, in bytes, less what a ledger rounds up. */
const largestBody = 30 * 2 ** 20;

const json = 'application/json';
const form = 'multipart/form-data; boundary=b';
const part = (name: string, more = '') =>
  `--b\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n`;

/** Where each kind of body may stop on its way. */
function stalls(): readonly Stall[] {
  const optimize = '/v1/optimize';
  const file = part('file', '; filename="a.jpg"');
  const jsonPaths = ['/v1/keys', '/v1/auth/request-code', '/v1/auth/verify-code'];
  return [
    ...jsonPaths.flatMap((path) => [
      { what: 'JSON, before its first byte', path, type: json, sent: '' },
      { what: 'JSON, in its middle', path, type: json, sent: '{"name":"sto' },
    ]),
    {
      what: 'JSON that is whole but for its length',
      path: '/v1/keys',
      type: json,
      sent: '{"name":"a"}',
    },
    { what: 'JSON, after its first byte', path: '/v1/auth/logout', type: json, sent: '{' },
    { what: 'a picture, before its first byte', path: optimize, type: 'image/jpeg', sent: '' },
    { what: 'a picture', path: optimize, type: 'image/jpeg', sent: photo.slice(0, 500) },
    { what: 'a URL', path: optimize, type: json, sent: '{"url":"https://' },
    { what: 'a form, before its first byte', path: optimize, type: form, sent: '' },
    {
      what: 'a form, in the head of a part',
      path: optimize,
      type: form,
      sent: '--b\r\nContent-Dis',
    },
    { what: 'a form, in an option', path: optimize, type: form, sent: `${part('format')}we` },
    {
      what: 'a form, in its file',
      path: optimize,
      type: form,
      sent: `${file}${photo.slice(0, 500)}`,
    },
    { what: 'a form, before its end', path: optimize, type: form, sent: `${file}${photo}\r\n--b` },
    { what: 'chunks', path: optimize, type: 'image/jpeg', sent: '5\r\nab', isChunked: true },
    { what: 'chunks of JSON', path: '/v1/keys', type: json, sent: '1\r\n{\r\n', isChunked: true },
  ];
}

function request({ path, type, sent, isChunked = false }: Stall): string {
  const credentials = path === '/v1/optimize' ? `Authorization: Bearer ${service.key}` : null;
  return [
    `POST ${path} HTTP/1.1`,
    `Host: ${service.url.host}`,
    credentials ?? `Cookie: sid=${client.cookie('sid')}`,
    `Content-Type: ${type}`,
    isChunked ? 'Transfer-Encoding: chunked' : 'Content-Length: 20000',
    '',
    sent,
  ].join('\r\n');
}

async function count(query: string): Promise<number | null> {
  await service.meters.flush();
  return service.database.prepare(`SELECT coalesce(${query}, 0) AS n`).first<number>('n');
}
const openReservations = () => service.meters.inFlight();
const filesCharged = () => count('(SELECT sum(free_used) FROM mailboxes)');
const filesAnswered = () => count('(SELECT sum(files) FROM usage_days)');

async function expectNothingReserved(): Promise<void> {
  await eventually(async () => {
    expect(await openReservations()).toBe(0);
  });
}

/** Neither a file of the quota nor memory: both were free `before`, and both are again. */
async function expectNothingHeld(before: number | null): Promise<void> {
  await expectNothingReserved();
  expect(await filesCharged()).toBe(before);
  // work that finds room at the first try, and bodies that fill what it has left
  const first = await service.optimize(await demandingPicture(), demandingQuery);
  await first.arrayBuffer();
  expect(first.status).toBe(200);
  // 415: the body was taken in full, and it is no picture
  const second = await service.optimize(new Uint8Array(largestBody));
  expect(second.status).toBe(415);
  await expectNothingReserved();
}

describe('a body that stops coming', () => {
  it('is given up after some ten seconds, wherever it was, and nothing stays held', async () => {
    const before = await filesCharged();
    const started = Date.now();
    const answers = await Promise.all(
      stalls().map(async (stall) => {
        const answer = await rawRequest(service.url, request(stall), { patience: 20_000 });
        return { ...answer, what: `${stall.path}, ${stall.what}`, after: Date.now() - started };
      }),
    );
    for (const { status, text, what, after } of answers) {
      expect(status, what).toBe(408);
      expect(text, what).toContain('"code":"request_timeout"');
      expect(after, what).toBeGreaterThan(9000);
    }
    await expectNothingHeld(before);
  }, 40_000);
});

describe('a client that leaves', () => {
  it('while it sends takes nothing with it, wherever it was', async () => {
    const before = await filesCharged();
    await Promise.all(
      stalls().map((stall) => rawRequest(service.url, request(stall), { hangUpAfter: 300 })),
    );
    await expectNothingHeld(before);
    const created = await (await client.get('/v1/keys')).json();
    expect(created).toEqual({ items: [] });
  }, 40_000);

  it('before it has its answer is charged for no more than what was made', async () => {
    const body = { what: '', path: '/v1/optimize', type: 'image/jpeg', sent: photo };
    const whole = request(body).replace('20000', String(photo.length));
    const [charged, answered] = [await filesCharged(), await filesAnswered()];
    const waits = [0, 1, 5, 20];
    await Promise.all(waits.map((hangUpAfter) => rawRequest(service.url, whole, { hangUpAfter })));
    // one that stays: what it costs shows that the figures below are those of files
    expect((await rawRequest(service.url, whole)).status).toBe(200);
    await expectNothingReserved();
    const made = Number(await filesAnswered()) - Number(answered);
    expect(Number(await filesCharged()) - Number(charged)).toBe(made);
    expect(made).toBeGreaterThanOrEqual(1);
    expect(made).toBeLessThanOrEqual(waits.length + 1);
  }, 40_000);
});
