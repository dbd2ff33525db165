import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { readOutputId } from '../../../src/access/output-id.ts';
import { sample } from '../../support/pictures.ts';
import {
  type ServiceWithLaggingKv,
  startServiceWithBucket,
  startServiceWithLaggingKv,
} from '../../support/service.ts';
import { longPng, sizeOf } from '../../support/tinify/long-png.ts';
import { expectWireError, WireClient } from '../../support/tinify/wire-client.ts';
import { secretsOf, tokenSecrets } from '../../support/tokens.ts';

const small = { resize: { method: 'scale', width: 32 } };

describe('in a bucket', () => {
  let service: Awaited<ReturnType<typeof startServiceWithBucket>>;
  let client: WireClient;
  beforeAll(async () => {
    service = await startServiceWithBucket();
    client = new WireClient(service.url, service.key);
  });
  afterAll(() => service.close());

  it('images of 32 MiB are kept, sealed, and nothing in KV', {
    tags: 'slow',
    timeout: 120_000,
  }, async () => {
    const upload = await longPng(32 * 2 ** 20);
    const location = await client.upload(upload);
    expect(await sizeOf(await client.result(location))).toEqual([64, 64]);
    const shorter = await client.upload(await longPng(25 * 2 ** 20));
    expect(await sizeOf(await client.result(shorter, small))).toEqual([32, 32]);
    const output = await readOutputId(location.replace(/^.*\//, ''), secretsOf(tokenSecrets));
    const object = await service.bucket.get(`output:${output?.name}:upload`);
    const kept = Buffer.from((await object?.arrayBuffer()) ?? new ArrayBuffer(0));
    expect(kept.length).toBeGreaterThan(upload.length);
    for (const at of [0, 5000, 2 ** 20 - 8, 31 * 2 ** 20]) {
      expect(kept.includes(Buffer.from(upload.subarray(at, at + 16)))).toBe(false);
    }
    expect((await service.kv.list({ prefix: 'output:' })).keys).toEqual([]);
    const longer = await client.shrink(await longPng(32 * 2 ** 20 + 1));
    const message = await expectWireError(longer, 413, 'Request entity too large');
    expect(message).toContain('32 MiB');
  });

  it('are deleted by the clock once they are over, and no other object is', {
    tags: 'slow',
  }, async () => {
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

  it('a result that cannot be seen yet is 503, which clients repeat, and is there a little later', {
    tags: 'slow',
  }, async () => {
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
