import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Client, createKey, keyOf } from '../../support/client.ts';
import { sample } from '../../support/pictures.ts';
import { RestartableService } from '../../support/restartable-service.ts';
import { WireClient } from '../../support/tinify/wire-client.ts';

let service: RestartableService;
beforeAll(async () => {
  service = await RestartableService.start();
});
afterAll(() => service.close());

/** Every byte on disk, write-ahead logs included. */
async function onDisk(): Promise<Buffer> {
  const entries = await readdir(service.stateDirectory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return Buffer.concat(
    await Promise.all(files.map(({ parentPath, name }) => readFile(join(parentPath, name)))),
  );
}

it('what has been uploaded can be fetched after everything was killed, is charged then, and cannot be read on disk', async () => {
  const visitor = new Client(service.origin);
  await visitor.signIn('killed.between@gmail.com');
  const key = keyOf(await createKey(visitor, { name: 'tinify' }));
  const client = new WireClient(service.origin, key);
  const photo = await sample('photo.jpg');
  const locations = [await client.upload(photo), await client.upload(photo)] as const;
  const unanswered = client.shrink(photo).catch(() => null);
  service.killAll();
  await unanswered;

  const stored = await onDisk();
  expect(stored.includes('output:')).toBe(true);
  for (const location of locations) expect(stored.includes(location.slice(-40))).toBe(false);
  for (const at of [0, 20_000, 400_000]) {
    expect(stored.includes(Buffer.from(photo.subarray(at, at + 24)))).toBe(false);
  }

  await service.start();
  const again = new WireClient(service.origin, key);
  const [first, second] = locations;
  const result = await again.result(first);
  expect(result.length).toBeLessThan(photo.length / 2);
  expect(stored.includes(Buffer.from(result.subarray(2000, 2024)))).toBe(false);
  await again.result(second, { convert: { type: 'image/webp' } });
  service.killAll();
  await service.start();
  expect(await again.result(first)).toEqual(result);
  const account = await again.fetch('/keys/any');
  // an answer of which the booking was lost is a file for nothing, and never one too many
  expect(Number(account.headers.get('Compression-Count'))).toBeGreaterThanOrEqual(1);
  expect(Number(account.headers.get('Compression-Count'))).toBeLessThanOrEqual(2);
}, 240_000);
