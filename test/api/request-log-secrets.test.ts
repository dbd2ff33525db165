import { connect } from 'node:net';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { logMembers } from '../support/docs/log-members.ts';
import { plainPicture } from '../support/pictures.ts';
import { requestRecords } from '../support/request-log.ts';
import { startTestService, type TestService } from '../support/service.ts';

/** Stands for anything private. */
const secret = 'zebra7crossing';
const members = Object.keys(logMembers);

let service: TestService;
beforeAll(async () => {
  service = await startTestService({
    STRIPE_SECRET_KEY: 'sk_test_0123456789',
    STRIPE_WEBHOOK_SECRET: 'whsec_0123456789',
  });
});
afterAll(() => service.close());

/** Sends a request verbatim; waits until the service has closed the connection. */
async function raw(text: string): Promise<void> {
  const socket = connect(Number(service.url.port), service.url.hostname);
  socket.end(text);
  await new Promise((closed) => socket.resume().once('close', closed));
}

it('nothing that a client sends gets into the log, wherever it puts it', {
  tags: 'slow',
}, async () => {
  const picture = Uint8Array.from(await plainPicture(64, 64).png().toBuffer());
  const client = await service.signedIn(`${secret}@example.com`);
  const key = await service.keyOf(`${secret}@example.com`);
  const headers = {
    Authorization: `Bearer ${key}`,
    'User-Agent': secret,
    Referer: `https://${secret}.example/${secret}`,
    [`X-${secret}`]: secret,
    'X-Forwarded-For': secret,
    Accept: `image/${secret}`,
    Cookie: `sid=${secret}; ${secret}=1`,
  };
  const call = (path: string, init: RequestInit = {}) =>
    fetch(new URL(path, service.url), {
      redirect: 'manual',
      ...init,
      headers: { ...headers, ...init.headers },
    });
  const form = new FormData();
  form.set('file', new File([picture], `${secret}.png`, { type: `image/${secret}` }));
  const strangeForm = new FormData();
  strangeForm.set(secret, secret);
  const json = { 'Content-Type': 'application/json' };
  const post = (body: BodyInit, more: Record<string, string> = {}) =>
    ({ method: 'POST', body, headers: more }) as const;
  const responses = await Promise.all([
    call(`/${secret}`),
    call(`/v1/${secret}/${key}`),
    call(`/v1/keys/${secret}/revoke`, { method: 'POST' }),
    call(`/v1/keys/${key}`, { method: 'PATCH' }),
    call(`/assets/${secret}.js`),
    call(`/cabinet/${secret}`),
    call(`/v1/health?${secret}=${key}`),
    call(`/sign-in?next=/${secret}`),
    call(`/v1/optimize?${secret}=${secret}`, post(picture)),
    call('/v1/optimize', post(picture, { 'Content-Type': `image/${secret}` })),
    call('/v1/optimize', post(secret)),
    call('/v1/optimize', post(form)),
    call('/v1/optimize', post(strangeForm)),
    call('/v1/optimize', post(`{"url":"https://${secret}.internal/${secret}"}`, json)),
    call('/v1/optimize', post(`{"url":"https://${secret}:x@images.example/"}`, json)),
    call('/v1/optimize', post(`{"${secret}":"${secret}"}`, json)),
    call('/v1/quota', { headers: { Authorization: `Bearer ${secret}` } }),
    call('/v1/auth/request-code', post(`{"email":"${secret}"}`, json)),
    call('/v1/auth/request-code', post(`{"email":"${secret}@${secret}.example"}`, json)),
    call(
      '/v1/auth/verify-code',
      post(`{"email":"${secret}@example.com","code":"${secret}"}`, json),
    ),
    call('/v1/payments/webhook', post(secret, { 'Stripe-Signature': secret })),
    client.post('/v1/keys', { name: secret, comment: `${secret} ${key}` }),
    client.post('/v1/payments/checkout', { pack: secret }),
    client.delete('/v1/me', { confirm: secret }),
    client.get(`/v1/statistics?key_id=${secret}`),
  ]);
  await Promise.all(responses.map((response) => response.arrayBuffer()));
  await raw(`${secret.toUpperCase()} /v1/health HTTP/1.1\r\nHost: ${secret}\r\n\r\n`);
  await raw(`PROPFIND /v1/health HTTP/1.1\r\nHost: ${secret}.example\r\nConnection: close\r\n\r\n`);

  const ids = responses.map((response) => response.headers.get('Request-Id'));
  // It may arrive later than the responses.
  const logged = await vi.waitFor(() => {
    const text = service.logs();
    const records = requestRecords(text);
    expect(records.map(({ method }) => method)).toContain('other');
    expect(ids.every((id) => records.some(({ request_id }) => request_id === id))).toBe(true);
    return text;
  }, 30_000);
  for (const text of [secret, key, key.slice(0, 11), client.cookie('sid'), client.ip]) {
    expect(logged.toLowerCase()).not.toContain(text.toLowerCase());
  }
  const records = requestRecords(logged);
  expect(records.length).toBeGreaterThanOrEqual(responses.length);
  for (const record of records)
    expect(members).toEqual(expect.arrayContaining(Object.keys(record)));
});
