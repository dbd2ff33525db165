import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { codeIn, Inbox, listKeys } from '../../support/client.ts';
import { checkedFetch } from '../../support/openapi-checker.ts';
import { eventOf, signed } from '../../support/stripe.ts';
import { expectPartAway, FailingService, isWell } from './failing-service.ts';

let service: FailingService;
beforeAll(async () => {
  service = await FailingService.start();
});
afterAll(() => service.close());

async function openReservations(): Promise<number> {
  const row = service.parts.database.open((file) =>
    file.prepare('SELECT count(*) AS n FROM reservations').get(),
  );
  return Number(row?.n);
}

/** Waits until a file is reserved. */
async function reserved(): Promise<void> {
  await expect.poll(openReservations, { interval: 1, timeout: 20_000 }).toBeGreaterThan(0);
}

/** Waits for the bookings, of which the last repetition comes after five seconds, on a busy machine later. */
async function waitForAllBookings(): Promise<void> {
  await expect.poll(openReservations, { interval: 100, timeout: 20_000 }).toBe(0);
}

/** What has been charged and what may still be, at one moment. */
function chargedSince(before: number): { open: number; charged: number } {
  const row = service.parts.database.open((file) =>
    file
      .prepare(`SELECT free_used AS used, (SELECT count(*) FROM reservations) AS open
                FROM users WHERE email = ?`)
      .get(service.email),
  );
  return { open: Number(row?.open), charged: Number(row?.used) - before };
}

describe('a database that takes no writes', () => {
  it('is an answer to try again for whatever writes, and changes nothing', async () => {
    const before = { used: await service.used(), keys: await listKeys(service.client) };
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
    await service.parts.database.whileLocked(async () => {
      const answers = await Promise.all([
        service.optimize(),
        service.optimizeInCabinet(),
        service.client.post('/v1/keys', { name: 'b' }),
        service.client.patch(`/v1/keys/${before.keys[0]?.id}`, { name: 'c' }),
        service.client.post(`/v1/keys/${before.keys[0]?.id}/reissue`),
        service.client.post(`/v1/keys/${before.keys[0]?.id}/revoke`),
        service.client.post('/v1/auth/logout', {}),
        service.client.delete('/v1/me', { confirm: service.email }),
        service.client.post('/v1/payments/checkout', { pack: 'small' }),
        service.visitor().post('/v1/auth/request-code', { email: 'new@gmail.com' }),
        service.visitor().verify('new@gmail.com', '123456'),
        checkedFetch(service.url('/v1/payments/webhook'), { method: 'POST', ...event }),
      ]);
      const details = await Promise.all(
        answers.map(async (answer) => ((await answer.clone().json()) as { detail: string }).detail),
      );
      // only optimizing may be repeated without a look
      const looks = details.map((detail) => detail.includes('check whether it took effect'));
      expect(looks).toEqual([false, false, ...Array.from({ length: 10 }, () => true)]);
      for (const answer of answers) await expectPartAway(answer);
      expect(await service.health()).toEqual({
        status: 503,
        body: { status: 'failing', failing: ['database'] },
      });
      // what only reads goes on
      expect(await listKeys(service.client)).toEqual(before.keys);
      expect((await service.fetchWithKey('/v1/quota')).status).toBe(200);
    });
    expect(await service.health()).toEqual(isWell);
    expect({ used: await service.used(), keys: await listKeys(service.client) }).toEqual(before);
    expect(await openReservations()).toBe(0);
    expect((await service.optimize()).status).toBe(200);
    await service.visitor().signIn('new@gmail.com');
    expect((await service.client.post('/v1/payments/checkout', { pack: 'small' })).status).toBe(
      200,
    );
  });

  it('is waited for by the bookings of work that was done before, which are made once', async () => {
    const before = await service.used();
    const answers: Response[] = [];
    for (let round = 0; round < 4; round += 1) {
      const calls = Array.from({ length: 4 }, () => service.optimize());
      await reserved();
      // the lock falls between a reservation and its booking; other calls may be refused
      await service.parts.database.whileLocked(() => pause(400));
      answers.push(...(await Promise.all(calls)));
      await waitForAllBookings();
    }
    for (const answer of answers) {
      if (answer.status === 200) await answer.arrayBuffer();
      else await expectPartAway(answer);
    }
    const succeeded = answers.filter(({ status }) => status === 200).length;
    expect(succeeded).toBeGreaterThanOrEqual(4);
    expect(await service.used()).toBe(before + succeeded);
  }, 60_000);

  it('for longer than anyone waits costs us the file, not the customer', async () => {
    const before = await service.used();
    const calls = Array.from({ length: 4 }, () => service.optimize());
    const first = await Promise.race(calls);
    let succeeded = 0;
    await service.parts.database.whileLocked(async () => {
      expect(first.status).toBe(200);
      const answers = await Promise.all(calls);
      succeeded = answers.filter(({ status }) => status === 200).length;
      await pause(8000);
    });
    const { open, charged } = chargedSince(before);
    expect(charged).toBeLessThanOrEqual(succeeded);
    expect(charged + open).toBeGreaterThanOrEqual(succeeded);
    service.parts.database.open((file) => file.exec('UPDATE reservations SET expires_at = 0'));
    const remaining = Number((await service.optimize()).headers.get('Quota-Remaining'));
    expect(remaining).toBe(500 - before - charged - 1);
  }, 60_000);
});

describe('a database that takes no writes for a moment', () => {
  it('leaves no mail out whose code does not work', async () => {
    const statuses: number[] = [];
    // from the moment it comes to when even a busy machine has answered it
    for (let i = 0; i < 12; i += 1) {
      const visitor = service.visitor();
      const address = `momentary.${i}@gmail.com`;
      const request = visitor.post('/v1/auth/request-code', { email: address });
      await pause(2 ** i);
      await service.parts.database.whileLocked(() => pause(300));
      const answer = await request;
      statuses.push(answer.status);
      const mails = await new Inbox(service.parts.origin).count(address);
      if (answer.status === 200) {
        const code = codeIn(await new Inbox(service.parts.origin).latest(address));
        expect((await visitor.verify(address, code)).status).toBe(200);
      } else {
        await expectPartAway(answer);
        expect(mails).toBe(0);
      }
    }
    expect(statuses).toContain(200);
  });
});
