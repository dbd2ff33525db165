import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { expectProblem } from '../support/answers.ts';
import { type ServiceWithMailStandIn, startServiceWithMailStandIn } from '../support/service.ts';

let service: ServiceWithMailStandIn;
beforeAll(async () => {
  service = await startServiceWithMailStandIn({ MAILS_PER_DAY: '20' });
});
afterAll(() => service.close());

const request = (email: string, client = service.client()) =>
  client.post('/v1/auth/request-code', { email });

const ofStatus = (responses: readonly Response[], wanted: number) =>
  responses.filter(({ status }) => status === wanted).length;

const day = 24 * 60 * 60 * 1000;

it('the day’s mails are counted exactly, and a fifth is kept for known browsers', {
  tags: 'slow',
  timeout: 180_000,
}, async () => {
  // A new day would start with a new limit.
  const left = day - (Date.now() % day);
  if (left < 60_000) await pause(left + 1000);
  // Two of sixteen.
  const known = await Promise.all(
    ['one@example.com', 'two@example.com'].map(async (email) => {
      const browser = await service.signedIn(email);
      await browser.post('/v1/auth/logout');
      await service.age(email, 120_000);
      return { email, browser };
    }),
  );
  await service.refuseMails('E_DAILY_LIMIT_EXCEEDED');
  const failed = await Promise.all(
    Array.from({ length: 5 }, (_, i) => request(`failed${i}@example.com`)),
  );
  expect(ofStatus(failed, 502)).toBe(5);
  await service.refuseMails(null);

  const strangers = await Promise.all(
    Array.from({ length: 40 }, (_, i) => request(`stranger${i}@example.com`)),
  );
  expect([ofStatus(strangers, 200), ofStatus(strangers, 429)]).toEqual([14, 26]);
  const refused = await request('late@example.com');
  await expectProblem(refused, 'too_many_requests');
  const untilMidnight = (day - (Date.now() % day)) / 1000;
  expect(Math.abs(Number(refused.headers.get('Retry-After')) - untilMidnight)).toBeLessThan(10);

  // Four are left: each browser gets one a minute, also in parallel.
  for (let turn = 0; turn < 2; turn += 1) {
    const answers = await Promise.all(
      known.flatMap(({ email, browser }) => [request(email, browser), request(email, browser)]),
    );
    expect([ofStatus(answers, 200), ofStatus(answers, 429)]).toEqual([2, 2]);
    for (const { email } of known) await service.age(email, 61_000);
  }
  for (const { email, browser } of known) {
    await expectProblem(await request(email, browser), 'too_many_requests');
  }
  expect(await service.database.prepare('SELECT mails FROM mail_days').first()).toEqual({
    mails: 20,
  });
  expect(service.logs()).toContain('mail_limit_reached');
});
