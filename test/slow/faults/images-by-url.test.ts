import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { completeSites } from '../../../src/store/site-upkeep.ts';
import { smallPhoto } from '../../support/pictures.ts';
import { canFindPorts } from '../../support/processes.ts';
import { Random } from '../../support/random.ts';
import { eventually } from '../../support/time.ts';
import { counted, DeliveringFaults, type SiteRecord } from './delivering.ts';

const email = 'images@gmail.com';

let faults: DeliveringFaults;
/** Pictures of different widths, in the order of their width. */
let photos: readonly Uint8Array<ArrayBuffer>[];
const widths = [240, 250, 260, 270];

beforeAll(async () => {
  photos = await Promise.all(widths.map((width) => smallPhoto(width)));
  faults = await DeliveringFaults.start(email);
}, 240_000);
afterAll(() => faults.close(), 60_000);

/** Serves pictures of a site, after a while. */
function serve(path: string, delay = 0, version = 0): void {
  faults.foreign.on(path, async (response) => {
    await pause(delay);
    response.writeHead(200).end(photos[version]);
  });
}

/** An answer that has come whole. */
interface Whole {
  readonly status: number;
  readonly etag: string | null;
  readonly width: number;
  readonly error: string | null;
}

/** @throws Error if what has come is not what its entity tag says */
async function whole(response: Response): Promise<Whole> {
  const bytes = Buffer.from(await response.arrayBuffer());
  const { status, headers } = response;
  const etag = headers.get('ETag');
  if (status === 200) {
    const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 32);
    expect(etag).toBe(`"${hash}"`);
  }
  const [width, error] = [headers.get('Image-Width'), headers.get('Image-Error')];
  return { status, etag, width: Number(width), error };
}

/** The statuses of answers, and their entity tags, each once. */
const seen = (answers: readonly Whole[]) => ({
  statuses: counted(answers),
  etags: new Set(answers.map(({ etag }) => etag)).size,
});

const purge = async ({ id }: SiteRecord, body: object = {}) => {
  const response = await faults.owner.post(`/v1/sites/${id}/purge`, body);
  expect(response.status).toBe(200);
};

/** Three quarters of an hour later. */
const expireAll = () => {
  const expire = 'UPDATE lanes SET expires_at = 0 WHERE reservation IS NOT NULL';
  for (const meter of faults.service.meters) meter.open((file) => file.exec(expire));
};

describe.skipIf(!canFindPorts)('images by URL', () => {
  it('that 1,000 requests ask for at once are made once and charged once', async () => {
    const site = await faults.site('thousand', { on_error: 'original' });
    serve('/thousand/a.jpg', 500);
    const before = await faults.books();
    const get = await faults.direct();
    const answers = await Promise.all(
      Array.from({ length: 1000 }, async () => whole(await get('/i/thousand/w_200/a.jpg'))),
    );
    // Beyond 20 seconds, on a busy machine: the original.
    const made = answers.filter(({ status }) => status === 200);
    expect(made.length + (seen(answers).statuses[302] ?? 0)).toBe(1000);
    expect(made.length).toBeGreaterThan(0);
    expect(seen(made).etags).toBe(1);
    expect(faults.fetches('/thousand/a.jpg')).toBe(1);
    const { made: results, charged } = await faults.books();
    expect([results - before.made, charged - before.charged]).toEqual([1, 1]);
    expect(await faults.monthUsed(site.id)).toBe(1);
    expect(faults.complaints()).toEqual([]);
  });

  it('of 100 results, ten requests for each, are each made once and charged once', async () => {
    const site = await faults.site('hundred', { on_error: 'original' });
    const before = await faults.books();
    const paths = Array.from({ length: 100 }, (_, i) => `${i}.jpg`);
    for (const path of paths) serve(`/hundred/${path}`, 50);
    const get = await faults.direct();
    const all = paths.flatMap((path) => Array.from({ length: 10 }, () => path));
    const goals = ['w_120', 'm_3000', 't_high', 'q_60'];
    const ask = async (path: string) => {
      const goal = goals[Number.parseInt(path, 10) % goals.length];
      return whole(await get(`/i/hundred/${goal},f_jpeg/${path}`));
    };
    const answers = await Promise.all(all.map(ask));
    const { statuses } = seen(answers);
    expect((statuses[200] ?? 0) + (statuses[302] ?? 0)).toBe(1000);
    // Those that were busy then are made now.
    for (const path of paths) expect((await ask(path)).status).toBe(200);
    const { made, charged } = await faults.books();
    expect([made - before.made, charged - before.charged]).toEqual([100, 100]);
    expect(await faults.monthUsed(site.id)).toBe(100);
    expect(faults.complaints()).toEqual([]);
  });

  it('reach the limit of a month exactly, whoever asks', async () => {
    const site = await faults.site('limited', { monthly_limit: 30, on_error: 'original' });
    const before = await faults.books();
    const paths = Array.from({ length: 100 }, (_, i) => `${i}.jpg`);
    for (const path of paths) serve(`/limited/${path}`, 100);
    const get = await faults.direct();
    const ask = async (path: string) => whole(await get(`/i/limited/w_100/${path}`));
    const answers = await Promise.all(paths.map(ask));
    expect(seen(answers).statuses).toEqual({ 200: 30, 302: 70 });
    const refused = answers.filter(({ status }) => status === 302);
    expect(new Set(refused.map(({ error }) => error))).toEqual(new Set(['site_limit_exceeded']));
    const { made, charged } = await faults.books();
    expect([made - before.made, charged - before.charged]).toEqual([30, 30]);
    expect(await faults.monthUsed(site.id)).toBe(30);
  });

  it('whose clients leave are made for those who wait, and for nobody else', async () => {
    await faults.site('leaving');
    const random = new Random(71);
    const before = await faults.books();
    const get = await faults.direct();
    for (let round = 0; round < 6; round += 1) {
      const path = `${round}.jpg`;
      serve(`/leaving/${path}`, 300);
      const ask = (signal?: AbortSignal) => get(`/i/leaving/w_200/${path}`, signal);
      const leaving = Array.from({ length: 20 }, () => new AbortController());
      const gone = leaving.map(({ signal }) =>
        ask(signal)
          .then(whole)
          .catch(() => null),
      );
      await pause(20);
      const staying = round % 2 === 0 ? [] : Array.from({ length: 5 }, () => ask().then(whole));
      for (const one of leaving) {
        await pause(random.between(0, 40));
        one.abort();
      }
      await Promise.all(gone);
      for (const answer of await Promise.all(staying)) expect(answer.status).toBe(200);
      const { status } = await whole(await ask());
      expect(status).toBe(200);
    }
    const { made, charged } = await faults.books();
    expect(charged - before.charged).toBe(6);
    expect(made - before.made).toBe(6);
    expect(faults.complaints()).toEqual([]);
  });

  it('that take longer than 20 seconds are not waited for, and are kept for those who come later', async () => {
    const site = await faults.site('long');
    const picture = await smallPhoto(4000);
    faults.foreign.on('/long/a.jpg', async (response) => {
      await pause(12_000);
      response.writeHead(200).end(picture);
    });
    const before = await faults.books();
    const get = await faults.direct();
    const ask = async () => {
      const began = Date.now();
      const answer = await whole(await get('/i/long/f_avif/a.jpg'));
      return { ...answer, seconds: (Date.now() - began) / 1000 };
    };
    const first = ask();
    await pause(500);
    const others = await Promise.all(Array.from({ length: 20 }, ask));
    // Work that does not pause may keep some waiting until it is there.
    const busy = others.filter(({ status }) => status !== 200);
    expect(busy.length).toBeGreaterThan(0);
    expect(new Set(busy.map(({ status }) => status))).toEqual(new Set([503]));
    for (const { seconds } of busy) expect(seconds).toBeGreaterThan(19);
    expect((await first).status).toBe(200);
    expect((await ask()).status).toBe(200);
    expect(faults.fetches('/long/a.jpg')).toBe(1);
    const { made, charged } = await faults.books();
    expect([made - before.made, charged - before.charged]).toEqual([1, 1]);
    expect(await faults.monthUsed(site.id)).toBe(1);
  });

  it('from before a purge are never served again, and nothing is mixed', async () => {
    const site = await faults.site('purged');
    let version = 0;
    faults.foreign.on('/purged/a.jpg', async (response) => {
      const photo = photos[version % photos.length];
      await pause(300);
      response.writeHead(200).end(photo);
    });
    const get = await faults.direct();
    const ask = async () => whole(await get('/i/purged/f_jpeg/a.jpg'));
    const random = new Random(72);
    const late: Promise<Whole>[] = [];
    for (let round = 1; round < 10; round += 1) {
      late.push(...Array.from({ length: 5 }, ask));
      await pause(random.between(0, 500));
      // Two purges while a result is being made, of the path and of the site in turn.
      await purge(site, round % 2 === 0 ? {} : { paths: ['a.jpg'] });
      late.push(ask());
      version = round;
      await purge(site, round % 3 === 0 ? {} : { paths: ['a.jpg'] });
      const answers = await Promise.all([ask(), ask(), ask()]);
      const width = widths[round % widths.length];
      expect(answers.map((answer) => answer.width)).toEqual([width, width, width]);
    }
    for (const { status } of await Promise.all(late)) expect(status).toBe(200);
    expect((await ask()).width).toBe(widths[9 % widths.length]);
  });

  it.each([
    ['ETag', (version: number) => ({ ETag: `"${version}"` })],
    [
      'Last-Modified',
      (version: number) => ({
        'Last-Modified': new Date(Date.UTC(2026, 0, 1 + version)).toUTCString(),
      }),
    ],
    ['neither', () => ({})],
  ])('of a source that has changed are made anew, by %s', async (name, headersOf) => {
    const slug = `changing-${name.toLowerCase()}`;
    const site = await faults.site(slug, { cache_seconds: 60 });
    let version = 0;
    let compared = 0;
    faults.foreign.on(`/${slug}/a.jpg`, async (response, { headers }) => {
      const own: Record<string, string> = headersOf(version);
      const photo = photos[version];
      const isKnown =
        (own.ETag !== undefined && headers['if-none-match'] === own.ETag) ||
        (own['Last-Modified'] !== undefined &&
          headers['if-modified-since'] === own['Last-Modified']);
      if (isKnown) compared += 1;
      // It may change while it is being sent.
      await pause(100);
      response.writeHead(isKnown ? 304 : 200, own).end(isKnown ? undefined : photo);
    });
    const get = await faults.direct();
    const ask = async () => whole(await get(`/i/${slug}/f_jpeg/a.jpg`));
    expect((await ask()).width).toBe(widths[0]);
    await olderBy(61, site);
    expect((await ask()).width).toBe(widths[0]);
    if (name !== 'neither') await eventually(async () => expect(compared).toBe(1));
    version = 1;
    // Fresh: the change is not seen.
    await eventually(async () => expect((await ask()).width).toBe(widths[0]));
    await olderBy(61, site);
    await Promise.all(Array.from({ length: 10 }, ask));
    await eventually(async () => expect((await ask()).width).toBe(widths[1]));
    version = 2;
    await olderBy(25 * 60 * 60, site);
    const answers = await Promise.all(Array.from({ length: 10 }, ask));
    expect(new Set(answers.map(({ width }) => width))).toEqual(new Set([widths[2]]));
  });

  it('of a site that is deleted meanwhile leave nothing behind', async () => {
    const site = await faults.site('deleted', { on_error: 'original' });
    const paths = Array.from({ length: 10 }, (_, i) => `${i}.jpg`);
    for (const path of paths) serve(`/deleted/${path}`, 1500);
    const get = await faults.direct();
    const ask = async (path: string) => whole(await get(`/i/deleted/w_100/${path}`));
    const answers = paths.map(ask);
    await pause(700);
    const removed = await faults.owner.delete(`/v1/sites/${site.id}`, {});
    expect(removed.status).toBe(200);
    for (const { status } of await Promise.all(answers)) expect([200, 302]).toContain(status);
    expect((await ask('0.jpg')).status).toBe(404);
    await faults.books();
    const { service } = faults;
    const hour = 60 * 60 * 1000;
    service.database.open((file) =>
      file
        .prepare(`UPDATE sites SET unswept_since = unswept_since - ${hour} WHERE id = ?`)
        .run(site.id),
    );
    await service.bindings(async (env) => {
      await completeSites(env);
      expect((await env.RESULTS.list({ prefix: `${site.id}/` })).objects).toEqual([]);
    });
    const row = service.database.open((file) =>
      file.prepare('SELECT unswept_since FROM sites WHERE id = ?').get(site.id),
    );
    expect(row?.unswept_since).toBe(null);
    expect(faults.complaints()).toEqual([]);
  });

  it('are whole after kills, and no more are charged than were made', async () => {
    const site = await faults.site('killed', { on_error: 'original' });
    const before = await faults.books();
    const paths = Array.from({ length: 30 }, (_, i) => `${i}.jpg`);
    for (const path of paths) serve(`/killed/${path}`, 30);
    const random = new Random(73);
    let lost = 0;
    for (let round = 0; round < 4; round += 1) {
      const get = await faults.direct();
      const ask = (path: string) =>
        get(`/i/killed/w_${100 + round}/${path}`)
          .then(whole)
          .catch(() => null);
      let answered = 0;
      const answers = paths
        .flatMap((path) => [path, path, path])
        .map(async (path) => {
          const answer = await ask(path);
          answered += 1;
          return answer;
        });
      const enough = random.between(1, 60);
      await eventually(async () => expect(answered).toBeGreaterThanOrEqual(enough));
      const isWhole = round % 2 === 1 || !faults.service.killRuntime();
      if (isWhole) faults.service.killAll();
      lost += (await Promise.all(answers)).filter((answer) => answer === null).length;
      if (isWhole) {
        expireAll();
        await faults.service.start();
      }
      await eventually(async () => {
        const again = await faults.direct();
        expect((await again('/v1/health')).status).toBe(200);
      }, 60_000);
    }
    expect(lost).toBeGreaterThan(0);
    const get = await faults.direct();
    for (let round = 0; round < 4; round += 1) {
      const all = paths.map(async (path) => {
        await eventually(async () => {
          const { status } = await whole(await get(`/i/killed/w_${100 + round}/${path}`));
          expect(status).toBe(200);
        });
      });
      await Promise.all(all);
    }
    faults.service.killAll();
    expireAll();
    await faults.service.start();
    const after = await faults.books();
    const [made, charged] = [after.made - before.made, after.charged - before.charged];
    expect(charged).toBeLessThanOrEqual(4 * paths.length);
    expect(charged).toBeLessThanOrEqual(made);
    const fetches = paths.reduce((sum, path) => sum + faults.fetches(`/killed/${path}`), 0);
    expect(made).toBeLessThanOrEqual(fetches);
    expect(await faults.monthUsed(site.id)).toBe(made);
    expect(faults.complaints()).toEqual([]);
  });

  it('of an account that is deleted meanwhile are served no more', async () => {
    serve('/gone/a.jpg', 1000);
    await faults.site('gone', { on_error: 'original' });
    const get = await faults.direct();
    const late = get('/i/gone/w_100/a.jpg').then(whole);
    await pause(300);
    const me = await faults.owner.delete('/v1/me', { confirm: email });
    expect(me.status, await me.text()).toBe(200);
    expect([200, 302]).toContain((await late).status);
    expect((await whole(await get('/i/gone/w_100/a.jpg'))).status).toBe(404);
    await eventually(async () => expect(faults.service.reserved()).toBe(0));
    expect(faults.complaints()).toEqual([]);
  });
});

/** Lets the kept results of a site grow older by this many seconds. */
async function olderBy(seconds: number, site: SiteRecord): Promise<void> {
  await faults.service.bindings(async ({ RESULTS }) => {
    const { objects } = await RESULTS.list({ prefix: `${site.id}/` });
    for (const { key } of objects) {
      const object = await RESULTS.get(key);
      if (!object) continue;
      const head = JSON.parse(object.customMetadata?.head ?? '{}') as { checkedAt: number };
      head.checkedAt -= 1000 * seconds;
      const customMetadata = { head: JSON.stringify(head) };
      await RESULTS.put(key, await object.arrayBuffer(), { customMetadata });
    }
  });
}
