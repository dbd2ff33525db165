import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Ledger } from '../../../src/meter/ledger.ts';
import { changesSince, loadMailbox, writeFlush } from '../../../src/store/mailboxes.ts';
import { MeterFile, termsAt } from '../../support/ledger.ts';
import { inProcess } from '../../support/recorded-database.ts';

const folder = join(import.meta.dirname, '../../../migrations');
const now = termsAt('2026-11-23T10:00:00Z');

let file: DatabaseSync;
let database: D1Database;
beforeEach(() => {
  file = new DatabaseSync(':memory:');
  const names = readdirSync(folder).filter((name) => name.endsWith('.sql'));
  for (const name of names.sort()) file.exec(readFileSync(join(folder, name), 'utf8'));
  database = inProcess(file);
  file.exec(`
    INSERT INTO mailboxes (id) VALUES ('mbx_1'), ('mbx_2');
    INSERT INTO users (id, mailbox_id, email, epoch, created_at) VALUES
      ('usr_1', 'mbx_1', 'a@gmail.com', 0, 0), ('usr_2', 'mbx_2', 'b@gmail.com', 0, 0);
    INSERT INTO api_keys (id, user_id, hash, prefix, name, created_at) VALUES
      ('key_1', 'usr_1', 'hash_1', 'p', 'shop', 0), ('key_2', 'usr_2', 'hash_2', 'p', 'shop', 0)`);
});

async function begin(): Promise<Ledger> {
  const found = await loadMailbox(database, 'mbx_1', 5);
  if (!found) throw new Error('there is no mailbox');
  return new MeterFile().begin(found);
}

function use(ledger: Ledger, files: number, terms = now): void {
  for (let i = 0; i < files; i += 1) {
    const id = `use_${Math.random()}`;
    ledger.reserve(id, 'hash_1', terms);
    const answered = { bytesIn: 1000, bytesOut: 400 };
    const booked = { reservationId: id, terms, answered, charged: true };
    const end = { ...booked, file: null, cpuMs: 1, origin: 'http://localhost' };
    ledger.settle(end);
  }
}

/** The data about the mailbox in D1. */
function sums() {
  return {
    ...file.prepare(`SELECT free_used, flush FROM mailboxes WHERE id = 'mbx_1'`).get(),
    ...file.prepare(`SELECT all_time_used, status FROM api_keys WHERE id = 'key_1'`).get(),
    files: file.prepare(`SELECT files FROM usage_days WHERE key_id = 'key_1'`).get()?.files,
  };
}

describe('sums on their way to D1', () => {
  it('lose nothing while the clock is a day ahead and a day behind, again and again', async () => {
    const ledger = await begin();
    for (const day of [23, 24, 22, 23, 24, 22, 23]) {
      const terms = termsAt(`2026-11-${day}T10:00:00Z`);
      use(ledger, 1, terms);
      const flush = ledger.beginFlush(terms);
      await writeFlush(database, 'mbx_1', flush, terms.now);
      ledger.endFlush(flush, terms.now);
    }
    expect(file.prepare('SELECT sum(files) AS files FROM usage_days').get()).toEqual({ files: 7 });
    expect(sums()).toMatchObject({ all_time_used: 7, free_used: 7 });
  });

  it('come late or twice without doing harm, and none is lost that nobody knows of', async () => {
    const ledger = await begin();
    use(ledger, 2);
    const first = ledger.beginFlush(now);
    use(ledger, 1);
    // The first one failed, as far as the meter knows.
    const second = ledger.beginFlush(now);
    await writeFlush(database, 'mbx_1', second, now.now);
    const after = { free_used: 3, flush: 2, all_time_used: 3, status: 'active', files: 3 };
    expect(sums()).toEqual(after);
    for (const late of [first, second]) {
      await expect(writeFlush(database, 'mbx_1', late, now.now)).rejects.toThrow('A later flush');
    }
    expect(sums()).toEqual(after);
    ledger.endFlush(second, now.now);
    use(ledger, 4);
    await writeFlush(database, 'mbx_1', ledger.beginFlush(now), now.now);
    expect(sums()).toEqual({ ...after, free_used: 7, flush: 3, all_time_used: 7, files: 7 });
  });

  it('of thousands of keys are as few statements as those of one', async () => {
    const ids = Array.from({ length: 3000 }, (_, i) => `key_many_${i}`);
    const insert = file.prepare(`
      INSERT INTO api_keys (id, user_id, hash, prefix, name, created_at)
      VALUES (?1, 'usr_1', ?1, 'p', 'shop', 0)`);
    for (const id of ids) insert.run(id);
    const flush = (await begin()).beginFlush(now);
    const counted: number[] = [];
    const batch = (statements: D1PreparedStatement[]) => {
      counted.push(statements.length);
      return database.batch(statements);
    };
    const counting = { prepare: database.prepare.bind(database), batch } as D1Database;
    const use = { allTime: 2, lastUsedAt: 5, month: '2026-11', monthUsed: 1 };
    const sizes = { files: 2, bytesIn: 9, bytesOut: 8, bytesSaved: 1 };
    const many = {
      ...flush,
      keys: ids.map((id) => ({ id, ...use })),
      revoked: ids.slice(0, 2000),
      days: ids.map((keyId) => ({ userId: 'usr_1', keyId, day: '2026-11-23', ...sizes })),
    };
    await writeFlush(counting, 'mbx_1', many, now.now);
    await writeFlush(counting, 'mbx_1', { ...flush, number: flush.number + 1 }, now.now);
    expect(counted[0]).toBe(counted[1]);
    const written = file.prepare(`
      SELECT count(*) AS keys, sum(all_time_used) AS files, sum(status = 'revoked') AS revoked,
             sum(last_used_at) AS times FROM api_keys WHERE id LIKE 'key_many_%'`);
    expect(written.get()).toEqual({ keys: 3000, files: 6000, revoked: 2000, times: 15_000 });
    const days = file.prepare('SELECT count(*) AS days, sum(bytes_in) AS bytes FROM usage_days');
    expect(days.get()).toEqual({ days: 3000, bytes: 27_000 });
  });

  it('complete a revocation that D1 has not got', async () => {
    const ledger = await begin();
    ledger.accounts.revoke({ id: 'key_1', userId: 'usr_1', hash: 'hash_1' });
    await writeFlush(database, 'mbx_1', ledger.beginFlush(now), now.now);
    expect(sums()).toMatchObject({ status: 'revoked' });
  });
});

describe('a site', () => {
  const result = { siteId: 'site_1', path: 'image', file: 'image/a' };
  const request = { ...result, maxPerPath: 5, maxPerMinute: 9 };

  function addSite(id: string, userId: string): void {
    file.exec(`
      INSERT INTO sites (id, user_id, slug, name, source, signed, secrets, presets, presets_only,
                         cache_seconds, on_error, monthly_limit, created_at)
      VALUES ('${id}', '${userId}', '${id}', '', '', 0, '[]', '{}', 0, 60, 'error', 2, 0)`);
  }

  async function changes(ledger: Ledger): Promise<void> {
    const found = await changesSince(database, 'mbx_1', ledger.accounts.version);
    if (found) ledger.accounts.apply(found);
  }

  const make = (ledger: Ledger, id: string, charged: boolean) => {
    const { kind } = ledger.reserveOfSite(id, { ...request, file: `image/${id}` }, now);
    const answered = { bytesIn: 1000, bytesOut: 400 };
    const end = { reservationId: id, terms: now, answered, charged, file: `image/${id}` };
    ledger.settle({ ...end, cpuMs: 1, origin: 'http://localhost' });
    return kind;
  };

  it('is known as soon as D1 has it, with its limit, and D1 gets what it has made', async () => {
    const ledger = await begin();
    expect(make(ledger, 'a', true)).toBe('unknown-key');
    addSite('site_1', 'usr_1');
    addSite('site_2', 'usr_2');
    await changes(ledger);
    const kinds = [true, false, true].map((charged, i) => make(ledger, `r${i}`, charged));
    expect(kinds).toEqual(['reserved', 'reserved', 'key-limit']);
    const others = { ...request, siteId: 'site_2' };
    expect(ledger.reserveOfSite('b', others, now).kind).toBe('unknown-key');
    file.exec(`UPDATE sites SET monthly_limit = 3 WHERE id = 'site_1'`);
    await changes(ledger);
    expect(make(ledger, 'c', true)).toBe('reserved');
    await writeFlush(database, 'mbx_1', ledger.beginFlush(now), now.now);
    const columns = 'all_time_used, last_used_at, month, month_used';
    expect(file.prepare(`SELECT ${columns} FROM sites WHERE id = 'site_1'`).get()).toEqual({
      ...{ all_time_used: 3, last_used_at: now.now, month: '2026-11', month_used: 3 },
    });
    expect(file.prepare(`SELECT free_used FROM mailboxes WHERE id = 'mbx_1'`).get()).toEqual({
      free_used: 2,
    });
    const days = file.prepare('SELECT key_id, files, bytes_saved FROM usage_days').all();
    expect(days).toEqual([{ key_id: 'site_1', files: 3, bytes_saved: 1800 }]);
    const first = (await loadMailbox(database, 'mbx_1', 6))?.keys.find(({ id }) => id === 'site_1');
    expect(first).toMatchObject({ hash: 'site_1', allTime: 3, monthlyLimit: 3, monthUsed: 3 });
  });

  it('that is paused may end what it has begun, and makes nothing once it is deleted', async () => {
    const ledger = await begin();
    addSite('site_1', 'usr_1');
    file.exec(`UPDATE sites SET status = 'paused'`);
    await changes(ledger);
    ledger.reserveOfSite('open', request, now);
    file.exec(`UPDATE sites SET status = 'deleted'`);
    await changes(ledger);
    expect(make(ledger, 'a', true)).toBe('unknown-key');
    expect(ledger.accounts.isRefused('site_1', now.now)).toBe(true);
    const answered = { bytesIn: 1000, bytesOut: 400 };
    const end = { reservationId: 'open', terms: now, answered, charged: true, file: 'image/a' };
    expect(ledger.settle({ ...end, cpuMs: 1, origin: 'http://localhost' })).toBe(true);
    await writeFlush(database, 'mbx_1', ledger.beginFlush(now), now.now);
    expect(file.prepare('SELECT month_used FROM sites').get()).toEqual({ month_used: 1 });
  });

  it('is found by a meter that has seen its version with a release that knew no sites', async () => {
    const ledger = await begin();
    addSite('site_1', 'usr_1');
    const found = await changesSince(database, 'mbx_1', ledger.accounts.version);
    if (found) ledger.accounts.apply({ ...found, keys: [] });
    expect(make(ledger, 'a', true)).toBe('unknown-key');
    await changes(ledger);
    expect(make(ledger, 'a', true)).toBe('reserved');
  });
});

describe('the version of a mailbox', () => {
  it('rises with all that a meter has a copy of, and with nothing of another mailbox', async () => {
    const first = await loadMailbox(database, 'mbx_1', 5);
    const version = first?.version ?? 0;
    expect(await changesSince(database, 'mbx_1', version)).toMatchObject({
      accounts: [],
      keys: [],
    });
    file.exec(`UPDATE api_keys SET status = 'revoked' WHERE user_id = 'usr_2';
               UPDATE api_keys SET name = 'other', all_time_used = 9`);
    expect((await changesSince(database, 'mbx_1', version))?.version).toBe(version);
    const changes = [
      [`UPDATE api_keys SET status = 'revoked' WHERE id = 'key_1'`, 'keys'],
      [`UPDATE users SET granted_files = 5 WHERE id = 'usr_1'`, 'accounts'],
      [
        `INSERT INTO payments (id, user_id, pack, files, amount, currency, created_at)
         VALUES ('pay_1', 'usr_1', 'p', 5, 5, 'usd', 0);
         UPDATE payments SET granted = 5`,
        'payments',
      ],
      [
        `INSERT INTO api_keys (id, user_id, hash, prefix, name, created_at)
         VALUES ('key_3', 'usr_1', 'hash_3', 'p', 'new', 0)`,
        'keys',
      ],
      [`UPDATE users SET email = NULL WHERE id = 'usr_1'`, 'accounts'],
    ] as const;
    let seen = version;
    for (const [sql, rows] of changes) {
      file.exec(sql);
      const found = await changesSince(database, 'mbx_1', seen);
      expect(found?.[rows], sql).toHaveLength(1);
      expect(found?.version, sql).toBeGreaterThan(seen);
      seen = found?.version ?? 0;
    }
  });
});
