import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getPlatformProxy } from 'wrangler';
import { makeLocalKey, withBindings } from '../../scripts/local/database.ts';
import { freePort } from '../../scripts/local/free-port.ts';
import { root, wranglerScript } from '../../scripts/local/root.ts';
import { ensureDevVars } from '../../scripts/local/secrets.ts';
import { type LocalService, startService } from '../../scripts/local/service.ts';
import { migrate } from '../../src/node/storage/migrations.ts';
import { plainPicture } from '../support/pictures.ts';

let folder: string;
let numbered: string[];
beforeAll(async () => {
  ensureDevVars();
  folder = await mkdtemp(join(tmpdir(), 'fewerbytes-migrations-'));
  const names = await readdir(join(root, 'migrations'));
  numbered = names.filter((name) => name.endsWith('.sql')).sort();
});
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

async function applied(db: D1Database): Promise<unknown[]> {
  const { results } = await db.prepare('SELECT name FROM d1_migrations ORDER BY id').all();
  return results.map(({ name }) => name);
}

/** A copy of the migrations folder with additional files. */
async function migrationsWith(more: Record<string, string>): Promise<string> {
  const copy = await mkdtemp(join(folder, 'migrations-'));
  await cp(join(root, 'migrations'), copy, { recursive: true });
  for (const [name, sql] of Object.entries(more)) await writeFile(join(copy, name), sql);
  return copy;
}

/** Every row of every table, ordered by values. */
async function allRows(db: D1Database): Promise<Record<string, unknown[]>> {
  const { results: tables } = await db
    .prepare(
      `SELECT name FROM sqlite_schema WHERE type = 'table'
       AND name NOT GLOB 'sqlite*' AND name NOT GLOB '_cf*' AND name <> 'd1_migrations'`,
    )
    .all<{ name: string }>();
  const rows: Record<string, unknown[]> = {};
  for (const { name } of tables) {
    const { results } = await db.prepare(`SELECT * FROM ${name}`).all();
    rows[name] = results.map((row) => JSON.stringify(row)).sort();
  }
  return rows;
}

describe('a service that is in use', () => {
  let state: string;
  let service: LocalService;
  let key: string;
  beforeAll(async () => {
    state = join(folder, 'used');
    key = await withBindings(state, (env) => makeLocalKey(env, 'someone@gmail.com'));
    service = await startService({ port: await freePort(), stateDirectory: state });
  }, 120_000);
  afterAll(() => service.stop());

  const call = (path: string, init: RequestInit = {}) =>
    fetch(service.origin + path, { ...init, headers: { Authorization: `Bearer ${key}` } });

  it('has its database upgraded once by many commands beside it, and its data left alone', {
    tags: 'slow',
  }, async () => {
    const picture = Uint8Array.from(await plainPicture(300, 200).jpeg({ quality: 97 }).toBuffer());
    const next = `${String(numbered.length + 1).padStart(4, '0')}_more.sql`;
    const migrations = await migrationsWith({
      [next]: `ALTER TABLE users ADD COLUMN colour TEXT; CREATE INDEX users_by_colour ON users (colour);`,
    });
    const before = await withBindings(state, ({ DB }) => allRows(DB));
    expect(before.api_keys).toHaveLength(1);

    let isOver = false;
    const statuses = new Set<number>();
    const load = async (path: string, init: RequestInit) => {
      while (!isOver) {
        const response = await call(path, init);
        await response.arrayBuffer();
        statuses.add(response.status);
      }
    };
    const loads = [load('/v1/quota', {}), load('/v1/optimize', { method: 'POST', body: picture })];
    const seen = await Promise.all(
      Array.from({ length: 4 }, () =>
        withBindings(state, async ({ DB }) => {
          await migrate(DB, migrations);
          return applied(DB);
        }),
      ),
    );
    isOver = true;
    await Promise.all(loads);
    expect(seen).toEqual(Array.from({ length: 4 }, () => [...numbered, next]));
    // Two processes share a file here, so requests that meet a lock get 503.
    expect([200, 503]).toEqual(expect.arrayContaining([...statuses]));
    expect(statuses).toContain(200);
    expect((await call('/v1/health')).status).toBe(200);

    const after = await withBindings(state, ({ DB }) => allRows(DB));
    expect(Object.keys(after)).toEqual(Object.keys(before));
    expect(after.sessions).toEqual(before.sessions);
    expect(after.users?.[0]).toContain('"colour":null');
    expect((await call('/v1/quota')).status).toBe(200);
  });
});

it('wrangler finds nothing left to apply where our commands have been', {
  tags: 'slow',
}, async () => {
  const state = join(folder, 'new');
  await withBindings(state, async () => {});
  const list = [wranglerScript, 'd1', 'migrations', 'list', 'DB', '--local', '--persist-to', state];
  const { stdout } = await promisify(execFile)(process.execPath, list, {
    cwd: root,
    env: { ...process.env, WRANGLER_LOG: 'log', WRANGLER_SEND_METRICS: 'false' },
  });
  expect(stdout).toContain('No migrations to apply');
});

it('a migration that fails names itself, and leaves everything as it was', {
  tags: 'slow',
}, async () => {
  const migrations = await migrationsWith({
    '9998_broken.sql': `CREATE TABLE extra (id TEXT); -- ; not the end
      UPDATE users SET granted_files = 5; INSERT INTO nowhere VALUES (1);`,
    '9999_never.sql': 'CREATE TABLE never (id TEXT);',
  });
  const state = join(folder, 'new');
  const outcome = withBindings(state, async ({ DB }) => {
    await DB.prepare(`INSERT INTO mailboxes (id) VALUES ('mbx_1') ON CONFLICT DO NOTHING`).run();
    await DB.prepare(
      `INSERT INTO users (id, mailbox_id, email, epoch, created_at)
       VALUES ('usr_1', 'mbx_1', 'a@b.example', 1, 1) ON CONFLICT DO NOTHING`,
    ).run();
    await migrate(DB, migrations);
  });
  await expect(outcome).rejects.toThrow(/^The migration 9998_broken\.sql failed.*nowhere/);
  await withBindings(state, async ({ DB }) => {
    const { users, ...others } = await allRows(DB);
    expect(users).toEqual([expect.stringMatching(/"usr_1".*"granted_files":0/)]);
    expect(Object.keys(others)).not.toContain('extra');
    expect(Object.keys(others)).not.toContain('never');
    expect(await applied(DB)).toEqual(numbered);
  });
});

it('data that no migration has made are left alone', { tags: 'slow' }, async () => {
  const state = join(folder, 'other');
  const { env, dispose } = await getPlatformProxy<Env>({
    configPath: join(root, 'wrangler.toml'),
    persist: { path: join(state, 'v3') },
  });
  const users = 'CREATE TABLE users (id TEXT PRIMARY KEY, email TEXT UNIQUE)';
  await env.DB.prepare(users).run();
  await expect(withBindings(state, async () => {})).rejects.toThrow(
    /^The migration 0001_initial\.sql failed.*users already exists/,
  );
  const { results } = await env.DB.prepare(
    "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB '[_sd]*'",
  ).all();
  expect(results).toEqual([{ sql: users }]);
  await dispose();
});
