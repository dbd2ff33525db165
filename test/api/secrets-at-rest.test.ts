import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { LocalService } from '../../scripts/local/service.ts';
import { Client, createKey, keyOf } from '../support/client.ts';
import { startLocalService } from '../support/local-service.ts';
import { StoreFile } from '../support/store-file.ts';

const email = 'at.rest@gmail.com';

let folder: string;
let service: LocalService;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'secrets-at-rest-'));
  service = await startLocalService({ stateDirectory: folder });
}, 120_000);
afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true, maxRetries: 5 });
});

/** The bytes of a store. */
function storedIn(store: 'd1' | 'kv'): Buffer {
  return Buffer.concat(StoreFile.all(folder, store).map((file) => file.bytes()));
}

it('what the service keeps on disk has no key, code or cookie in it', async () => {
  const client = new Client(service.origin);
  const code = await client.requestCode(email);
  const challenge = client.cookie('challenge');
  const hasWaitingCode = new Client(service.origin);
  const waitingCode = await hasWaitingCode.requestCode('still.waiting@gmail.com');
  expect((await client.verify(email, code)).status).toBe(200);
  const record = await createKey(client, { name: 'at-rest' });
  const site = { name: 'at-rest', slug: 'at-rest', source: 'https://images.example/' };
  const { secrets: siteSecrets } = (await (await client.post('/v1/sites', site)).json()) as {
    secrets: { secret: string }[];
  };
  expect((await client.get('/v1/me')).status).toBe(200);

  const stored = { d1: storedIn('d1'), kv: storedIn('kv') };
  // Values that are not secret are found, so these are the right bytes.
  expect(stored.d1.includes(email)).toBe(true);
  expect(stored.d1.includes(record.prefix)).toBe(true);
  expect(stored.kv.includes('session:')).toBe(true);
  expect(stored.kv.includes('code:')).toBe(true);
  expect(stored.kv.includes('site:at-rest')).toBe(true);

  const key = keyOf(record);
  const secrets = {
    key,
    'part of the key': key.slice(11, 31),
    'secret of a site': siteSecrets[0]?.secret ?? '',
    'code that was used': code,
    'code that waits': waitingCode,
    'session cookie': client.cookie('sid'),
    'device cookie': client.cookie('device'),
    'challenge cookie that was used': challenge,
    'challenge cookie that waits': hasWaitingCode.cookie('challenge'),
  };
  for (const [what, secret] of Object.entries(secrets)) {
    const bytes = Buffer.from(secret);
    // Nor any careless encoding of it.
    for (const form of [bytes, bytes.toString('base64'), bytes.toString('hex')]) {
      expect(stored.d1.includes(form), `${what} in D1`).toBe(false);
      expect(stored.kv.includes(form), `${what} in KV`).toBe(false);
    }
  }
});
