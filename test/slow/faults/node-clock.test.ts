import { afterAll, beforeAll, expect, it } from 'vitest';
import { contradictions, type impossible, meterContradictions } from './contradictions.ts';
import { FailingService, isWell } from './failing-service.ts';

const day = 86_400_000;

const clearedCodes: keyof typeof impossible = 'more sessions than codes that were used';

let service: FailingService;
beforeAll(async () => {
  service = await FailingService.start();
});
afterAll(async () => {
  // A day later, codes that were used are cleared, and sessions are not.
  const found = service.parts.database.open(contradictions);
  expect(found.filter((one) => !one.startsWith(clearedCodes))).toEqual([]);
  await service.parts.close();
});

async function optimize(): Promise<void> {
  const answer = await service.optimize();
  expect(answer.status).toBe(200);
  await answer.arrayBuffer();
}

/** Pictures that are booked in the database. */
function booked(): number {
  const sum = 'SELECT coalesce(sum(files), 0) AS n FROM usage_days';
  return Number(service.parts.database.open((file) => file.prepare(sum).get())?.n);
}

/** Pictures that the customer's meter knows of, whatever month they count for. */
async function counted(): Promise<number> {
  // It writes everything to the database before.
  expect((await service.client.get('/v1/statistics')).status).toBe(200);
  return booked();
}

it('a clock that jumps a day ahead and back keeps nobody out, and every picture is in the books by itself', async () => {
  const { node } = service.parts;
  let answers = 0;
  const work = async () => {
    for (let i = 0; i < 3; i += 1) {
      await optimize();
      answers += 1;
    }
    expect((await service.client.get('/v1/me')).status).toBe(200);
    expect(await service.health()).toEqual(isWell);
  };
  await work();
  for (const ahead of [day, 0, -day, 0]) {
    await node.call('setClockAhead', ahead);
    await work();
    // Those who sign in anew do as well.
    await service.visitor().signIn(`clock.${answers}@gmail.com`);
  }
  // No call helps: alarms do, also those that were set while the clock was ahead.
  await expect.poll(booked, { interval: 1000, timeout: 150_000 }).toBe(answers);
  expect(service.parts.reserved()).toBe(0);
  expect(service.parts.meters.flatMap((meter) => meter.open(meterContradictions))).toEqual([]);
}, 280_000);

it('a picture that is under way while the clock jumps is answered and charged once', async () => {
  const { node } = service.parts;
  const before = await counted();
  for (const ahead of [day, -day]) {
    const answers = Array.from({ length: 6 }, () => service.optimize());
    await node.call('setClockAhead', ahead);
    for (const answer of await Promise.all(answers)) {
      expect(answer.status).toBe(200);
      await answer.arrayBuffer();
    }
    await node.call('setClockAhead', 0);
  }
  await expect.poll(counted).toBe(before + 12);
});

it('a restart with the clock a day ahead, and another with it right again, find everything', async () => {
  const before = await counted();
  await service.parts.node.call('setClockAhead', day);
  await optimize();
  expect(await counted()).toBe(before + 1);
  service.parts.killAll();
  await service.parts.start();
  await optimize();
  await expect.poll(counted).toBe(before + 2);
  expect((await service.client.get('/v1/keys')).status).toBe(200);
});
