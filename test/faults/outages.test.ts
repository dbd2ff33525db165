import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Payment } from '../../src/cabinet/browser/api/wire.ts';
import { Client } from '../support/client.ts';
import { codeIn, Inbox } from '../support/inbox.ts';
import { createKey, keyOf, listKeys } from '../support/key-record.ts';
import { checkedFetch } from '../support/openapi-fetch.ts';
import { plainPicture } from '../support/pictures.ts';
import { expectProblem } from '../support/problems.ts';
import { RestartableService } from '../support/restartable-service.ts';
import { eventOf, signed } from '../support/stripe-events.ts';
import { contradictions } from './contradictions.ts';

const email = 'patient@gmail.com';

let service: RestartableService;
let client: Client;
let key: string;
let photo: Uint8Array<ArrayBuffer>;
beforeAll(async () => {
  photo = Uint8Array.from(await plainPicture(500, 400).jpeg({ quality: 97 }).toBuffer());
  service = await RestartableService.start();
  client = new Client(service.origin);
  await client.signIn(email);
  key = keyOf(await createKey(client, { name: 'a' }));
});
afterAll(async () => {
  expect(service.database.open(contradictions)).toEqual([]);
  await service.close();
});

function fetchWithKey(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { Authorization: `Bearer ${key}` };
  return checkedFetch(new URL(path, service.origin), { ...init, headers });
}

function optimize(body = photo): Promise<Response> {
  return fetchWithKey('/v1/optimize', { method: 'POST', body });
}

/** Free files that the user has used, as the service says. */
async function used(): Promise<number> {
  const response = await client.get('/v1/me');
  expect(response.status).toBe(200);
  const { free_quota } = (await response.json()) as { free_quota: { used: number } };
  return free_quota.used;
}

async function openReservations(): Promise<number> {
  const row = service.database.open((file) =>
    file.prepare('SELECT count(*) AS n FROM reservations').get(),
  );
  return Number(row?.n);
}

/** Waits until a file is reserved. */
async function reserved(): Promise<void> {
  await expect.poll(openReservations, { interval: 1, timeout: 20_000 }).toBeGreaterThan(0);
}

/** Waits for the bookings, of which the last repetition comes after five seconds, on a busy machine later. */
async function allBooked(): Promise<void> {
  await expect.poll(openReservations, { interval: 100, timeout: 20_000 }).toBe(0);
}

/** What has been charged and what may still be, at one moment. */
function chargedSince(before: number): { open: number; charged: number } {
  const row = service.database.open((file) =>
    file
      .prepare(`SELECT free_used AS used, (SELECT count(*) FROM reservations) AS open
                FROM users WHERE email = ?`)
      .get(email),
  );
  return { open: Number(row?.open), charged: Number(row?.used) - before };
}

/** An answer that says what to do, and nothing of what is broken. */
async function expectPartAway(response: Response): Promise<void> {
  const text = await response.clone().text();
  expect(text).not.toMatch(/SQL|D1_|\bKV\b|\btable\b|locked|busy|\bat \w+ \(/i);
  expect(response.headers.get('Retry-After')).toBe('2');
  await expectProblem(response, 'overloaded');
}

/** What the health check says once it does not repeat what it had found before. */
async function health(): Promise<unknown> {
  await pause(5000);
  const response = await checkedFetch(new URL('/v1/health', service.origin));
  return { status: response.status, body: await response.json() };
}

const isWell = { status: 200, body: { status: 'ok' } };

describe('a database that takes no writes', () => {
  it('is an answer to try again for whatever writes, and changes nothing', async () => {
    const before = { used: await used(), keys: await listKeys(client) };
    const event = signed(
      eventOf('charge.refunded', {
        id: 'ch_1',
        payment_intent: 'pi_1',
        amount: 5,
        amount_refunded: 5,
        currency: 'usd',
        refunded: true,
        metadata: {},
      }),
    );
    await service.database.whileLocked(async () => {
      const answers = await Promise.all([
        optimize(),
        client.fetch('/v1/me/optimize', { method: 'POST', body: photo }),
        client.post('/v1/keys', { name: 'b' }),
        client.patch(`/v1/keys/${before.keys[0]?.id}`, { name: 'c' }),
        client.post(`/v1/keys/${before.keys[0]?.id}/reissue`),
        client.post(`/v1/keys/${before.keys[0]?.id}/revoke`),
        client.post('/v1/auth/logout', {}),
        client.delete('/v1/me', { confirm: email }),
        client.post('/v1/payments/checkout', { pack: 'small' }),
        new Client(service.origin).post('/v1/auth/request-code', { email: 'new@gmail.com' }),
        new Client(service.origin).verify('new@gmail.com', '123456'),
        checkedFetch(new URL('/v1/payments/webhook', service.origin), { method: 'POST', ...event }),
      ]);
      const details = await Promise.all(
        answers.map(async (answer) => ((await answer.clone().json()) as { detail: string }).detail),
      );
      // only optimizing may be repeated without a look
      const looks = details.map((detail) => detail.includes('look whether it was done'));
      expect(looks).toEqual([false, false, ...Array.from({ length: 10 }, () => true)]);
      for (const answer of answers) await expectPartAway(answer);
      expect(await health()).toEqual({
        status: 503,
        body: { status: 'failing', failing: ['database'] },
      });
      // what only reads goes on
      expect(await listKeys(client)).toEqual(before.keys);
      expect((await fetchWithKey('/v1/quota')).status).toBe(200);
    });
    expect(await health()).toEqual(isWell);
    expect({ used: await used(), keys: await listKeys(client) }).toEqual(before);
    expect(await openReservations()).toBe(0);
    expect((await optimize()).status).toBe(200);
    await new Client(service.origin).signIn('new@gmail.com');
    expect((await client.post('/v1/payments/checkout', { pack: 'small' })).status).toBe(200);
  });

  it('is waited for by the bookings of work that was done before, which are made once', async () => {
    const before = await used();
    const answers: Response[] = [];
    for (let round = 0; round < 4; round += 1) {
      const calls = Array.from({ length: 4 }, () => optimize());
      await reserved();
      // the lock falls between a reservation and its booking; other calls may be refused
      await service.database.whileLocked(() => pause(400));
      answers.push(...(await Promise.all(calls)));
      await allBooked();
    }
    for (const answer of answers) {
      if (answer.status === 200) await answer.arrayBuffer();
      else await expectPartAway(answer);
    }
    const succeeded = answers.filter(({ status }) => status === 200).length;
    expect(succeeded).toBeGreaterThanOrEqual(4);
    expect(await used()).toBe(before + succeeded);
  }, 60_000);

  it('for longer than anyone waits costs us the file, not the customer', async () => {
    const before = await used();
    const calls = Array.from({ length: 4 }, () => optimize());
    const first = await Promise.race(calls);
    let succeeded = 0;
    await service.database.whileLocked(async () => {
      expect(first.status).toBe(200);
      const answers = await Promise.all(calls);
      succeeded = answers.filter(({ status }) => status === 200).length;
      await pause(8000);
    });
    const { open, charged } = chargedSince(before);
    expect(charged).toBeLessThanOrEqual(succeeded);
    expect(charged + open).toBeGreaterThanOrEqual(succeeded);
    service.database.open((file) => file.exec('UPDATE reservations SET expires_at = 0'));
    const remaining = Number((await optimize()).headers.get('Quota-Remaining'));
    expect(remaining).toBe(500 - before - charged - 1);
  }, 60_000);
});

describe('a database that takes no writes for a moment', () => {
  it('leaves no mail out whose code does not work', async () => {
    const statuses: number[] = [];
    // from the moment it comes to when even a busy machine has answered it
    for (let i = 0; i < 12; i += 1) {
      const visitor = new Client(service.origin);
      const address = `momentary.${i}@gmail.com`;
      const request = visitor.post('/v1/auth/request-code', { email: address });
      await pause(2 ** i);
      await service.database.whileLocked(() => pause(300));
      const answer = await request;
      statuses.push(answer.status);
      const mails = await new Inbox(service.origin).count(address);
      if (answer.status === 200) {
        const code = codeIn(await new Inbox(service.origin).latest(address));
        expect((await visitor.verify(address, code)).status).toBe(200);
      } else {
        await expectPartAway(answer);
        expect(mails).toBe(0);
      }
    }
    expect(statuses).toContain(200);
  });
});

describe('a payment provider that is not there', () => {
  it('is told as such, costs nothing, and is asked again', async () => {
    const buy = () => client.post('/v1/payments/checkout', { pack: 'small' });
    const statuses = async () => {
      const { items } = (await (await client.get('/v1/payments')).json()) as { items: Payment[] };
      return items.map(({ status }) => status);
    };
    const before = await statuses();
    await service.stripe.stop();
    await expectProblem(await buy(), 'payment_provider_failed');
    await service.stripe.start();
    expect(await statuses()).toEqual(['failed', ...before]);
    expect((await buy()).status).toBe(200);
    expect(await statuses()).toEqual(['pending', 'failed', ...before]);
  });
});

describe('a KV store that fails at everything', () => {
  const table = '_mf_entries';

  it('is seen by the health check', async () => {
    await service.kv.without(table, async () => {
      expect(await health()).toEqual({ status: 503, body: { status: 'failing', failing: ['kv'] } });
    });
    expect(await health()).toEqual(isWell);
  });

  it('ends no session, and keeps none open that has been ended', async () => {
    const other = new Client(service.origin);
    await other.signIn('ended@gmail.com');
    const sid = other.cookie('sid');
    await service.kv.without(table, async () => {
      expect((await client.get('/v1/me')).status).toBe(200);
      expect((await client.fetch('/v1/me/optimize', { method: 'POST', body: photo })).status).toBe(
        200,
      );
      expect((await other.post('/v1/auth/logout')).status).toBe(200);
      other.setCookie('sid', sid);
      await expectProblem(await other.get('/v1/me'), 'auth_required');
      other.setCookie('sid', 'A'.repeat(43));
      await expectProblem(await other.get('/v1/me'), 'auth_required');
    });
    other.setCookie('sid', sid);
    await expectProblem(await other.get('/v1/me'), 'auth_required');
  });

  it('lets nobody sign in, and costs neither a code nor a try', async () => {
    const visitor = new Client(service.origin);
    const code = await visitor.requestCode('waiting@gmail.com');
    await service.kv.without(table, async () => {
      for (let i = 0; i < 6; i += 1) {
        await expectPartAway(await visitor.verify('waiting@gmail.com', code));
      }
      const newcomer = new Client(service.origin);
      const request = { email: 'newcomer@gmail.com' };
      await expectPartAway(await newcomer.post('/v1/auth/request-code', request));
    });
    expect((await visitor.verify('waiting@gmail.com', code)).status).toBe(200);
    // the cool-down does not count what was not sent
    await new Client(service.origin).signIn('newcomer@gmail.com');
  });

  it('that can be read and not written costs neither a code nor a try', async () => {
    const visitor = new Client(service.origin);
    const code = await visitor.requestCode('halfway@gmail.com');
    await service.kv.whileLocked(async () => {
      for (let i = 0; i < 6; i += 1) {
        await expectPartAway(await visitor.verify('halfway@gmail.com', code));
      }
    });
    expect((await visitor.verify('halfway@gmail.com', code)).status).toBe(200);
  });
});
