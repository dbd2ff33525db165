import { mkdtempSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FolderBucket } from '../../../../src/node/storage/bucket.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bucket-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const kilobyte = 'x'.repeat(1000);

/** A bucket of objects of a little more than a kilobyte; each was written so many minutes ago. */
async function bucketOf(ages: Readonly<Record<string, number>>): Promise<FolderBucket> {
  const bucket = new FolderBucket(folder);
  for (const [key, age] of Object.entries(ages)) {
    await bucket.put(key, kilobyte);
    const then = Date.now() / 1000 - 60 * age;
    utimesSync(`${join(folder, ...key.split('/'))}.object`, then, then);
  }
  return bucket;
}

async function keysIn(bucket: FolderBucket): Promise<string[]> {
  const { objects } = await bucket.list({ prefix: '', limit: 100 });
  return objects.map(({ key }) => key);
}

const ages = { 'site_1/a/x': 90, 'site_1/a/y': 10, 'site_1/b/x': 40, 'site_2/a/x': 20 };

describe('a bucket that may take so much', () => {
  it.each<[number, readonly string[]]>([
    [10_000, ['site_1/a/x', 'site_1/a/y', 'site_1/b/x', 'site_2/a/x']],
    [3900, ['site_1/a/y', 'site_1/b/x', 'site_2/a/x']],
    [2500, ['site_1/a/y', 'site_2/a/x']],
    [500, []],
    [0, []],
  ])('of %i bytes keeps the objects that were written last', async (bytes, kept) => {
    const bucket = await bucketOf(ages);
    await bucket.keepWithin(bytes);
    expect(await keysIn(bucket)).toEqual(kept);
    // Folders go with what was in them.
    const sites = new Set(kept.map((key) => key.split('/')[0]));
    expect(readdirSync(folder).filter((name) => name !== '.unfinished')).toEqual([...sites]);
  });

  it('keeps none of a minute that does not fit as a whole', async () => {
    const bucket = await bucketOf({ a: 5, b: 5, c: 1 });
    await bucket.keepWithin(2500);
    expect(await keysIn(bucket)).toEqual(['c']);
  });
});
