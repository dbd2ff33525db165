import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createKey, keyOf } from '../../support/client.ts';
import { plainPicture, sample } from '../../support/pictures.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { expectWireError, WireClient } from '../../support/tinify/wire-client.ts';

let service: TestService;
let photo: Uint8Array<ArrayBuffer>;
beforeAll(async () => {
  service = await startTestService({ FREE_FILES_PER_MONTH: '200' });
  photo = new Uint8Array(await plainPicture(160, 120).jpeg({ quality: 98 }).toBuffer());
});
afterAll(() => service.close());

async function clientOf(email: string): Promise<WireClient & { readonly key: string }> {
  const key = await service.keyOf(email);
  return Object.assign(new WireClient(service.url, key), { key });
}

/** Files that a key's account has used this month, according to the service's own API. */
async function used({ key }: { readonly key: string }): Promise<number> {
  const headers = { Authorization: `Bearer ${key}` };
  const response = await service.fetch('/v1/quota', { headers });
  const { free_quota } = (await response.json()) as { free_quota: { used: number } };
  return free_quota.used;
}

const countOf = ({ headers }: Response) => Number(headers.get('Compression-Count'));
const remainingOf = ({ headers }: Response) => Number(headers.get('Compression-Count-Remaining'));
const width = (pixels: number) => ({ resize: { method: 'scale', width: pixels } });

describe('a file', () => {
  it('is counted when its result is saved, once for each result', async () => {
    const client = await clientOf('saved@example.com');
    const shrunk = await client.shrink(photo);
    expect([countOf(shrunk), remainingOf(shrunk)]).toEqual([0, 200]);
    expect(await used(client)).toBe(0);
    const location = shrunk.headers.get('Location') ?? '';
    const expectations = [
      [undefined, 1],
      [undefined, 1],
      [width(50), 2],
      [width(50), 2],
      [width(60), 3],
      [{ preserve: [] }, 3],
    ] as const;
    for (const [commands, count] of expectations) {
      const response = await client.output(location, commands);
      await response.arrayBuffer();
      expect([countOf(response), remainingOf(response)]).toEqual([count, 200 - count]);
      expect(await used(client)).toBe(count);
    }
  });

  it('is not counted where only another one is made of the upload, nor where nothing was gained', async () => {
    const client = await clientOf('chain@example.com');
    const location = await client.upload(photo);
    await client.result(location, width(40));
    expect(await used(client)).toBe(1);
    const small = await client.result(await client.upload(photo));
    expect(await used(client)).toBe(2);
    const again = await client.output(await client.upload(small));
    expect((await again.arrayBuffer()).byteLength).toBe(small.length);
    expect(countOf(again)).toBe(2);
    expect(await used(client)).toBe(2);
  });

  it('is counted exactly where a hundred clients save theirs at once', {
    tags: 'slow',
    timeout: 120_000,
  }, async () => {
    const client = await clientOf('hundred@example.com');
    const save = async (_: unknown, i: number) => {
      const uploaded = await untilServed(() => client.shrink(photo));
      const location = uploaded.headers.get('Location') ?? '';
      const result = async () => {
        const commands = i % 2 ? width(70) : undefined;
        const response = await untilServed(() => client.output(location, commands));
        expect(response.status).toBe(200);
        return (await response.arrayBuffer()).byteLength;
      };
      // With a repetition of the same request, and a query of the remaining files.
      const [first] = await Promise.all([result(), result(), client.fetch('/keys/any')]);
      return first;
    };
    const lengths = await Promise.all(Array.from({ length: 100 }, save));
    expect(new Set(lengths).size).toBe(2);
    expect(await used(client)).toBe(100);
    const account = await client.fetch('/keys/any');
    expect([countOf(account), remainingOf(account)]).toEqual([100, 100]);
  });

  it('is held for its result, so that the last one can be fetched, and no more', async () => {
    const visitor = await service.signedIn('last@example.com');
    const key = keyOf(await createKey(visitor, { name: 'limited', monthly_limit: 2 }));
    const client = Object.assign(new WireClient(service.url, key), { key });
    await client.result(await client.upload(photo));
    const response = await client.shrink(photo);
    expect(response.status).toBe(201);
    const location = response.headers.get('Location') ?? '';
    const beyond = await client.shrink(photo);
    expect(beyond.headers.get('Compression-Count')).toBe('1');
    expect(beyond.headers.get('Paying-State')).toBe('free');
    expect(beyond.headers.get('Email-Address')).toBe('last@example.com');
    await expectWireError(beyond, 429, 'Too many requests');
    await client.result(location);
    // The client may have lost the response.
    await client.result(location);
    const after = await client.output(location, width(20));
    expect(after.headers.get('Compression-Count-Remaining')).toBe('0');
    await expectWireError(after, 429, 'Too many requests');
    expect(await used(client)).toBe(2);
  });
});

describe('work that is not charged', () => {
  it('is counted, whatever becomes of the request that should have fetched its result', {
    tags: 'slow',
  }, async () => {
    const strict = await startTestService({ UNCHARGED_PER_DAY: '4' });
    try {
      const client = new WireClient(strict.url, await strict.keyOf('strict@example.com'));
      const png = new Uint8Array(await plainPicture(40, 40).png().toBuffer());
      const statuses = [];
      for (let i = 0; i < 6; i += 1) {
        const response = await client.shrink(png);
        statuses.push(response.status);
        const location = response.headers.get('Location');
        if (location === null) continue;
        const refused = await client.output(location, { convert: { type: 'image/jxl' } });
        expect(refused.status).toBeGreaterThanOrEqual(400);
      }
      expect(statuses.slice(0, 3)).toEqual([201, 201, 201]);
      expect(statuses.slice(4)).toEqual([429, 429]);
    } finally {
      await strict.close();
    }
  });
});

describe('the quota of an account', () => {
  it('ends with the files of the month, in the words of Tinify', { tags: 'slow' }, async () => {
    const poor = await startTestService({ FREE_FILES_PER_MONTH: '1' });
    try {
      const client = new WireClient(poor.url, await poor.keyOf('poor@example.com'));
      const location = await client.upload(photo);
      const refused = await client.shrink(photo);
      expect(await expectWireError(refused, 429, 'Too many requests')).toBe(
        'Your monthly limit has been exceeded.',
      );
      await client.result(location);
      const validation = await client.fetch('/keys/any');
      expect(validation.status).toBe(200);
      expect([countOf(validation), remainingOf(validation)]).toEqual([1, 0]);
    } finally {
      await poor.close();
    }
  });

  it('is read without a meter before there is one', async () => {
    const client = await clientOf('unmetered@example.com');
    for (const path of ['/keys/any', '/output/any']) {
      const response = await client.fetch(path);
      expect([countOf(response), remainingOf(response)]).toEqual([0, 200]);
    }
    const row = await service.database
      .prepare(
        `SELECT metered_at FROM mailboxes
         WHERE id = (SELECT mailbox_id FROM users WHERE email = 'unmetered@example.com')`,
      )
      .first();
    expect(row).toEqual({ metered_at: null });
  });

  it('is told with every answer to a key that is known', { tags: 'slow' }, async () => {
    const client = await clientOf('told@example.com');
    const empty = await client.shrink('');
    expect([empty.status, countOf(empty), remainingOf(empty)]).toEqual([400, 0, 200]);
    const gone = await client.output('/output/gone');
    expect([gone.status, countOf(gone), remainingOf(gone)]).toEqual([404, 0, 200]);
    const wrong = await client.output(await client.upload(await sample('logo.png')), {
      convert: { type: 'image/jpeg' },
    });
    expect([wrong.status, countOf(wrong)]).toEqual([400, 0]);
  });
});

/** Repeats a request while the service is too busy, as it is for the last ones of many on a slow machine. */
async function untilServed(send: () => Promise<Response>): Promise<Response> {
  for (;;) {
    const response = await send();
    if (response.status !== 503) return response;
    await pause(1000 * Number(response.headers.get('Retry-After')));
  }
}
