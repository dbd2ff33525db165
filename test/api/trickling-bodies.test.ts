import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.ts';
import { isFull } from '../support/full.ts';
import { rawRequest } from '../support/raw-request.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { signed, stripeVars } from '../support/stripe.ts';
import {
  forgedSignature,
  type SlowRequest,
  slowRequests,
  TricklingBody,
  trickle,
} from '../support/trickling.ts';

/** Number of connections on each route. */
const connections = isFull ? 400 : 40;

let service: TestService;
let client: Client;
let requests: readonly SlowRequest[];
beforeAll(async () => {
  service = await startTestService(stripeVars('http://127.0.0.1:1'));
  client = await service.signedIn('trickling@example.com');
  const document = await (await service.fetch('/v1/openapi.json')).json();
  // Does not expire while the other routes are tested.
  const signature = forgedSignature(-3600);
  requests = slowRequests(document, { sid: client.cookie('sid'), key: service.key, signature });
});
afterAll(() => service.close());

function countsOf(bodies: readonly TricklingBody[]): Record<string, number> {
  const byStatus = Map.groupBy(bodies, ({ status }) => String(status));
  return Object.fromEntries([...byStatus].map(([status, { length }]) => [status, length]));
}

/**
 * Lets bodies trickle into routes concurrently; each is refused in time, and other requests get responses meanwhile.
 */
async function expectRefused(routes: readonly SlowRequest[]): Promise<void> {
  const bodies = routes.flatMap((route) =>
    Array.from({ length: connections }, () => new TricklingBody(service.url, route)),
  );
  await trickle(bodies, 60_000, async () => {
    expect((await service.fetch('/v1/health')).status).toBe(200);
    await pause(500);
  });
  const names = routes.map(({ method, path }) => `${method} ${path}`).join(', ');
  expect(countsOf(bodies), names).toEqual({ 408: bodies.length });
  expect(
    bodies.filter(({ hasEnded }) => !hasEnded),
    names,
  ).toEqual([]);
}

// In parallel with the payment events below, because most of it is waiting.
describe.concurrent('bodies that trickle', () => {
  it('into routes that take JSON are given up, all at the same time, and hold nothing any more', {
    tags: 'slow',
    timeout: 600_000,
  }, async () => {
    expect(requests.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['/v1/auth/request-code', '/v1/keys', '/v1/payments/webhook']),
    );
    if (!isFull) await expectRefused(requests);
    else for (const request of requests) await expectRefused([request]);
    expect((await client.post('/v1/keys', { name: 'after' })).status).toBe(201);
    const { body, headers } = signed({ type: 'test' });
    const delivery = await service.fetch('/v1/payments/webhook', { method: 'POST', body, headers });
    expect(delivery.status).toBe(200);
  });
});

describe.concurrent('a payment event that is not there yet', () => {
  const head = (signature: string, length = 60_000) =>
    [
      'POST /v1/payments/webhook HTTP/1.1',
      `Host: ${service.url.host}`,
      'Content-Type: application/json',
      `Stripe-Signature: ${signature}`,
      `Content-Length: ${length}`,
      ...['', ''],
    ].join('\r\n');
  const now = Math.floor(Date.now() / 1000);
  const zeros = '0'.repeat(64);

  it.each([
    ['no signature', ''],
    ['nonsense for a signature', 'nonsense'],
    ['a signature of another scheme alone', `t=${now},v0=${zeros}`],
    ['a signature that is too short', `t=${now},v1=${zeros.slice(1)}`],
    ['no time', `v1=${zeros}`],
    ['an old signature', forgedSignature(310)],
    ['signatures without end', `${forgedSignature()}${`,v1=${zeros}`.repeat(40)}`],
  ])('is refused for %s', { tags: 'slow' }, async (_, signature) => {
    const { status, text } = await rawRequest(service.url, head(signature), { patience: 30_000 });
    expect(status).toBe(400);
    expect(text).toContain('"code":"invalid_signature"');
  });

  it('is refused for the length that it states', { tags: 'slow' }, async () => {
    const request = head(forgedSignature(), 2 ** 20 + 1);
    const { status, text } = await rawRequest(service.url, request, { patience: 30_000 });
    expect(status).toBe(413);
    expect(text).toContain('"code":"body_too_large"');
  });
});

describe('bodies that trickle after most of them has come', () => {
  it('fill their pool: others get 503, those that fit are answered or may leave', {
    tags: 'slow',
    timeout: 120_000,
  }, async () => {
    const text = JSON.stringify({ email: 'nobody', filler: 'x'.repeat(60_000) });
    const route = {
      method: 'POST',
      path: '/v1/auth/verify-code',
      headers: { 'Content-Type': 'application/json', 'Content-Length': String(text.length + 1) },
      start: text,
    };
    const bodies = Array.from({ length: 100 }, () => new TricklingBody(service.url, route));
    // The pool has room for 48.
    await expect.poll(() => countsOf(bodies)['503'] ?? 0).toBeGreaterThanOrEqual(52);
    const refused = bodies.filter(({ status }) => status === 503);
    const fitting = bodies.filter(({ status }) => status === null);
    expect(fitting.length).toBeGreaterThan(40);
    const [leaving, staying] = [fitting.slice(0, 10), fitting.slice(10)];
    for (const body of leaving) body.hangUp();
    // The last byte of each.
    for (const body of staying) body.trickle();
    await expect.poll(() => countsOf(staying)).toEqual({ 400: staying.length });
    for (const body of refused) {
      expect(body.answer).toMatch(/\r\nRetry-After: 2\r\n/i);
      expect(body.answer).toContain('"code":"overloaded"');
    }
    for (const body of bodies) body.hangUp();
    const filler = 'x'.repeat(60_000);
    const responses = await Promise.all(
      Array.from({ length: 40 }, () => client.post('/v1/keys', { name: '', filler })),
    );
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([400]));
  });
});
