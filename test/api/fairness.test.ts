import { setTimeout as pause } from 'node:timers/promises';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { plainPicture } from '../support/pictures.ts';
import { Random } from '../support/random.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

function optimize(key: string, body: Uint8Array<ArrayBuffer>, query = '') {
  const headers = { Authorization: `Bearer ${key}` };
  return service.fetch(`/v1/optimize${query}`, { method: 'POST', headers, body });
}

/** Takes a second as lossless AVIF, because nothing in it repeats. */
async function hardPicture(): Promise<Uint8Array<ArrayBuffer>> {
  const [width, height] = [400, 260];
  const random = new Random(3);
  const data = Buffer.alloc(3 * width * height).map(() => random.unit() * 256);
  const png = sharp(data, { raw: { width, height, channels: 3 } }).png();
  return Uint8Array.from(await png.toBuffer());
}

describe('long work of one user', () => {
  it('lets pages in between, and another user’s image before all of it that has not begun', {
    tags: 'slow',
    timeout: 120_000,
  }, async () => {
    const hard = await hardPicture();
    const small = Uint8Array.from(await plainPicture(300, 200).jpeg({ quality: 95 }).toBuffer());
    const [attacker, other] = [
      await service.keyOf('attacker@example.com'),
      await service.keyOf('other@example.com'),
    ];
    await (await optimize(other, small)).arrayBuffer();

    const ended: string[] = [];
    const note = async (what: string, call: Promise<Response>) => {
      const response = await call;
      await response.arrayBuffer();
      ended.push(`${what} ${response.status}`);
    };
    const work = Array.from({ length: 4 }, (_, i) =>
      note(`hard ${i}`, optimize(attacker, hard, '?format=avif&quality=lossless')),
    );
    // While one is being processed, the number of requests cannot be queried.
    await pause(400);
    await Promise.all([
      ...work,
      note('small', optimize(other, small)),
      note('health', service.fetch('/v1/health')),
      note('page', service.fetch('/')),
    ]);
    const before = (what: string) => {
      const at = ended.findIndex((name) => name.startsWith(what));
      return ended.slice(0, at).filter((name) => name.startsWith('hard')).length;
    };
    expect(ended.filter((name) => name.endsWith(' 200'))).toHaveLength(7);
    // One was being processed when they arrived, and another one may have begun while they were in transit.
    for (const what of ['small', 'health', 'page']) {
      expect(before(what), `${what} of ${ended}`).toBeLessThanOrEqual(2);
    }
  });
});

describe('images of many users at once, far more than fit into memory', () => {
  it('are all answered, none of them refused', { tags: 'slow', timeout: 120_000 }, async () => {
    const large = await largeJpeg();
    const keys = await Promise.all(
      Array.from({ length: 8 }, (_, i) => service.keyOf(`crowd.${i}@example.com`)),
    );
    const statuses = await Promise.all(
      Array.from({ length: 48 }, async (_, i) => {
        const response = await optimize(keys[i % keys.length] ?? '', large);
        await response.arrayBuffer();
        return response.status;
      }),
    );
    expect(new Set(statuses)).toEqual(new Set([200]));
  });

  it('are answered in turn, so that one image waits for one of each other user', {
    tags: 'slow',
    timeout: 120_000,
  }, async () => {
    const large = await largeJpeg();
    const [crowd, single] = [
      await service.keyOf('crowd@example.com'),
      await service.keyOf('single@example.com'),
    ];
    let answered = 0;
    const others = Array.from({ length: 28 }, async () => {
      const response = await optimize(crowd, large);
      await response.arrayBuffer();
      answered += 1;
      return response.status;
    });
    await Promise.race(others);
    const response = await optimize(single, large);
    expect(response.status).toBe(200);
    expect(answered).toBeLessThan(24);
    expect(new Set(await Promise.all(others))).toEqual(new Set([200]));
  });
});

/** Quick to process: a small picture with 1.8 MB of comments. */
async function largeJpeg(): Promise<Uint8Array<ArrayBuffer>> {
  const jpeg = await plainPicture(400, 300).jpeg({ quality: 95 }).toBuffer();
  const comment = Buffer.alloc(60_002, 0x61);
  // COM, and its length including these two bytes (ITU-T T.81, B.2.4.5).
  comment.set([0xff, 0xfe, 60_000 >> 8, 60_000 & 0xff]);
  const comments = Array.from({ length: 30 }, () => comment);
  return Uint8Array.from(Buffer.concat([jpeg.subarray(0, 2), ...comments, jpeg.subarray(2)]));
}
