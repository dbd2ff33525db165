import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { readOutputId } from '../../../src/access/output-id.ts';
import { plainPicture, sample } from '../../support/pictures.ts';
import {
  type ServiceWithLaggingKv,
  startServiceWithBucket,
  startServiceWithLaggingKv,
} from '../../support/service.ts';
import { expectWireError, WireClient } from '../../support/tinify/wire-client.ts';
import { secretsOf, tokenSecrets } from '../../support/tokens.ts';

const small = { resize: { method: 'scale', width: 32 } };

/** A sound PNG with noise behind its end, which is as long as that. */
async function padded(bytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const file = new Uint8Array(bytes);
  for (let at = 0; at < bytes; at += 65_536) {
    file.set(randomBytes(Math.min(65_536, bytes - at)), at);
  }
  file.set(await plainPicture(64, 64).png().toBuffer());
  return file;
}

describe('in a bucket', () => {
  let service: Awaited<ReturnType<typeof startServiceWithBucket>>;
  let client: WireClient;
  beforeAll(async () => {
    service = await startServiceWithBucket();
    client = new WireClient(service.url, service.key);
  });
  afterAll(() => service.close());

  it('images of 32 MiB are kept, sealed, and nothing in KV', async () => {
    const upload = await padded(32 * 2 ** 20);
    const location = await client.upload(upload);
    expect((await client.result(location)).length).toBeGreaterThan(60);
    const shorter = await client.upload(await padded(25 * 2 ** 20));
    expect((await client.result(shorter, small)).length).toBeGreaterThan(60);
    const output = await readOutputId(location.replace(/^.*\//, ''), secretsOf(tokenSecrets));
    const object = await service.bucket.get(`output:${output?.name}:upload`);
    const kept = Buffer.from((await object?.arrayBuffer()) ?? new ArrayBuffer(0));
    expect(kept.length).toBeGreaterThan(upload.length);
    for (const at of [0, 5000, 2 ** 20 - 8, 31 * 2 ** 20]) {
      expect(kept.includes(Buffer.from(upload.subarray(at, at + 16)))).toBe(false);
    }
    expect((await service.kv.list({ prefix: 'output:' })).keys).toEqual([]);
    const longer = await client.shrink(await padded(32 * 2 ** 20 + 1));
    const message = await expectWireError(longer, 413, 'Request entity too large');
    expect(message).toContain('32 MiB');
  }, 120_000);

  it('are deleted by the clock once they are over, and no other object is', async () => {
    await client.upload(await sample('logo.png'));
    await service.bucket.put('kept', 'of somebody else');
    const count = async () => (await service.bucket.list()).objects.length;
    const before = await count();
    await service.tidy();
    expect(await count()).toBe(before);
    await service.tidy(new Date(Date.now() + 601_000));
    const { objects } = await service.bucket.list();
    expect(objects.map(({ key }) => key)).toEqual(['kept']);
  });
});

describe('in a KV that lags behind', () => {
  let service: ServiceWithLaggingKv;
  let client: WireClient;
  beforeAll(async () => {
    service = await startServiceWithLaggingKv();
    client = new WireClient(service.url, service.key);
  });
  afterEach(() => service.lag(false));
  afterAll(() => service.close());

  it('a result that cannot be seen yet is 503, which clients repeat, and is there a little later', async () => {
    const photo = await sample('photo.jpg');
    await service.lag(true);
    const location = await client.upload(photo);
    await expectWireError(await client.output(location), 503, 'Service unavailable');
    await expectWireError(await client.output(location, small), 503, 'Service unavailable');
    await service.lag(false);
    expect((await client.result(location)).length).toBeLessThan(photo.length);
    const account = await client.fetch('/keys/any');
    expect(account.headers.get('Compression-Count')).toBe('1');
  });
});
