import sharp from 'sharp';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { findResult, type ResultHead } from '../../src/store/results.ts';
import {
  type DeliveringService,
  type Site,
  startDeliveringService,
} from '../support/delivering-service.ts';
import { plainPicture } from '../support/pictures.ts';

const day = 24 * 60 * 60;

let service: DeliveringService;
let site: Site;
let count = 0;
/** A path of the source that no other test uses. */
let name: string;

beforeAll(async () => {
  service = await startDeliveringService();
}, 180_000);
afterAll(() => service.close());
beforeEach(async () => {
  count += 1;
  name = `${count}.jpg`;
  site = await service.site(`kept-${count}`, { cache_seconds: 3600 });
  await serve(100, '"a"');
});

/** Has the source answer with a picture of this width, which it says is of this version. */
async function serve(width: number, version: string): Promise<void> {
  const bytes = await plainPicture(width, 60).jpeg({ quality: 95 }).toBuffer();
  service.foreign.on(`/${name}`, (response, { headers }) => {
    const isKnown = headers['if-none-match'] === version;
    response.writeHead(isKnown ? 304 : 200, { ETag: version }).end(isKnown ? undefined : bytes);
  });
}

const asked = () => service.foreign.asked.filter(({ url }) => url?.startsWith(`/${name}`));
const get = (options = 'f_webp') => service.get(`/i/${site.slug}/${options}/${name}`);

async function widthOf(response: Response): Promise<number | undefined> {
  expect(response.status, response.headers.get('Image-Error') ?? '').toBe(200);
  return (await sharp(Buffer.from(await response.arrayBuffer())).metadata()).width;
}

/** Changes what is stored beside the kept results of the site, once there are any: they are kept while they are sent. */
async function change(changes: (head: ResultHead) => Partial<ResultHead>): Promise<void> {
  await expect.poll(keysKept).not.toEqual([]);
  await service.bindings(async (env) => {
    const { objects } = await env.RESULTS.list({ prefix: `${site.id}/` });
    for (const { key } of objects) {
      const kept = await findResult(env, key, { site: 0, path: 0 });
      if (!kept) continue;
      const bytes = await new Response(kept.body).arrayBuffer();
      const head = JSON.stringify({ ...kept.head, ...changes(kept.head) });
      await env.RESULTS.put(key, bytes, { customMetadata: { head } });
    }
  });
}

/** Lets the kept results of the site grow older by this many seconds. */
const age = (seconds: number) =>
  change(({ checkedAt }) => ({ checkedAt: checkedAt - 1000 * seconds }));

const keysKept = () =>
  service.bindings(async (env) =>
    (await env.RESULTS.list({ prefix: `${site.id}/` })).objects.map(({ key }) => key),
  );

/** Files charged to the account this month, and results that the site has made. */
async function used() {
  const me = await (await service.owner.get('/v1/me')).json<{ free_quota: { used: number } }>();
  const sites = await (await service.owner.get('/v1/sites')).json<{
    items: { id: string; month_used: number }[];
  }>();
  const made = sites.items.find(({ id }) => id === site.id)?.month_used;
  return { charged: me.free_quota.used, made };
}

async function eventually<Value>(read: () => Promise<Value>, wanted: Value): Promise<void> {
  await expect.poll(read, { interval: 100 }).toEqual(wanted);
}

describe('a result', () => {
  it('that 200 requests ask for at once is made once and charged once, and all of them get it', {
    tags: 'slow',
  }, async () => {
    const { charged } = await used();
    const responses = await Promise.all(Array.from({ length: 200 }, () => get()));
    const etags = responses.map(({ status, headers }) => `${status} ${headers.get('ETag')}`);
    expect(new Set(etags).size).toBe(1);
    expect(etags[0]).toMatch(/^200 "/);
    for (const response of responses) expect(await widthOf(response)).toBe(100);
    expect(asked()).toHaveLength(1);
    await eventually(used, { charged: charged + 1, made: 1 });
    expect(await keysKept()).toHaveLength(1);
  });

  it('is found again without the source, and costs nothing', async () => {
    const first = await get();
    const { charged } = await used();
    await first.arrayBuffer();
    await age(1800);
    const again = await get();
    expect(again.headers.get('ETag')).toBe(first.headers.get('ETag'));
    expect(Number(again.headers.get('Age'))).toBeGreaterThanOrEqual(1800);
    expect(again.headers.get('Cache-Control')).toContain('max-age=3600');
    expect(asked()).toHaveLength(1);
    expect((await used()).made).toBe(1);
    expect((await used()).charged - charged).toBeLessThanOrEqual(1);
  });

  it('that is stale is sent at once, and is fresh again if the source has not changed', {
    tags: 'slow',
  }, async () => {
    const first = await get();
    await age(3600 + 60);
    const stale = await get();
    expect(stale.headers.get('ETag')).toBe(first.headers.get('ETag'));
    expect(stale.headers.get('Cache-Control')).toBe(
      `public, max-age=60, stale-while-revalidate=${day}`,
    );
    await eventually(
      async () => (await get()).headers.get('Cache-Control'),
      `public, max-age=3600, stale-while-revalidate=${day}`,
    );
    expect(asked().map(({ headers }) => headers['if-none-match'])).toEqual([undefined, '"a"']);
    await eventually(async () => (await used()).made, 1);
  });

  it('that is stale is made again behind, if the source has changed', {
    tags: 'slow',
  }, async () => {
    expect(await widthOf(await get())).toBe(100);
    await age(3600 + 60);
    await serve(80, '"b"');
    expect(await widthOf(await get())).toBe(100);
    await eventually(async () => widthOf(await get()), 80);
    // The same result of the same month.
    const { charged } = await used();
    await eventually(used, { charged, made: 2 });
  });

  it('that is older is compared with its source before it is sent', { tags: 'slow' }, async () => {
    expect(await widthOf(await get())).toBe(100);
    await age(3600 + day + 60);
    expect(await widthOf(await get())).toBe(100);
    expect(asked()).toHaveLength(2);
    await age(3600 + day + 60);
    await serve(80, '"b"');
    expect(await widthOf(await get())).toBe(80);
  });

  it('whose making takes long is made again before it is sent, and served for a day without its source', {
    tags: 'slow',
  }, async () => {
    expect(await widthOf(await get())).toBe(100);
    await change(({ checkedAt }) => ({ cpuMs: 25_000, checkedAt: checkedAt - 3_700_000 }));
    service.foreign.on(`/${name}`, (response) => response.destroy());
    expect(await widthOf(await get())).toBe(100);
    await age(day);
    expect((await get()).headers.get('Image-Error')).toBe('source_fetch_failed');
    await serve(80, '"b"');
    expect(await widthOf(await get())).toBe(80);
  });

  it('whose source has gone is deleted, once it is looked for', { tags: 'slow' }, async () => {
    await widthOf(await get());
    await age(3600 + 60);
    service.foreign.on(`/${name}`, (response) => response.writeHead(410).end());
    expect(await widthOf(await get())).toBe(100);
    await eventually(keysKept, []);
    expect((await get()).status).toBe(410);
  });

  it('that was purged is not served again', async () => {
    await widthOf(await get());
    await serve(80, '"b"');
    expect(await widthOf(await get())).toBe(100);
    const path = `/v1/sites/${site.id}/purge`;
    expect((await service.owner.post(path, { paths: [name] })).ok).toBe(true);
    expect(await widthOf(await get())).toBe(80);
    await serve(60, '"c"');
    expect((await service.owner.post(path)).ok).toBe(true);
    expect(await widthOf(await get())).toBe(60);
  });

  it('is not made past the limit of its site, but served if it is kept', {
    tags: 'slow',
  }, async () => {
    await widthOf(await get());
    const limit = { monthly_limit: 1 };
    expect((await service.owner.patch(`/v1/sites/${site.id}`, limit)).status).toBe(200);
    const other = await get('f_jpg');
    expect([other.status, other.headers.get('Image-Error')]).toEqual([302, 'site_limit_exceeded']);
    await age(3600 + day + 60);
    expect(await widthOf(await get())).toBe(100);
  });

  it('is made for others although its own client leaves', { tags: 'slow' }, async () => {
    let answer = () => {};
    const picture = await plainPicture(70, 60).jpeg().toBuffer();
    service.foreign.on(`/${name}`, (response) => {
      answer = () => response.writeHead(200).end(picture);
    });
    const leaving = new AbortController();
    const path = `/i/${site.slug}/f_webp/${name}`;
    const left = service.get(path, {}, { signal: leaving.signal }).catch(() => null);
    await eventually(async () => asked().length, 1);
    const others = Array.from({ length: 3 }, () => get());
    await new Promise((resolve) => setTimeout(resolve, 500));
    leaving.abort();
    await left;
    await new Promise((resolve) => setTimeout(resolve, 1500));
    answer();
    for (const other of await Promise.all(others)) expect(await widthOf(other)).toBe(70);
  });
});

it('a result that nobody has asked for in a month is deleted', { tags: 'slow' }, async () => {
  await widthOf(await get());
  const hour = 60 * 60 * 1000;
  const isLookedAt = (time: number) =>
    (Math.floor(time / hour) % 16).toString(16) === site.id.slice('site_'.length)[0];
  const tidy = async (days: number) => {
    let time = Date.now() + 24 * days * hour;
    while (!isLookedAt(time)) time += hour;
    await service.tidy(new Date(time));
  };
  await expect.poll(keysKept).toHaveLength(1);
  await tidy(29);
  expect(await keysKept()).toHaveLength(1);
  await tidy(30);
  expect(await keysKept()).toEqual([]);
});
