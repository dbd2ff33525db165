import { setTimeout as wait } from 'node:timers/promises';
import { Hono } from 'hono';
import { expect, it, vi } from 'vitest';
import { type DeliveryEnv, makeResult } from '../../../../src/routes/delivery/making.ts';
import { turns } from '../../../../src/routes/optimize/scheduler.ts';
import { configWith } from '../../../support/config.ts';

// As in Workers.
vi.stubGlobal('scheduler', { wait });

it('a result that is refused because too much work waits gives back the file that it has reserved', async () => {
  const owner = 'mbx_1';
  const waiting = await Promise.all(
    Array.from({ length: 28 }, () => turns.arrive(owner, new AbortController().signal)),
  );
  for (const job of waiting) job.expect(1100);
  const reserved: string[] = [];
  const givenBack: string[] = [];
  const meter = {
    reserveOfSite: async (id: string) => {
      reserved.push(id);
      return { kind: 'reserved', keyId: 'site_1' };
    },
    giveBack: async (id: string) => void givenBack.push(id),
  };
  const background: Promise<unknown>[] = [];
  let outcome: Promise<unknown> | undefined;
  const app = new Hono<DeliveryEnv>().get('*', async (c) => {
    c.set('config', configWith({}));
    c.set('notes', {});
    c.set('requestId', 'req_1');
    const names = { path: 'site_1/image', key: 'site_1/image/result' };
    const { signal } = new AbortController();
    outcome = makeResult(c, { names, known: null, signal, client: null });
    await outcome.catch(() => {});
    return c.body(null);
  });
  const props = {
    ...{ siteId: 'site_1', mailboxId: owner, signed: false },
    ...{ image: 'https://images.example/a.jpg', options: { format: 'avif' } },
  };
  const context = {
    ...{ waitUntil: (work: Promise<unknown>) => background.push(work), props: {} },
    passThroughOnException: () => {},
  };
  const env = { METER: { getByName: () => meter }, PROPS: props };
  await app.request('/', {}, env, context as never);
  await expect(outcome).rejects.toMatchObject({ code: 'overloaded' });
  await Promise.all(background);
  expect(reserved).toHaveLength(1);
  expect(givenBack).toEqual(reserved);
  for (const job of waiting) job.end();
});
