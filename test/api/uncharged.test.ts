import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectProblem } from '../support/answers.ts';
import { plainPicture } from '../support/pictures.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { eventually } from '../support/time.ts';

const limit = 3;

let service: TestService;
/** Becomes smaller, and so is charged. */
let large: Uint8Array<ArrayBuffer>;
/** Does not become smaller. */
let small: Uint8Array<ArrayBuffer>;
/** Only decoding shows that it is damaged. */
let broken: Uint8Array<ArrayBuffer>;
beforeAll(async () => {
  service = await startTestService({ UNCHARGED_PER_DAY: String(limit) });
  large = Uint8Array.from(await plainPicture(60, 50).jpeg({ quality: 97 }).toBuffer());
  const coarse = Uint8Array.from(await plainPicture(60, 50).jpeg({ quality: 20 }).toBuffer());
  small = new Uint8Array(await (await service.optimize(coarse)).arrayBuffer());
  const webp = await plainPicture(60, 50).webp({ quality: 90 }).toBuffer();
  webp.fill(0xff, 60, 160);
  broken = Uint8Array.from(webp);
});
afterAll(() => service.close());

/** The response, read to its end: a file is booked after that. */
async function optimize(key: string, body: Uint8Array<ArrayBuffer>, query = '') {
  const headers = { Authorization: `Bearer ${key}` };
  const response = await service.fetch(`/v1/optimize${query}`, { method: 'POST', headers, body });
  await response.clone().arrayBuffer();
  return response;
}

async function expectNoMore(response: Response): Promise<void> {
  await expectProblem(response, 'too_many_requests');
  const seconds = Number(response.headers.get('Retry-After'));
  expect(seconds).toBeGreaterThan(0);
  expect(seconds).toBeLessThanOrEqual(24 * 60 * 60);
}

/** Waits until this user has no requests in flight. */
function settled(email: string): Promise<void> {
  return eventually(async () => {
    const open = await (await service.meters.of(email)).inFlight();
    expect(open).toBe(0);
  });
}

describe('answers that are not charged', () => {
  it('are limited per mailbox and day', async () => {
    const email = 'uncharged@example.com';
    const key = await service.keyOf(email);
    for (let i = 0; i < limit; i += 1) {
      const response = await optimize(key, small);
      expect(response.status).toBe(200);
      expect(response.headers.get('Image-Optimized')).toBe('false');
      await settled(email);
    }
    await expectNoMore(await optimize(key, small));
    await expectNoMore(await optimize(await service.keyOf(email), small));
    expect((await optimize(await service.keyOf('somebody@example.com'), small)).status).toBe(200);
  });

  it('do not pass the limit when they are asked for at once', async () => {
    const email = 'at-once@example.com';
    const key = await service.keyOf(email);
    const responses = await Promise.all(Array.from({ length: 20 }, () => optimize(key, small)));
    const statuses = responses.map(({ status }) => status);
    const answered = statuses.filter((status) => status === 200).length;
    expect(answered).toBeLessThanOrEqual(limit);
    expect(statuses.every((status) => [200, 429, 503].includes(status))).toBe(true);
    for (let left = limit - answered; left > 0; left -= 1) {
      await settled(email);
      expect((await optimize(key, small)).status).toBe(200);
    }
    await settled(email);
    await expectNoMore(await optimize(key, small));
  });

  it('are also those that fail while the picture is decoded', async () => {
    const email = 'broken@example.com';
    const key = await service.keyOf(email);
    for (let i = 0; i < limit; i += 1) {
      await expectProblem(await optimize(key, broken, '?format=png'), 'invalid_image');
      await settled(email);
    }
    await expectNoMore(await optimize(key, broken, '?format=png'));
  });

  it('are none of those that are charged, or were refused before they cost anything', {
    tags: 'slow',
  }, async () => {
    const email = 'charged@example.com';
    const key = await service.keyOf(email);
    for (let i = 0; i < limit + 2; i += 1) {
      expect((await optimize(key, large)).headers.get('Image-Optimized')).toBe('true');
      await expectProblem(await optimize(key, small, '?format=tiff'), 'invalid_options');
      const text = Uint8Array.from(Buffer.from('no picture'));
      await expectProblem(await optimize(key, text), 'unsupported_media_type');
      await settled(email);
    }
    expect((await optimize(key, small)).status).toBe(200);
  });
});

describe('computing time that is not charged', () => {
  const seconds = 2;

  it('is limited per mailbox and day, exactly when a hundred ask for it at once', {
    tags: 'slow',
    timeout: 120_000,
  }, async () => {
    const timed = await startTestService({ UNCHARGED_CPU_SECONDS_PER_DAY: String(seconds) });
    try {
      const email = 'busy@example.com';
      const key = await timed.keyOf(email);
      // A photo with little detail grows as a PNG.
      const photo = await plainPicture(800, 600).blur(3).jpeg({ quality: 30 }).toBuffer();
      const body = Uint8Array.from(photo);
      const call = async () => {
        const headers = { Authorization: `Bearer ${key}` };
        const path = '/v1/optimize?format=png&quality=lossless';
        const response = await timed.fetch(path, { method: 'POST', headers, body });
        await response.arrayBuffer();
        const wait = Number(response.headers.get('Retry-After') ?? 0);
        return { status: response.status, wait };
      };
      const state = async () => {
        await timed.meters.flush();
        const row = await timed.database
          .prepare(
            `SELECT uncharged_cpu AS cpu, uncharged_used AS used
             FROM users u JOIN mailboxes m ON m.id = u.mailbox_id WHERE email = ?1`,
          )
          .bind(email)
          .first<{ cpu: number; used: number }>();
        return { ...row, open: await timed.meters.inFlight() };
      };
      let answered = 0;
      for (let round = 0, isOver = false; !isOver; round += 1) {
        expect(round).toBeLessThan(40);
        const answers = await Promise.all(Array.from({ length: 100 }, call));
        expect(new Set(answers.map(({ status }) => status)).isSubsetOf(new Set([200, 429]))).toBe(
          true,
        );
        answered += answers.filter(({ status }) => status === 200).length;
        await eventually(async () => {
          expect((await state()).open).toBe(0);
        });
        expect((await state()).cpu).toBeLessThanOrEqual(1000 * seconds);
        isOver = answers.every(({ status }) => status === 429);
        // Until midnight, and not for a moment.
        if (isOver) expect(Math.min(...answers.map(({ wait }) => wait))).toBeGreaterThan(1);
      }
      const { cpu = 0, used = 0 } = await state();
      expect(used).toBe(answered);
      expect(answered).toBeGreaterThan(1);
      // The remainder is not enough to admit another one.
      expect(cpu).toBeGreaterThan(1000 * seconds - 1000);
    } finally {
      await timed.close();
    }
  });
});
