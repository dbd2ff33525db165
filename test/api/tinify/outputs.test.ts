import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  issueOutputId,
  newOutput,
  newOutputRandom,
  readOutputId,
} from '../../../src/access/output-id.ts';
import { sealFile } from '../../../src/store/sealed-file.ts';
import { demandingPicture, demandingQuery, sample } from '../../support/pictures.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { longPng, sizeOf } from '../../support/tinify/long-png.ts';
import { expectWireError, WireClient } from '../../support/tinify/wire-client.ts';
import { secretsOf, tokenSecrets } from '../../support/tokens.ts';

const secrets = secretsOf(tokenSecrets);

let service: TestService;
let client: WireClient;
let photo: Uint8Array<ArrayBuffer>;
beforeAll(async () => {
  service = await startTestService();
  client = new WireClient(service.url, service.key);
  photo = await sample('photo.jpg');
});
afterAll(() => service.close());

const idIn = (location: string) => location.replace(/^.*\//, '');

function expectGone(response: Response): Promise<string> {
  return expectWireError(response, 404, 'Not found');
}

describe('an output', () => {
  it('can be fetched again and again, by each of the methods, and starts from the upload', async () => {
    const location = await client.upload(photo);
    const first = await client.result(location);
    expect(first.length).toBeLessThan(photo.length / 2);
    expect(await client.result(location)).toEqual(first);
    const emptyPost = await client.fetch(location, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json, multipart/form-data' },
    });
    expect(new Uint8Array(await emptyPost.arrayBuffer())).toEqual(first);
    const small = { resize: { method: 'fit', width: 300, height: 300 } };
    const response = await service.optimize(photo, '?width=300&height=300');
    const direct = new Uint8Array(await response.arrayBuffer());
    expect(await client.result(location, small)).toEqual(direct);
  });

  it('is not found under a guessed id, nor under a changed one', { tags: 'slow' }, async () => {
    const location = await client.upload(photo);
    const id = idIn(location);
    for (const guess of [
      '',
      'a',
      'out_',
      'x'.repeat(4000),
      `${id}0`,
      id.slice(0, -1),
      id.slice(4),
    ]) {
      const response = await client.output(`/output/${guess}`);
      expect(response.status, guess).toBe(404);
    }
    for (let at = 0; at < id.length; at += 7) {
      const changed = id.slice(0, at) + (id[at] === 'a' ? 'b' : 'a') + id.slice(at + 1);
      await expectGone(await client.output(`/output/${changed}`));
      await expectGone(await client.output(`/output/${changed}`, { convert: { type: '*/*' } }));
    }
    expect((await client.output(location)).status).toBe(200);
  });

  it('is not found by another account, nor by another spelling of its mailbox', {
    tags: 'slow',
  }, async () => {
    const location = await client.upload(photo);
    for (const email of ['other@example.com', 'so.me.one@gmail.com']) {
      const stranger = new WireClient(service.url, await service.keyOf(email));
      await expectGone(await stranger.output(location));
      await expectGone(await stranger.output(location, { resize: { method: 'scale', width: 9 } }));
    }
    const owner = new WireClient(service.url, await service.keyOf('someone@gmail.com'));
    const alias = new WireClient(service.url, await service.keyOf('some.one@gmail.com'));
    const theirs = await owner.upload(photo);
    await expectGone(await alias.output(theirs));
    expect((await owner.output(theirs)).status).toBe(200);
  });

  it('is fetched by any key of its account', { tags: 'slow' }, async () => {
    const first = new WireClient(service.url, await service.keyOf('two.keys@example.com'));
    const location = await first.upload(photo);
    const second = new WireClient(service.url, await service.keyOf('two.keys@example.com'));
    expect((await second.output(location)).status).toBe(200);
  });

  it('is not found after ten minutes, though it is still kept', { tags: 'slow' }, async () => {
    const { userId = '' } = (await readOutputId(idIn(await client.upload(photo)), secrets)) ?? {};
    /** An output that was issued this many seconds ago, with all its parts stored. */
    const issuedAgo = async (seconds: number, isKept = true) => {
      const output = await newOutput(newOutputRandom(), userId);
      for (const kind of isKept ? (['upload', 'result'] as const) : []) {
        const head = { type: 'jpeg', width: 1600, height: 1067, bytesIn: 2 * photo.length };
        const pieces: Uint8Array[] = [];
        for await (const piece of sealFile(photo, head, { key: output.key, kind }))
          pieces.push(piece);
        const options = { expirationTtl: 300 };
        await service.kv.put(`output:${output.name}:${kind}`, Buffer.concat(pieces), options);
      }
      const now = Date.now() - 1000 * seconds;
      return `/output/${await issueOutputId(output, { mark: '0', now }, secrets)}`;
    };
    const scaled = { resize: { method: 'scale', width: 20 } };
    const young = await issuedAgo(590);
    expect(await client.result(young)).toEqual(photo);
    expect((await client.output(young, scaled)).status).toBe(200);
    for (const seconds of [602, 100_000]) {
      const old = await issuedAgo(seconds);
      await expectGone(await client.output(old));
      await expectGone(await client.output(old, scaled));
    }
    await expectGone(await client.output(await issuedAgo(62, false)));
    const unseen = await client.output(await issuedAgo(5, false));
    await expectWireError(unseen, 503, 'Service unavailable');
  });

  it('expires by itself within ten minutes, and only its kind is readable', {
    tags: 'slow',
  }, async () => {
    const location = await client.upload(photo);
    const { keys } = await service.kv.list({ prefix: 'output:' });
    expect(keys.length).toBeGreaterThanOrEqual(2);
    for (const { name, expiration = Infinity, metadata } of keys) {
      expect(name).toMatch(/^output:[0-9a-f]{64}:(upload|result)$/);
      expect(expiration - Date.now() / 1000).toBeLessThanOrEqual(600);
      expect(metadata ?? null).toBe(null);
    }
    const output = await readOutputId(idIn(location), secrets);
    for (const part of ['upload', 'result']) {
      const kept = await service.kv.get(`output:${output?.name}:${part}`, 'arrayBuffer');
      const bytes = Buffer.from(kept ?? new ArrayBuffer(0));
      expect(bytes.length).toBeGreaterThan(1000);
      for (const word of ['JFIF', '"length"', 'jpeg', output?.userId ?? '?']) {
        expect(bytes.includes(word), word).toBe(false);
      }
      // No part of the plain file, wherever it is stored.
      expect(bytes.includes(Buffer.from(photo.subarray(5000, 5016)))).toBe(false);
    }
  });

  it('that nothing comes of leaves nothing behind', async () => {
    const before = (await service.kv.list({ prefix: 'output:' })).keys.length;
    const broken = photo.slice();
    broken.fill(0xd9, 3000, 300_000);
    const response = await client.shrink(broken);
    await expectWireError(response, 422, 'Decode error');
    await expect
      .poll(async () => (await service.kv.list({ prefix: 'output:' })).keys.length)
      .toBe(before);
  });

  it('is not what HEAD asks for', { tags: 'slow' }, async () => {
    const location = await client.upload(photo);
    const response = await client.fetch(location, { method: 'HEAD' });
    expect([response.status, response.headers.get('Allow')]).toEqual([405, 'GET, POST, OPTIONS']);
  });
});

describe('uploads', () => {
  it('of 24 MiB are kept, also where the arena has grown, and longer ones refused', {
    tags: 'slow',
    timeout: 120_000,
  }, async () => {
    expect((await service.optimize(await demandingPicture(), demandingQuery)).status).toBe(200);
    const size = 24 * 2 ** 20;
    const location = await client.upload(await longPng(size));
    expect(await sizeOf(await client.result(location))).toEqual([64, 64]);
    const smaller = await client.result(location, { resize: { method: 'scale', width: 32 } });
    expect(await sizeOf(smaller)).toEqual([32, 32]);
    const message = await expectWireError(
      await client.shrink(await longPng(size + 1)),
      413,
      'Request entity too large',
    );
    expect(message).toContain('24 MiB');
  });
});
