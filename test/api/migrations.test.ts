import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getPlatformProxy } from 'wrangler';
import { withBindings } from '../../scripts/local/bindings.ts';
import { ensureDevVars } from '../../scripts/local/dev-vars.ts';
import { freePort } from '../../scripts/local/free-port.ts';
import { migrate } from '../../scripts/local/migrations.ts';
import { root, wranglerScript } from '../../scripts/local/root.ts';
import { type LocalService, startService } from '../../scripts/local/service.ts';
import { Client } from '../support/client.ts';
import { allRows, type FormerUser, writeFirstVersion } from '../support/first-version.ts';
import { plainPicture } from '../support/pictures.ts';

const numbered = ['0001_first-version.sql', '0002_tidying-by-index.sql'];

let folder: string;
beforeAll(async () => {
  ensureDevVars();
  folder = await mkdtemp(join(tmpdir(), 'image-optimization-migrations-'));
});
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

async function applied(db: D1Database): Promise<unknown[]> {
  const { results } = await db.prepare('SELECT name FROM d1_migrations ORDER BY id').all();
  return results.map(({ name }) => name);
}

describe('data of the first version', () => {
  let state: string;
  let user: FormerUser;
  let before: Record<string, unknown[]>;
  let service: LocalService;
  let picture: Uint8Array<ArrayBuffer>;
  beforeAll(async () => {
    picture = Uint8Array.from(await plainPicture(300, 200).jpeg({ quality: 97 }).toBuffer());
    state = join(folder, 'first');
    user = await writeFirstVersion(state);
    const { env, dispose } = await getPlatformProxy<Env>({
      configPath: join(root, 'wrangler.toml'),
      persist: { path: join(state, 'v3') },
    });
    before = await allRows(env.DB);
    await dispose();
    service = await startService({ port: await freePort(), stateDirectory: state });
  }, 120_000);
  afterAll(() => service.stop());

  it('are the same row by row when the service has started', async () => {
    const [after, names] = await withBindings(state, ({ DB }) =>
      Promise.all([allRows(DB), applied(DB)]),
    );
    expect(after).toEqual(before);
    expect(Object.values(after).flat()).toHaveLength(21);
    expect(names).toEqual(numbered);
  });

  it('are used from then on: keys, sessions, quota, figures', async () => {
    const call = (key: string, path: string, init: RequestInit = {}) =>
      fetch(service.origin + path, {
        ...init,
        headers: { Authorization: `Bearer ${key}` },
      });
    const quota = await call(user.key, '/v1/quota');
    expect(await quota.json()).toMatchObject({
      plan: 'paid',
      paid_quota_remaining: 700,
      free_quota: { limit: 500, used: 499, remaining: 1 },
    });
    expect((await call(user.revokedKey, '/v1/quota')).status).toBe(401);

    const answer = await call(user.key, '/v1/optimize', { method: 'POST', body: picture });
    expect(answer.status).toBe(200);
    // one more free, 700 paid; less the one that is open and this one
    expect(answer.headers.get('Quota-Remaining')).toBe('699');
    await answer.arrayBuffer();

    const client = new Client(service.origin);
    client.setCookie('sid', user.session);
    expect(await (await client.get('/v1/me')).json()).toMatchObject({ email: user.email });
    const { items } = (await (await client.get('/v1/keys')).json()) as { items: unknown[] };
    expect(items).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          id: 'key_active0000000000',
          key: user.key,
          all_time_used: 42,
          today_used: 8,
        }),
        expect.objectContaining({
          id: 'key_revoked000000000',
          status: 'revoked',
          has_secret: true,
        }),
        expect.objectContaining({
          id: 'key_bare000000000000',
          status: 'active',
          has_secret: false,
        }),
      ]),
    );
    const payments = (await (await client.get('/v1/payments')).json()) as { items: unknown[] };
    expect(payments.items).toHaveLength(2);
  });

  it('are upgraded once by many commands beside a service that is in use', async () => {
    await withBindings(state, async ({ DB }) => {
      const { results } = await DB.prepare(
        `SELECT name FROM sqlite_schema WHERE type = 'index' AND name IN
         ('sessions_by_expiry', 'code_tries_by_time', 'challenges_by_time', 'payments_unopened')`,
      ).all();
      expect(results).toHaveLength(4);
      await DB.batch([
        ...results.map(({ name }) => DB.prepare(`DROP INDEX ${name}`)),
        DB.prepare('DELETE FROM d1_migrations'),
        // as wrangler wrote it down when all of the schema was one file
        DB.prepare(`INSERT INTO d1_migrations (name) VALUES ('schema.sql')`),
      ]);
    });
    let isOver = false;
    const statuses = new Set<number>();
    const load = async (path: string, init: RequestInit) => {
      while (!isOver) {
        const response = await fetch(service.origin + path, {
          ...init,
          headers: { Authorization: `Bearer ${user.key}` },
        });
        await response.arrayBuffer();
        statuses.add(response.status);
      }
    };
    const loads = [load('/v1/quota', {}), load('/v1/optimize', { method: 'POST', body: picture })];
    const seen = await Promise.all(
      Array.from({ length: 4 }, () => withBindings(state, ({ DB }) => applied(DB))),
    );
    isOver = true;
    await Promise.all(loads);
    const once = ['schema.sql', ...numbered];
    expect(seen).toEqual([once, once, once, once]);
    // two processes share a file here: who meets a lock is told to come again
    expect([200, 503]).toEqual(expect.arrayContaining([...statuses]));
    expect(statuses).toContain(200);
    const after = await fetch(`${service.origin}/v1/health`);
    expect(after.status).toBe(200);
  }, 60_000);
});

it('wrangler finds nothing left to apply where our commands have been', async () => {
  const state = join(folder, 'new');
  await withBindings(state, async () => {});
  const list = [wranglerScript, 'd1', 'migrations', 'list', 'DB', '--local', '--persist-to', state];
  const { stdout } = await promisify(execFile)(process.execPath, list, {
    cwd: root,
    env: { ...process.env, WRANGLER_LOG: 'log', WRANGLER_SEND_METRICS: 'false' },
  });
  expect(stdout).toContain('No migrations to apply');
});

it('a migration that fails names itself, and leaves everything as it was', async () => {
  const migrations = await mkdtemp(join(folder, 'broken-'));
  const sql = `CREATE TABLE extra (id TEXT); -- ; not the end
    UPDATE users SET paid_files = 5; INSERT INTO nowhere VALUES (1);`;
  await writeFile(join(migrations, '0003_broken.sql'), sql);
  await writeFile(join(migrations, '0004_never.sql'), 'CREATE TABLE never (id TEXT);');
  const state = join(folder, 'new');
  const outcome = withBindings(state, async ({ DB }) => {
    await DB.prepare(
      `INSERT INTO users (id, email, created_at) VALUES ('usr_1', 'a@b.example', 1) ON CONFLICT DO NOTHING`,
    ).run();
    await migrate(DB, migrations);
  });
  await expect(outcome).rejects.toThrow(/^The migration 0003_broken\.sql failed.*nowhere/);
  await withBindings(state, async ({ DB }) => {
    const { users, ...others } = await allRows(DB);
    expect(users).toEqual([expect.objectContaining({ id: 'usr_1', paid_files: 0 })]);
    expect(Object.keys(others)).not.toContain('extra');
    expect(Object.keys(others)).not.toContain('never');
    expect(await applied(DB)).toEqual(numbered);
  });
});

it('data from before the first numbered version are left alone, and what to do is said', async () => {
  const state = join(folder, 'older');
  const { env, dispose } = await getPlatformProxy<Env>({
    configPath: join(root, 'wrangler.toml'),
    persist: { path: join(state, 'v3') },
  });
  const users = 'CREATE TABLE users (id TEXT PRIMARY KEY, email TEXT UNIQUE)';
  await env.DB.prepare(users).run();
  await expect(withBindings(state, async () => {})).rejects.toThrow(
    /^The migration 0001_first-version\.sql failed.*former_address.*Move them away, or set STATE_DIR\.$/,
  );
  const { results } = await env.DB.prepare(
    "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB '[_sd]*'",
  ).all();
  expect(results).toEqual([{ sql: users }]);
  await dispose();
});
