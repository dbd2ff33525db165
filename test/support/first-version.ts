import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getPlatformProxy, unstable_splitSqlQuery as statementsOf } from 'wrangler';
import { root } from '../../scripts/local/root.ts';
import { makeApiKeyMaterial } from '../../src/access/api-key.ts';
import { readConfig } from '../../src/config.ts';
import { tokenHash } from './client.ts';

const day = 24 * 60 * 60 * 1000;

/** What one needs to go on using the data. */
export interface FormerUser {
  readonly email: string;
  readonly key: string;
  readonly revokedKey: string;
  /** The cookie `sid`. */
  readonly session: string;
}

/**
 * Puts a database of the first version into a folder, made as it was made then,
 * before migrations were numbered, with a row of every kind in it.
 */
export async function writeFirstVersion(stateDirectory: string): Promise<FormerUser> {
  process.env.WRANGLER_LOG ??= 'error';
  const { env, dispose } = await getPlatformProxy<Env>({
    configPath: join(root, 'wrangler.toml'),
    persist: { path: join(stateDirectory, 'v3') },
    remoteBindings: false,
  });
  try {
    const schema = await readFile(join(root, 'migrations/0001_first-version.sql'), 'utf8');
    await env.DB.batch(statementsOf(schema).map((statement) => env.DB.prepare(statement)));
    return await fill(env);
  } finally {
    await dispose();
  }
}

async function fill({ KV, ...env }: Env): Promise<FormerUser> {
  const now = Date.now();
  const month = new Date(now).toISOString().slice(0, 7);
  const today = new Date(now).toISOString().slice(0, 10);
  const { keySecrets } = readConfig({ ...env });
  const [active, revoked] = await Promise.all(
    ['key_active0000000000', 'key_revoked000000000'].map((id) =>
      makeApiKeyMaterial(id, keySecrets),
    ),
  );
  if (!active || !revoked) throw new Error('no keys');
  const session = 'former-session-'.padEnd(43, 'x');
  const email = 'former@gmail.com';
  const hash = tokenHash(session);
  await KV.put(`session:${hash}`, 'open', { expirationTtl: 3600 });

  const insert = (table: string, rows: readonly Record<string, string | number | null>[]) =>
    rows.map((row) => {
      const names = Object.keys(row);
      const places = names.map(() => '?').join();
      const sql = `INSERT INTO ${table} (${names.join()}) VALUES (${places})`;
      return env.DB.prepare(sql).bind(...Object.values(row));
    });
  const key = {
    user_id: 'usr_1111111111111111',
    name: 'shop',
    comment: 'old',
    created_at: now - 40 * day,
  };
  const payment = {
    user_id: 'usr_1111111111111111',
    pack: 'small',
    files: 1000,
    amount: 500,
    currency: 'usd',
  };
  const challenge = { address: 'a', network: 'n', digits: 6, created_at: now, expires_at: now };
  await env.DB.batch([
    ...insert('users', [
      {
        id: 'usr_1111111111111111',
        email,
        plan: 'paid',
        paid_files: 700,
        free_month: month,
        free_used: 499,
        created_at: now,
      },
      {
        id: 'usr_2222222222222222',
        email: null,
        free_month: month,
        free_used: 3,
        former_address: 'h',
        created_at: 1,
      },
    ]),
    ...insert('api_keys', [
      { ...key, ...active.material, all_time_used: 41, last_used_at: now - 1000 },
      { ...key, ...revoked.material, status: 'revoked', revoked_at: now - day },
      { ...key, id: 'key_bare000000000000', hash: 'b', prefix: 'imgo_bare00', secret: null },
      {
        ...key,
        id: 'key_gone000000000000',
        user_id: 'usr_2222222222222222',
        hash: 'g',
        prefix: 'imgo_gone00',
        secret: null,
        name: '',
        comment: '',
        status: 'revoked',
        revoked_at: 2,
      },
    ]),
    ...insert('sessions', [
      { hash, user_id: 'usr_1111111111111111', created_at: now, expires_at: now + day },
      { hash: 'long-expired', user_id: 'usr_1111111111111111', created_at: 1, expires_at: 2 },
    ]),
    ...insert('reservations', [
      {
        id: 'res_open',
        user_id: 'usr_1111111111111111',
        key_id: 'key_active0000000000',
        expires_at: now + day,
      },
      { id: 'res_expired', user_id: 'usr_1111111111111111', key_id: null, expires_at: now - 1 },
    ]),
    ...insert('usage_days', [
      {
        user_id: 'usr_1111111111111111',
        day: today,
        key_id: 'key_active0000000000',
        files: 7,
        bytes_in: 700,
        bytes_out: 300,
        bytes_saved: 400,
      },
      {
        user_id: 'usr_1111111111111111',
        day: '2026-01-31',
        key_id: '',
        files: 1,
        bytes_in: 10,
        bytes_out: 10,
        bytes_saved: 0,
      },
    ]),
    ...insert('payments', [
      {
        ...payment,
        id: 'pay_1111111111111111',
        status: 'paid',
        session_id: 'cs_1',
        payment_intent: 'pi_1',
        paid_at: now,
        granted: 800,
        created_at: now - 5,
      },
      { ...payment, id: 'pay_2222222222222222', status: 'pending', created_at: now },
    ]),
    ...insert('balance_changes', [
      { id: 'chg_1', payment_id: 'pay_1111111111111111', files: 1000, created_at: now - 4 },
      { id: 'chg_2', payment_id: 'pay_1111111111111111', files: -200, created_at: now - 3 },
    ]),
    ...insert('payment_refunds', [
      {
        payment_intent: 'pi_1',
        currency: 'usd',
        refunded: 100,
        total: 500,
        is_full: 0,
        seen_at: now,
      },
    ]),
    ...insert('payment_disputes', [
      { id: 'dp_1', payment_intent: 'pi_1', state: 'won', seen_at: now },
    ]),
    ...insert('challenges', [
      { ...challenge, id: 'cha_live', expires_at: now + day, sent_at: now },
      { ...challenge, id: 'cha_used', ended_at: now, consumed_by: 'try_1' },
    ]),
    ...insert('code_tries', [
      { id: 'try_2', challenge_id: 'cha_live', with_cookie: 1, network: 'n', tried_at: now },
    ]),
  ]);
  return { email, key: active.key, revokedKey: revoked.key, session };
}

/** Every row of every table, in the order of its values. */
export async function allRows(db: D1Database): Promise<Record<string, unknown[]>> {
  const { results: tables } = await db
    .prepare(
      `SELECT name FROM sqlite_schema WHERE type = 'table'
       AND name NOT LIKE 'sqlite%' AND name NOT LIKE '\\_cf%' ESCAPE '\\' AND name <> 'd1_migrations'`,
    )
    .all<{ name: string }>();
  const rows: Record<string, unknown[]> = {};
  for (const { name } of tables) {
    const { results } = await db.prepare(`SELECT * FROM ${name} ORDER BY 1, 2, 3`).all();
    rows[name] = results;
  }
  return rows;
}
