import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { z } from 'zod';
import type { siteRecord } from '../../src/routes/sites/described-site.ts';
import { siteRecord as storedRecord } from '../../src/store/site-record.ts';
import { expectProblem } from '../support/answers.ts';
import type { Client } from '../support/client.ts';
import { sharedTestService, type TestService } from '../support/service.ts';

type Site = z.infer<typeof siteRecord>;

const source = 'https://images.example/';

let service: TestService;
let client: Client;
beforeAll(async () => {
  service = await sharedTestService();
  client = await service.signedIn('sites@example.com');
});
afterAll(() => service.close());

async function siteIn(response: Response, status: 200 | 201): Promise<Site> {
  const text = await response.text();
  expect(response.status, text).toBe(status);
  return JSON.parse(text) as Site;
}

async function createSite(owner: Client, body: Record<string, unknown>): Promise<Site> {
  return siteIn(await owner.post('/v1/sites', { name: 'Shop', source, ...body }), 201);
}

async function listSites(owner: Client): Promise<readonly Site[]> {
  const response = await owner.get('/v1/sites');
  expect(response.status).toBe(200);
  return ((await response.json()) as { items: Site[] }).items;
}

/** The record that images are served by. */
async function published(slug: string) {
  return storedRecord.parse(await service.kv.get(`site:${slug}`, 'json'));
}

describe('a new site', () => {
  it('has what was given, the rest by default, and a secret of its own', async () => {
    const site = await createSite(client, { slug: 'plain', name: '  My shop ' });
    expect(site).toEqual({
      id: expect.stringMatching(/^site_\w{16,}$/),
      slug: 'plain',
      name: 'My shop',
      source,
      signed: false,
      secrets: [{ secret: expect.stringMatching(/^[\w-]{43}$/), until: null }],
      presets: {},
      presets_only: false,
      monthly_limit: 5000,
      cache_seconds: 86_400,
      on_error: 'original',
      status: 'active',
      month_used: 0,
      all_time_used: 0,
      created_at: expect.stringMatching(/^\d{4}-.*Z$/),
      last_used_at: null,
    });
    const { secrets } = await createSite(client, { slug: 'plain-2' });
    expect(secrets).not.toEqual(site.secrets);
  });

  it.each([
    ['signed', { signed: true }, { monthly_limit: null, on_error: 'error' }],
    ['of presets only', { presets_only: true }, { monthly_limit: 5000, on_error: 'error' }],
    ['open', {}, { monthly_limit: 5000, on_error: 'original' }],
    [
      'signed, but told otherwise',
      { signed: true, monthly_limit: 7, on_error: 'original' },
      { monthly_limit: 7, on_error: 'original' },
    ],
    ['open without a limit', { monthly_limit: null }, { monthly_limit: null }],
  ])('that is %s has defaults to fit', async (what, body, expected) => {
    const slug = `fit-${what.replaceAll(/\W+/g, '-')}`;
    expect(await createSite(client, { slug, ...body })).toMatchObject(expected);
  });

  it('is the first in the list, and in nobody else’s', async () => {
    const owner = await service.signedIn('sites.list@example.com');
    expect(await listSites(owner)).toEqual([]);
    const [a, b] = [
      await createSite(owner, { slug: 'list-a' }),
      await createSite(owner, { slug: 'list-b' }),
    ];
    expect(await listSites(owner)).toEqual([b, a]);
    expect((await listSites(client)).map(({ id }) => id)).not.toContain(a.id);
  });

  it('is published for serving, its secret sealed', async () => {
    const { id, secrets } = await createSite(client, {
      slug: 'published',
      presets: { card: 'w_400,q_75' },
    });
    const record = await published('published');
    expect(record).toMatchObject({ id, source, presets: { card: 'w_400,q_75' }, revision: 1 });
    expect(JSON.stringify(record)).not.toContain(secrets[0]?.secret);
    expect(record.secrets[0]?.sealed).toMatch(/^2\./);
  });

  it('has a source as the URL parser writes it', async () => {
    const given = 'HTTPS://Images.Example:443/a/./b/ü/';
    const site = await createSite(client, { slug: 'parsed-source', source: given });
    expect(site.source).toBe('https://images.example/a/b/%C3%BC/');
  });
});

describe('what a site cannot have', () => {
  let owner: Client;
  let site: Site;
  beforeAll(async () => {
    owner = await service.signedIn('sites.refused@example.com');
    site = await createSite(owner, { slug: 'refused-base' });
  });
  const taken = { name: 'Shop', slug: 'not-made', source };

  it.each([
    'ab',
    'x'.repeat(41),
    '-abc',
    'abc-',
    'a--b',
    'Abc',
    'a_b',
    'a.b',
    'a/b',
    'äbc',
    'abc\n',
    '__proto__',
    '',
  ])('the slug %j', async (slug) => {
    const answer = await owner.post('/v1/sites', { ...taken, slug });
    const { errors } = await expectProblem(answer, 'invalid_request');
    expect(errors).toMatchObject([{ path: 'slug' }]);
  });

  it.each([
    ['http://images.example/', 'source_not_allowed'],
    ['https://localhost/', 'source_not_allowed'],
    ['https://127.0.0.1/', 'source_not_allowed'],
    ['https://0x7f.1/', 'source_not_allowed'],
    ['https://[::1]/', 'source_not_allowed'],
    ['https://server.internal/', 'source_not_allowed'],
    ['https://images.example:8443/', 'source_not_allowed'],
    ['https://user:word@images.example/', 'source_not_allowed'],
    ['data:image/png,/', 'source_not_allowed'],
    ['images.example/', 'invalid_request'],
    ['https://images.example/folder', 'invalid_request'],
    ['https://images.example/?a/', 'invalid_request'],
    ['https://images.example/#/', 'invalid_request'],
    ['https://images.example/?', 'invalid_request'],
    [`https://images.example/${'x'.repeat(500)}/`, 'invalid_request'],
    [7, 'invalid_request'],
  ] as const)('the source %j', async (source, code) => {
    await expectProblem(await owner.post('/v1/sites', { ...taken, source }), code);
    await expectProblem(await owner.patch(`/v1/sites/${site.id}`, { source }), code);
  });

  it.each([
    ['a name with a line break', 'name', { name: 'a\nb' }],
    ['presets that are a list', 'presets', { presets: ['w_1'] }],
    ['a preset without a name', 'presets.', { presets: { '': 'w_1' } }],
    ['a preset with capitals', 'presets.Card', { presets: { Card: 'w_1' } }],
    [
      'a preset with a long name',
      `presets.${'x'.repeat(33)}`,
      { presets: { ['x'.repeat(33)]: '_' } },
    ],
    ['a preset of no options', 'presets.a', { presets: { a: '' } }],
    ['a preset of unknown options', 'presets.a', { presets: { a: 'blur_5' } }],
    ['a preset of a preset', 'presets.a', { presets: { a: 'p_b', b: 'w_1' } }],
    ['a preset that expires', 'presets.a', { presets: { a: 'exp_1' } }],
    ['a preset of 501 characters', 'presets.a', { presets: { a: `w_1${'0'.repeat(498)}` } }],
    ['a limit of 0', 'monthly_limit', { monthly_limit: 0 }],
    ['a limit of text', 'monthly_limit', { monthly_limit: '5' }],
    ['59 seconds', 'cache_seconds', { cache_seconds: 59 }],
    ['a second more than a year', 'cache_seconds', { cache_seconds: 31_536_001 }],
    ['another way to fail', 'on_error', { on_error: 'redirect' }],
    ['text for a switch', 'signed', { signed: 'true' }],
  ])('%s', async (_what, path, body) => {
    for (const answer of [
      await owner.post('/v1/sites', { ...taken, ...body }),
      await owner.patch(`/v1/sites/${site.id}`, body),
    ]) {
      const { errors } = await expectProblem(answer, 'invalid_request');
      expect(errors).toMatchObject([{ path }]);
    }
  });

  it('more than 50 presets', async () => {
    const presets = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`p${i}`, 'w_100']));
    const path = `/v1/sites/${site.id}`;
    await expectProblem(await owner.patch(path, { presets: presets(51) }), 'invalid_request');
    const changed = await siteIn(await owner.patch(path, { presets: presets(50) }), 200);
    expect(Object.keys(changed.presets)).toHaveLength(50);
  });

  it('a status that there is not, or that deleting gives', async () => {
    for (const status of ['deleted', 'off', null]) {
      const answer = await owner.patch(`/v1/sites/${site.id}`, { status });
      await expectProblem(answer, 'invalid_request');
    }
  });

  it('nothing to be changed', async () => {
    for (const body of [{}, { slug: 'other' }]) {
      await expectProblem(await owner.patch(`/v1/sites/${site.id}`, body), 'invalid_request');
    }
  });

  it('is not made in part', async () => {
    expect((await listSites(owner)).map(({ slug }) => slug)).toEqual(['refused-base']);
  });
});

describe('changing a site', () => {
  it('changes what it is told to, nothing else, and is published', async () => {
    const site = await createSite(client, { slug: 'changing' });
    const changes = [
      { name: 'other' },
      { signed: true },
      { presets: { a: 'w_1' } },
      { presets_only: true },
      { monthly_limit: null },
      { monthly_limit: 12 },
      { cache_seconds: 60 },
      { on_error: 'error' },
      { status: 'paused' },
      { status: 'active' },
      { source: 'https://other.example/images/' },
    ];
    let expected: unknown = site;
    for (const change of changes) {
      expected = { ...(expected as Site), ...change };
      const changed = await siteIn(await client.patch(`/v1/sites/${site.id}`, change), 200);
      expect(changed).toEqual(expected);
    }
    expect((await listSites(client)).find(({ id }) => id === site.id)).toEqual(expected);
    expect(await published('changing')).toMatchObject({
      revision: changes.length + 1,
      source: 'https://other.example/images/',
      presetsOnly: true,
      status: 'active',
    });
  });

  it('purges it if it moves, and only then', async () => {
    const { id } = await createSite(client, { slug: 'moving' });
    const path = `/v1/sites/${id}`;
    await client.post(`${path}/purge`, { paths: ['a.jpg'] });
    await client.patch(path, { source, name: 'stays' });
    expect(await published('moving')).toMatchObject({ purges: 0 });
    expect(Object.keys((await published('moving')).pathPurges)).toHaveLength(1);
    await client.patch(path, { source: `${source}moved/` });
    expect(await published('moving')).toMatchObject({ purges: 1, pathPurges: {} });
  });

  it('in parallel loses none of the changes, and the last one is published', {
    tags: 'slow',
  }, async () => {
    const { id } = await createSite(client, { slug: 'in-parallel' });
    const limits = Array.from({ length: 12 }, (_, i) => i + 1);
    const answers = await Promise.all(
      limits.map((monthly_limit) =>
        client.patch(`/v1/sites/${id}`, { monthly_limit, cache_seconds: 60 + monthly_limit }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(limits.map(() => 200));
    const site = (await listSites(client)).find((one) => one.id === id);
    expect(await published('in-parallel')).toMatchObject({
      revision: 13,
      cacheSeconds: site?.cache_seconds,
    });
  });
});

describe('rotating the secret', () => {
  it('replaces it at once', async () => {
    const { id, secrets } = await createSite(client, { slug: 'rotating' });
    const rotated = await siteIn(await client.post(`/v1/sites/${id}/rotate-secret`), 200);
    expect(rotated.secrets).toEqual([
      { secret: expect.stringMatching(/^[\w-]{43}$/), until: null },
    ]);
    expect(rotated.secrets).not.toEqual(secrets);
    expect((await published('rotating')).secrets).toHaveLength(1);
  });

  it('with an overlap keeps the present one until it ends, and none from before', async () => {
    const { id, secrets } = await createSite(client, { slug: 'overlapping' });
    const path = `/v1/sites/${id}/rotate-secret`;
    const first = await siteIn(await client.post(path, { overlap_hours: 24 }), 200);
    expect(first.secrets).toEqual([
      { secret: expect.stringMatching(/^[\w-]{43}$/), until: null },
      { secret: secrets[0]?.secret, until: expect.stringMatching(/Z$/) },
    ]);
    const left = Date.parse(first.secrets[1]?.until ?? '') - Date.now();
    expect(left / 3_600_000).toBeCloseTo(24, 1);
    const second = await siteIn(await client.post(path, { overlap_hours: 1 }), 200);
    expect(second.secrets.map(({ secret }) => secret)).toEqual([
      expect.stringMatching(/./),
      first.secrets[0]?.secret,
    ]);
    await service.database
      .prepare(`UPDATE sites SET secrets = json_set(secrets, '$[1].until', ?2) WHERE id = ?1`)
      .bind(id, Date.now() - 1)
      .run();
    const over = (await listSites(client)).find((site) => site.id === id);
    expect(over?.secrets).toEqual([second.secrets[0]]);
  });

  it.each([-1, 169, 1.5, '1', null])('refuses an overlap of %j hours', async (overlap_hours) => {
    const { id } = (await listSites(client))[0] as Site;
    const answer = await client.post(`/v1/sites/${id}/rotate-secret`, { overlap_hours });
    await expectProblem(answer, 'invalid_request');
  });
});

describe('purging', () => {
  const purge = (id: string, body?: unknown) => client.post(`/v1/sites/${id}/purge`, body);

  it('raises the number of the site, or that of each path, however it is written', async () => {
    const { id } = await createSite(client, { slug: 'purging' });
    const paths = ['a b/%C3%BC.jpg?v=1', 'c.jpg'];
    expect(await (await purge(id, { paths })).json()).toEqual({ success: true });
    const { pathPurges: first, purges } = await published('purging');
    expect(purges).toBe(0);
    expect(Object.keys(first)).toHaveLength(2);
    for (const hash of Object.keys(first)) expect(hash).toMatch(/^[0-9a-f]{32}$/);
    await purge(id, { paths: ['/a%20b/%c3%bc.jpg?v=1', 'c.jpg?'] });
    const { pathPurges: second } = await published('purging');
    const raised = Object.keys(first).filter((hash) => Number(second[hash]) > Number(first[hash]));
    expect(raised).toHaveLength(1);
    await purge(id);
    expect(await published('purging')).toMatchObject({ purges: 1, pathPurges: {} });
  });

  it('of more than a thousand paths is purging the site', { tags: 'slow' }, async () => {
    const { id } = await createSite(client, { slug: 'purging-many' });
    for (let i = 0; i < 10; i += 1) {
      const paths = Array.from({ length: 100 }, (_, j) => `${i}/${j}.jpg`);
      expect((await purge(id, { paths })).status).toBe(200);
    }
    const full = await published('purging-many');
    expect(Object.keys(full.pathPurges)).toHaveLength(1000);
    expect(full.purges).toBe(0);
    await purge(id, { paths: ['one-more.jpg'] });
    expect(await published('purging-many')).toMatchObject({ purges: 1, pathPurges: {} });
  });

  it.each([
    ['none', []],
    ['too many', Array.from({ length: 101 }, (_, i) => `${i}.jpg`)],
    ['one that leads elsewhere', ['../secret.jpg']],
    ['one that leads elsewhere, encoded', ['%2e%2e/secret.jpg']],
    ['one with a line break', ['a%0Ab.jpg']],
    ['an empty one', ['']],
    ['one that is too long', ['x'.repeat(4097)]],
    ['one that is no text', [7]],
  ])('refuses paths of which there are %s', async (_what, paths) => {
    const { id } = (await listSites(client))[0] as Site;
    await expectProblem(await purge(id, { paths }), 'invalid_request');
  });

  it('names the one of several that cannot be used', async () => {
    const { id } = (await listSites(client))[0] as Site;
    const answer = await purge(id, { paths: ['a.jpg', 'b//c.jpg', 'd.jpg'] });
    const { detail } = await answer.json<{ detail: string }>();
    expect(detail).toContain('The path "b//c.jpg" cannot be used');
  });
});

describe('a deleted site', () => {
  it('is gone, for serving too, and its slug stays taken for 90 days', async () => {
    const { id } = await createSite(client, { slug: 'deleted', name: 'Of no use' });
    const answer = await client.delete(`/v1/sites/${id}`, {});
    expect(await answer.json()).toEqual({ success: true });
    expect((await listSites(client)).map((site) => site.id)).not.toContain(id);
    expect(await published('deleted')).toMatchObject({
      status: 'deleted',
      secrets: [],
      source: '',
    });
    await expectProblem(await client.delete(`/v1/sites/${id}`, {}), 'site_not_found');
    await expectProblem(await client.patch(`/v1/sites/${id}`, { name: 'a' }), 'site_not_found');

    const again = { name: 'Again', slug: 'deleted', source };
    await expectProblem(await client.post('/v1/sites', again), 'slug_taken');
    const days = (count: number) =>
      service.database
        .prepare('UPDATE sites SET deleted_at = ?2 WHERE id = ?1')
        .bind(id, Date.now() - count * 86_400_000)
        .run();
    await days(89.9);
    await expectProblem(await client.post('/v1/sites', again), 'slug_taken');
    await days(90.1);
    expect(await createSite(client, again)).toMatchObject({ slug: 'deleted' });
    expect(await published('deleted')).toMatchObject({ status: 'active' });
  });
});

describe('a site of another user', () => {
  it('is not found, like one that does not exist, and stays as it is', {
    tags: 'slow',
  }, async () => {
    const other = await service.signedIn('sites.other@example.com');
    const { id } = await createSite(other, { slug: 'of-another' });
    const before = await listSites(other);
    for (const unreachable of [id, `site_${'0'.repeat(32)}`, 'key_1', '%22', '__proto__']) {
      const path = `/v1/sites/${unreachable}`;
      for (const answer of [
        await client.patch(path, { name: 'mine' }),
        await client.delete(path, {}),
        await client.post(`${path}/rotate-secret`),
        await client.post(`${path}/purge`),
        await client.post(`${path}/check`, { path: 'a.jpg' }),
        await client.get(`/v1/statistics?key_id=${id}`),
      ]) {
        await expectProblem(answer, 'site_not_found');
      }
    }
    expect(await listSites(other)).toEqual(before);
  });

  it('is out of reach without a session', async () => {
    const stranger = service.client();
    for (const answer of [
      await stranger.get('/v1/sites'),
      await stranger.post('/v1/sites', { name: 'a', slug: 'no-session', source }),
    ]) {
      await expectProblem(answer, 'auth_required');
    }
  });
});

describe('in parallel', () => {
  it('20 of 30 sites are made', { tags: 'slow' }, async () => {
    const owner = await service.signedIn('sites.many@example.com');
    const numbers = Array.from({ length: 30 }, (_, i) => i);
    const answers = await Promise.all(
      numbers.map((i) => owner.post('/v1/sites', { name: 'a', slug: `many-${i}`, source })),
    );
    const refused = answers.filter(({ status }) => status !== 201);
    expect(refused).toHaveLength(10);
    for (const answer of refused) await expectProblem(answer, 'site_limit_reached');
    const sites = await listSites(owner);
    expect(sites).toHaveLength(20);
    await owner.delete(`/v1/sites/${sites[0]?.id}`, {});
    await createSite(owner, { slug: 'many-again' });
  });

  it('no more slugs are kept from others than sites that were deleted lately may have', {
    tags: 'slow',
  }, async () => {
    const owner = await service.signedIn('sites.brief@example.com');
    const create = (i: number) =>
      owner.post('/v1/sites', { name: 'a', slug: `brief-${i}`, source });
    for (let made = 0; made < 100; made += 10) {
      const numbers = Array.from({ length: 10 }, (_, i) => made + i);
      const answers = await Promise.all(numbers.map(create));
      expect(answers.map(({ status }) => status)).toEqual(numbers.map(() => 201));
      const sites = await listSites(owner);
      await Promise.all(sites.map(({ id }) => owner.delete(`/v1/sites/${id}`, {})));
    }
    await expectProblem(await create(100), 'site_limit_reached');
    expect(await listSites(owner)).toEqual([]);
  });

  it('one of ten gets a slug', { tags: 'slow' }, async () => {
    const owners = await Promise.all([
      service.signedIn('sites.first@example.com'),
      service.signedIn('sites.second@example.com'),
    ]);
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        (owners[i % 2] as Client).post('/v1/sites', { name: 'a', slug: 'wanted', source }),
      ),
    );
    const refused = answers.filter(({ status }) => status !== 201);
    expect(refused).toHaveLength(9);
    for (const answer of refused) await expectProblem(answer, 'slug_taken');
  });
});

describe('deleting the account', () => {
  it('deletes its sites, and nobody gets their slugs', { tags: 'slow' }, async () => {
    const email = 'sites.leaving@example.com';
    const leaving = await service.signedIn(email);
    const slugs = ['leaving-a', 'leaving-b'];
    for (const slug of slugs) await createSite(leaving, { slug, name: 'private name' });
    expect((await leaving.delete('/v1/me', { confirm: email })).status).toBe(200);
    for (const slug of slugs) {
      expect(await published(slug)).toMatchObject({ status: 'deleted', secrets: [], source: '' });
      const answer = await client.post('/v1/sites', { name: 'a', slug, source });
      await expectProblem(answer, 'slug_taken');
    }
    const { results } = await service.database
      .prepare(`SELECT * FROM sites WHERE slug LIKE 'leaving-%'`)
      .all();
    expect(results).toHaveLength(2);
    expect(JSON.stringify(results)).not.toMatch(/private name|images\.example/);
  });
});

it('what the change of a site left undone, the cron job does', async () => {
  const { id } = await createSite(client, { slug: 'left-undone' });
  await service.database
    .prepare(
      `UPDATE sites SET status = 'paused', revision = revision + 1, unswept_since = 1 WHERE id = ?1`,
    )
    .bind(id)
    .run();
  expect(await published('left-undone')).toMatchObject({ status: 'active' });
  await service.tidy();
  expect(await published('left-undone')).toMatchObject({ status: 'paused' });
  const row = await service.database
    .prepare('SELECT revision - published AS unpublished, unswept_since FROM sites WHERE id = ?1')
    .bind(id)
    .first();
  expect(row).toEqual({ unpublished: 0, unswept_since: null });
});
