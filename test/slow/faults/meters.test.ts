import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectPartAway, FailingService } from './failing-service.ts';

let service: FailingService;
beforeAll(async () => {
  service = await FailingService.start();
});
afterAll(() => service.close());

/** Lets the customer's meter fail at whatever it does with this table. */
async function without(table: string, work: () => Promise<void>): Promise<void> {
  const [meter, ...others] = service.parts.meters;
  if (!meter || others.length > 0) throw new Error('not one meter');
  await meter.without(table, work);
}

describe('a meter that fails', () => {
  it('is an answer to try again, and charges nothing', async () => {
    expect((await service.optimize()).status).toBe(200);
    const used = await service.used();
    await without('lanes', async () => {
      const answers = await Promise.all([service.optimize(), service.optimize()]);
      for (const answer of answers) await expectPartAway(answer);
    });
    expect(await service.used()).toBe(used);
    expect(service.parts.reserved()).toBe(0);
    const next = await service.optimize();
    expect(next.headers.get('Quota-Remaining')).toBe(String(500 - used - 1));
  });

  it('does not lose a key that was to be revoked, and refuses it when that is repeated', async () => {
    const id = await service.keyId();
    await without('keys', async () => {
      await expectPartAway(await service.client.post(`/v1/keys/${id}/revoke`));
      await expectPartAway(await service.client.post(`/v1/keys/${id}/reissue`));
    });
    expect((await service.optimize()).status).toBe(200);
    expect((await service.client.post(`/v1/keys/${id}/revoke`)).status).toBe(200);
    expect((await service.optimize()).status).toBe(401);
  });
});
