import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KeyRecord } from '../../../src/cabinet/browser/api/wire.ts';
import { expectProblem } from '../../support/answers.ts';
import { codeIn, createKey, Inbox, keyOf, listKeys } from '../../support/client.ts';
import { isFull } from '../../support/full.ts';
import { checkedFetch } from '../../support/openapi-checker.ts';
import { eventOf, signed } from '../../support/stripe.ts';
import { expectPartAway, FailingService, isWell } from './failing-service.ts';

let service: FailingService;
beforeAll(async () => {
  service = await FailingService.start();
});
afterAll(() => service.close());

/** Milliseconds; at least one alarm falls into it, where there is time. */
const outage = isFull ? 300_000 : 8000;

/** Files that D1 says were answered, for everyone. */
function filesInD1(): number {
  const row = service.parts.database.open((file) =>
    file.prepare('SELECT coalesce(sum(files), 0) AS n FROM usage_days').get(),
  );
  return Number(row?.n);
}

describe('a database that takes no writes', () => {
  it('is an answer to try again for whatever writes there, and changes nothing', async () => {
    // its meter is awake from here on
    expect((await service.optimize()).status).toBe(200);
    const before = { used: await service.used(), keys: await listKeys(service.client) };
    const sleeper = service.visitor();
    await sleeper.signIn('sleeper@gmail.com');
    const headers = { Authorization: `Bearer ${keyOf(await createKey(sleeper, { name: 'a' }))}` };
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
        sleeper.fetch('/v1/optimize', { method: 'POST', headers, body: service.photo }),
        service.client.post('/v1/keys', { name: 'b' }),
        service.client.patch(`/v1/keys/${before.keys[0]?.id}`, { name: 'c' }),
        service.client.post('/v1/auth/logout', {}),
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
      expect(looks).toEqual([false, ...Array.from({ length: 7 }, () => true)]);
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
    expect((await service.optimize()).status).toBe(200);
    await service.visitor().signIn('new@gmail.com');
    expect((await service.client.post('/v1/payments/checkout', { pack: 'small' })).status).toBe(
      200,
    );
  });

  it('keeps nobody from optimizing whose meter is awake, and has all of it afterwards by itself', async () => {
    expect((await service.optimize()).status).toBe(200);
    // everything before is written
    expect((await service.client.get('/v1/statistics')).status).toBe(200);
    const [before, used] = [filesInD1(), await service.used()];
    let answered = 0;
    await service.parts.database.whileLocked(async () => {
      for (const end = Date.now() + outage; Date.now() < end; answered += 2) {
        const answers = await Promise.all([service.optimize(), service.optimize()]);
        for (const answer of answers) {
          expect(answer.status).toBe(200);
          await answer.arrayBuffer();
        }
        // not more than there are free files
        await pause(isFull ? 3000 : 200);
      }
    });
    // no call helps: an alarm does, which has failed meanwhile
    await expect.poll(filesInD1, { interval: 500, timeout: 150_000 }).toBe(before + answered);
    expect(await service.used()).toBe(used + answered);
  }, 700_000);

  it('has what is taken away stay refused, and a repeat completes it', async () => {
    const owner = service.visitor();
    await owner.signIn('taking@gmail.com');
    const [revoked, replaced, kept] = [
      await createKey(owner, { name: 'revoked' }),
      await createKey(owner, { name: 'replaced' }),
      await createKey(owner, { name: 'kept' }),
    ];
    const optimize = async (record: KeyRecord) => {
      const headers = { Authorization: `Bearer ${keyOf(record)}` };
      const init = { method: 'POST', headers, body: service.photo };
      return (await checkedFetch(service.url('/v1/optimize'), init)).status;
    };
    for (const record of [revoked, replaced, kept]) expect(await optimize(record)).toBe(200);
    await service.parts.database.whileLocked(async () => {
      await expectPartAway(await owner.post(`/v1/keys/${revoked.id}/revoke`));
      await expectPartAway(await owner.post(`/v1/keys/${replaced.id}/reissue`));
      // whether the second one is revoked is for D1 to say, which can still be read
      expect([await optimize(revoked), await optimize(replaced)]).toEqual([401, 200]);
      expect(await optimize(kept)).toBe(200);
      await expectPartAway(await owner.delete('/v1/me', { confirm: 'taking@gmail.com' }));
      expect(await optimize(kept)).toBe(401);
    });
    expect(await optimize(revoked)).toBe(401);
    expect((await owner.post(`/v1/keys/${revoked.id}/revoke`)).status).toBe(200);
    expect((await owner.post(`/v1/keys/${replaced.id}/reissue`)).status).toBe(201);
    expect((await owner.delete('/v1/me', { confirm: 'taking@gmail.com' })).status).toBe(200);
    await expectProblem(await owner.get('/v1/me'), 'auth_required');
  }, 300_000);
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
