import { afterAll, beforeAll, expect, it } from 'vitest';
import { expectPicture } from '../support/answers.ts';
import type { Client } from '../support/client.ts';
import { plainPicture } from '../support/pictures.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ FREE_FILES_PER_MONTH: '100' });
});
afterAll(() => service.close());

async function photoOf(width: number): Promise<Uint8Array<ArrayBuffer>> {
  return Uint8Array.from(await plainPicture(width, 200).jpeg({ quality: 97 }).toBuffer());
}

function optimize(client: Client, body: BodyInit, format: string): Promise<Response> {
  return client.fetch(`/v1/me/optimize?format=${format}`, { method: 'POST', body });
}

/** Free files that the account has used, once everything is booked. */
async function used(client: Client): Promise<number> {
  const me = (await (await client.get('/v1/me')).json()) as { free_quota: { used: number } };
  return me.free_quota.used;
}

it('three formats of one image at the cabinet are one file, one after the other and at once', async () => {
  const client = await service.signedIn('formats@example.com');
  const photo = await photoOf(300);
  const left: (string | null)[] = [];
  for (const format of ['keep', 'webp', 'avif']) {
    const response = await optimize(client, photo, format);
    left.push(response.headers.get('Quota-Remaining'));
    await expectPicture(response);
    await expect.poll(() => used(client)).toBe(1);
  }
  expect(left).toEqual(['99', '99', '99']);

  const another = await photoOf(301);
  const responses = await Promise.all(
    ['keep', 'webp', 'avif', 'png', 'keep'].map((format) => optimize(client, another, format)),
  );
  for (const response of responses) expect(response.status).toBe(200);
  await expect.poll(() => used(client)).toBe(2);
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(await used(client)).toBe(2);
});

it('an image is charged to each account, and with a key each time', async () => {
  const photo = await photoOf(303);
  const one = await service.signedIn('one@example.com');
  const other = await service.signedIn('other@example.com');
  for (const client of [one, other]) await expectPicture(await optimize(client, photo, 'keep'));
  const key = await service.keyOf('one@example.com');
  for (let call = 0; call < 2; call += 1) {
    await expectPicture(await service.optimize(photo, '', { Authorization: `Bearer ${key}` }));
  }
  await expect.poll(() => used(one)).toBe(3);
  await expect.poll(() => used(other)).toBe(1);
});
