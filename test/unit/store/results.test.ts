import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { withBindings } from '../../../scripts/local/database.ts';
import {
  deleteResult,
  findResult,
  type ResultHead,
  rewriteResult,
} from '../../../src/store/results.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fewerbytes-results-'));
});
afterAll(() => rm(folder, { recursive: true, maxRetries: 5 }));

const purges = { site: 0, path: 0 };

function headOf(text: string): ResultHead {
  return {
    ...{ purges, checkedAt: 1, madeAt: 1, sourceEtag: `"${text}"`, sourceModified: null },
    ...{ etag: `"${text}"`, cpuMs: 1, headers: {} },
  };
}

const put = (bucket: R2Bucket, key: string, text: string) =>
  bucket.put(key, text, { customMetadata: { head: JSON.stringify(headOf(text)) } });

/** A kept result; null if there is none. */
async function kept(RESULTS: R2Bucket, key: string) {
  const found = await findResult({ RESULTS }, key, purges);
  if (!found) return null;
  return { ...found.head, text: await new Response(found.body).text() };
}

/** A bucket in which something happens right after each object has been read. */
function interrupted(bucket: R2Bucket, happens: () => Promise<unknown>): R2Bucket {
  return new Proxy(bucket, {
    get(_, name: keyof R2Bucket) {
      if (name !== 'get') return bucket[name].bind(bucket);
      return async (key: string) => {
        const object = await bucket.get(key);
        await happens();
        return object;
      };
    },
  });
}

it('a result that is written again neither replaces a newer one nor comes back', {
  tags: 'slow',
}, async () => {
  await withBindings(folder, async ({ RESULTS: bucket }) => {
    await put(bucket, 'a', 'old');
    await rewriteResult({ RESULTS: bucket }, 'a', { checkedAt: 2 });
    expect(await kept(bucket, 'a')).toEqual({ ...headOf('old'), checkedAt: 2, text: 'old' });

    const replaced = interrupted(bucket, () => put(bucket, 'a', 'new'));
    await rewriteResult({ RESULTS: replaced }, 'a', { checkedAt: 3 });
    expect(await kept(bucket, 'a')).toEqual({ ...headOf('new'), text: 'new' });

    const deleted = interrupted(bucket, () => deleteResult({ RESULTS: bucket }, 'a'));
    await rewriteResult({ RESULTS: deleted }, 'a', { checkedAt: 4 });
    expect(await kept(bucket, 'a')).toBe(null);
  });
});
