import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Client } from '../support/client.ts';
import { ForeignServer } from '../support/fetching-service.ts';
import { smallPhoto } from '../support/pictures.ts';
import { startServiceWithBucket, type TestService } from '../support/service.ts';

let service: TestService;
let owner: Client;
const foreign = new ForeignServer();

/** With another bucket, but none for images by URL. */
beforeAll(async () => {
  await foreign.start();
  service = await startServiceWithBucket({
    PRIVATE_SOURCES: `127.0.0.1:${foreign.port}`,
    ALLOW_HTTP_SOURCES: 'true',
  });
  owner = await service.signedIn('no.bucket@gmail.com');
});
afterAll(async () => {
  await service.close();
  await foreign.stop();
});

it('without a bucket, images by URL are made for whoever asks, and each is charged once', {
  tags: 'slow',
}, async () => {
  const photo = await smallPhoto();
  foreign.on('/a.jpg', async (response) => {
    await pause(100);
    response.writeHead(200).end(photo);
  });
  const site = await owner.post('/v1/sites', {
    ...{ name: 'x', slug: 'no-bucket', source: foreign.at('/'), on_error: 'error' },
  });
  expect(site.status).toBe(201);
  const ask = () => fetch(new URL('/i/no-bucket/w_200/a.jpg', service.url));
  const answers = await Promise.all(Array.from({ length: 20 }, ask));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  const etags = await Promise.all(
    answers.map(async (answer) => {
      expect((await answer.arrayBuffer()).byteLength).toBeGreaterThan(0);
      return answer.headers.get('ETag');
    }),
  );
  expect(new Set(etags).size).toBe(1);
  const used = async () => {
    const me = await (await owner.get('/v1/me')).json<{ free_quota: { used: number } }>();
    return me.free_quota.used;
  };
  await expect.poll(used).toBe(1);
  expect(foreign.asked.length).toBeLessThanOrEqual(20);
  const sites = await (await owner.get('/v1/sites')).json<{ items: { month_used: number }[] }>();
  expect(sites.items[0]?.month_used).toBe(foreign.asked.length);
});
