import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CheckRecord } from '../../src/routes/sites/check.ts';
import { expectProblem } from '../support/answers.ts';
import { Client } from '../support/client.ts';
import {
  type FetchingService,
  type ForeignServer,
  startFetchingService,
} from '../support/fetching-service.ts';
import { plainPicture } from '../support/pictures.ts';

let service: FetchingService;
let foreign: ForeignServer;
let client: Client;
let photo: Uint8Array<ArrayBuffer>;
beforeAll(async () => {
  service = await startFetchingService();
  foreign = service.foreign;
  photo = Uint8Array.from(await plainPicture(300, 200).jpeg({ quality: 95 }).toBuffer());
  foreign.serve('/images/photo.jpg', photo);
  client = new Client(service.origin);
  await client.signIn('checks@gmail.com');
}, 120_000);
afterAll(() => service.close());

/** The path of the checks of a new site. */
async function checksOf(slug: string): Promise<string> {
  const source = foreign.at('/images/');
  const response = await client.post('/v1/sites', { name: 'Shop', slug, source });
  const { id } = (await response.json()) as { id: string };
  return `/v1/sites/${id}/check`;
}

async function checkIn(response: Response): Promise<CheckRecord> {
  const text = await response.text();
  expect(response.status, text).toBe(200);
  return JSON.parse(text) as CheckRecord;
}

describe('a check of an image', () => {
  it('says what it is, and what can be made of it, and costs nothing', async () => {
    const path = await checksOf('checked');
    const account = async () => (await client.get('/v1/me')).json();
    const before = await account();
    const { plan, ...image } = await checkIn(await client.post(path, { path: 'photo.jpg?v=1' }));
    expect(image).toEqual({
      url: foreign.at('/images/photo.jpg?v=1'),
      type: 'image/jpeg',
      width: 300,
      height: 200,
      bytes: photo.length,
      frames: 1,
    });
    const possible = plan.filter((one) => one.possible);
    expect(possible.map(({ format }) => format)).toEqual(['jpeg', 'png', 'webp', 'avif', 'jxl']);
    for (const { cpu_ms } of possible) expect(cpu_ms).toBeGreaterThan(0);
    expect(plan.find(({ format }) => format === 'gif')?.detail).toMatch(/animation/);
    const { items } = (await (await client.get('/v1/sites')).json()) as { items: object[] };
    expect(items[0]).toMatchObject({ month_used: 0, all_time_used: 0 });
    expect(await account()).toEqual(before);
  });

  it('says of each format why it cannot be made', async () => {
    const wide = await plainPicture(17_000, 20).png().toBuffer();
    foreign.serve('/images/wide.png', Uint8Array.from(wide));
    const path = await checksOf('checked-wide');
    const { plan } = await checkIn(await client.post(path, { path: 'wide.png' }));
    const webp = plan.find(({ format }) => format === 'webp');
    expect(webp).toEqual({
      format: 'webp',
      possible: false,
      code: expect.stringMatching(/^[a-z_]+$/),
      detail: expect.stringMatching(/\S.*\.$/),
    });
    expect(plan).toContainEqual(expect.objectContaining({ format: 'png', possible: true }));
  });

  it.each([
    ['missing.jpg', 'source_fetch_failed'],
    ['away', 'source_not_allowed'],
    ['text', 'unsupported_media_type'],
    ['cut.jpg', 'invalid_image'],
    ['../photo.jpg', 'invalid_request'],
    ['%2e%2e/photo.jpg', 'invalid_request'],
    ['a%5cb', 'invalid_request'],
    ['//photo.jpg', 'invalid_request'],
    ['', 'invalid_request'],
    [`photo.jpg?${'x'.repeat(2048)}`, 'invalid_request'],
  ] as const)('of %j is refused', async (imagePath, code) => {
    foreign.redirect('/images/away', 'https://10.0.0.1/photo.jpg');
    foreign.serve('/images/text', new TextEncoder().encode('no image'));
    foreign.serve('/images/cut.jpg', photo.subarray(0, 100));
    const slug = `refused-${Math.random().toString(36).slice(2, 12)}`;
    const path = await checksOf(slug);
    await expectProblem(await client.post(path, { path: imagePath }), code);
    await client.delete(path.replace('/check', ''), {});
  });

  it('is made 20 times in an hour, however many are asked for at once', {
    tags: 'slow',
  }, async () => {
    const path = await checksOf('checked-often');
    const before = foreign.asked.length;
    const answers = await Promise.all(
      Array.from({ length: 40 }, () => client.post(path, { path: 'photo.jpg' })),
    );
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused).toHaveLength(20);
    for (const answer of refused) {
      const seconds = Number(answer.headers.get('Retry-After'));
      expect(seconds).toBeGreaterThan(0);
      expect(seconds).toBeLessThanOrEqual(3600);
      await expectProblem(answer, 'too_many_requests');
    }
    expect(foreign.asked.length - before).toBe(20);
    await service.bindings(({ DB }) =>
      DB.prepare('UPDATE sites SET checks_hour = checks_hour - 1').run(),
    );
    await checkIn(await client.post(path, { path: 'photo.jpg' }));
  });
});

it('the service itself is no source', async () => {
  const source = `${service.origin}/i/shop/_/`;
  const answer = await client.post('/v1/sites', { name: 'a', slug: 'a-loop', source });
  await expectProblem(answer, 'source_not_allowed');
});
