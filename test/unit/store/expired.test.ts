import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, expect, it } from 'vitest';
import { clearExpired, maxSliceRows, maxStatements } from '../../../src/store/expired.ts';
import { clearedTables, expiredRows } from '../../support/expired-rows.ts';
import { isFull } from '../../support/full.ts';
import { type Executed, inProcess, recorded } from '../../support/recorded-database.ts';

const day = 24 * 60 * 60 * 1000;
const now = Date.UTC(2026, 10, 22, 12);
const terms = { now, firstDayKept: '2025-10-01', slugsFreeSince: now - 90 * day };
const folder = join(import.meta.dirname, '../../../migrations');

let file: DatabaseSync;
let batches: (readonly Executed[])[];
let database: D1Database;
beforeEach(() => {
  file = new DatabaseSync(':memory:');
  const names = readdirSync(folder).filter((name) => name.endsWith('.sql'));
  for (const name of names.sort()) file.exec(readFileSync(join(folder, name), 'utf8'));
  batches = [];
  database = recorded(inProcess(file), (batch) => batches.push(batch));
});

/** Fills every cleared table with this many expired rows. */
function fill(count: number): void {
  file.exec('BEGIN');
  for (const sql of expiredRows(count)) file.exec(sql);
  file.exec('COMMIT');
}

/** The number of expired rows in each table. */
function remaining(): Record<string, number> {
  return Object.fromEntries(
    Object.entries(clearedTables).map(([table, sql]) => [
      table,
      Number(file.prepare(sql).get()?.n),
    ]),
  );
}

const none = Object.fromEntries(Object.keys(clearedTables).map((table) => [table, 0]));

/** Statistics of users, keys and months, from all tables. */
function usage(): unknown[] {
  return file
    .prepare(
      `SELECT user_id, month, key_id, sum(files) AS files, sum(bytes_in) AS bytes_in,
              sum(bytes_out) AS bytes_out, sum(bytes_saved) AS bytes_saved
       FROM (SELECT * FROM usage_months
             UNION ALL SELECT user_id, substr(day, 1, 7), key_id, files, bytes_in, bytes_out, bytes_saved
             FROM usage_days) GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`,
    )
    .all();
}

const idsOf = (table: string, column = 'id') =>
  file
    .prepare(`SELECT ${column} AS id FROM ${table} ORDER BY 1`)
    .all()
    .map(({ id }) => id);

/** Clears until nothing is left, and returns the number of runs. */
async function clearAll(): Promise<number> {
  for (let runs = 1; runs <= 100; runs += 1) {
    batches.length = 0;
    await clearExpired(database, terms);
    expect(batches.flat().length).toBeLessThanOrEqual(maxStatements + 1);
    if (Object.values(remaining()).every((count) => count === 0)) return runs;
  }
  throw new Error(`not cleared: ${JSON.stringify(remaining())}`);
}

describe('clearing', () => {
  const count = isFull ? 100_000 : 5000;
  it(`clears ${count} expired rows of each table, a slice at a time, and loses nothing of statistics`, {
    tags: 'slow',
    timeout: 300_000,
  }, async () => {
    fill(count);
    expect(remaining()).toEqual(Object.fromEntries(Object.keys(none).map((name) => [name, count])));
    const before = usage();
    const changed: number[] = [];
    database = recorded(inProcess(file), (batch) => {
      batches.push(batch);
      changed.push(...batch.map((statement) => statement.changed));
    });
    await clearAll();
    expect(remaining()).toEqual(none);
    expect(Math.max(...changed)).toBe(maxSliceRows);
    expect(usage()).toEqual(before);
    expect(
      file.prepare(`SELECT count(*) AS n FROM payments WHERE status = 'failed'`).get()?.n,
    ).toBe(count);
    expect(idsOf('users')).toHaveLength(count);
  });

  it('clears all tables in turns, so that a full one keeps no other waiting', {
    tags: 'slow',
  }, async () => {
    fill(10);
    const insert = file.prepare(
      `INSERT INTO sessions SELECT lower(hex(randomblob(32))), users.id, 1, 2 FROM users, json_each(?)`,
    );
    insert.run(JSON.stringify(Array.from({ length: (maxStatements * maxSliceRows) / 10 })));
    await clearExpired(database, terms);
    expect(remaining()).toEqual({ ...none, sessions: expect.any(Number) });
    expect(remaining().sessions).toBeGreaterThan(0);
    expect(await clearAll()).toBe(1);
  });

  it('goes on where it was interrupted, whenever that was', async () => {
    fill(400);
    const before = usage();
    for (let batch = 1; ; batch += 1) {
      let left = batch;
      const dying = {
        prepare: database.prepare,
        batch: async (statements: D1PreparedStatement[]) => {
          if (left === 0) throw new Error('killed');
          left -= 1;
          return database.batch(statements);
        },
      } as unknown as D1Database;
      const outcome = await clearExpired(dying, terms).catch((error: Error) => error.message);
      expect(usage()).toEqual(before);
      if (outcome === undefined) break;
      expect(outcome).toBe('killed');
    }
    expect(remaining()).toEqual(none);
  });

  it('undoes a slice that fails half-way', async () => {
    fill(300);
    const before = usage();
    file.exec(`CREATE TRIGGER broken BEFORE DELETE ON usage_days WHEN old.files > 60
               BEGIN SELECT raise(ABORT, 'broken'); END`);
    await expect(clearExpired(database, terms)).rejects.toThrow('broken');
    expect(usage()).toEqual(before);
    file.exec('DROP TRIGGER broken');
    await clearAll();
    expect(usage()).toEqual(before);
  });

  it('may run several times at once', async () => {
    fill(1000);
    const before = usage();
    await Promise.all(Array.from({ length: 5 }, () => clearExpired(database, terms)));
    expect(remaining()).toEqual(none);
    expect(usage()).toEqual(before);
    const slices = batches.flat().map(({ changed }) => changed);
    expect(Math.max(...slices)).toBe(maxSliceRows);
  });

  it('leaves what has not expired', async () => {
    file.exec(`
      INSERT INTO mailboxes (id, name, left_at) VALUES
        ('in use', 'hash 1', NULL),
        ('left this month', 'hash 2', ${Date.UTC(2026, 10, 1)}),
        ('over', 'hash 3', ${Date.UTC(2026, 10, 1) - 1});
      INSERT INTO users (id, mailbox_id, email, epoch, created_at) VALUES
        ('active', 'in use', 'a@gmail.com', 0, 0);
      INSERT INTO mail_days VALUES ('2026-11-22', 3), ('2026-11-21', 4), ('2026-11-20', 5);
      INSERT INTO sessions VALUES ('open', 'active', 0, ${now + 1}), ('ended', 'active', 0, ${now});
      INSERT INTO challenges (id, address, network, digits, created_at, expires_at) VALUES
        ('new', '', '', 6, ${now - day + 1}, 0), ('tried', '', '', 6, ${now - day}, 0),
        ('old', '', '', 6, ${now - day}, 0);
      INSERT INTO code_tries VALUES
        ('young', 'tried', 1, '', NULL, ${now - day + 1}), ('expired', 'old', 1, '', NULL, ${now - day});
      INSERT INTO payments (id, user_id, pack, files, amount, currency, session_id, payment_intent, created_at)
        VALUES ('recent', 'active', '', 1, 1, 'usd', NULL, NULL, ${now - day + 1}),
               ('opened', 'active', '', 1, 1, 'usd', 'cs_1', 'pi_1', ${now - day}),
               ('unopened', 'active', '', 1, 1, 'usd', NULL, NULL, ${now - day});
      INSERT INTO payment_refunds VALUES ('pi_1', 'usd', 1, 1, 1, 0),
        ('pi_2', 'usd', 1, 1, 1, ${now - 30 * day}), ('pi_3', 'usd', 1, 1, 1, ${now - 30 * day + 1});
      INSERT INTO payment_disputes VALUES ('dp_1', 'pi_1', 'open', 0),
        ('dp_2', 'pi_2', 'open', ${now - 30 * day}), ('dp_3', 'pi_3', 'open', ${now - 30 * day + 1});
      INSERT INTO usage_days (user_id, day, key_id, files) VALUES
        ('active', '2025-09-30', 'k', 1), ('active', '2025-10-01', 'k', 2);
    `);
    await clearExpired(database, terms);
    expect(idsOf('mailboxes WHERE name IS NOT NULL')).toEqual(['in use', 'left this month']);
    expect(idsOf('sessions', 'hash')).toEqual(['open']);
    expect(idsOf('mail_days', 'day')).toEqual(['2026-11-21', '2026-11-22']);
    expect(idsOf('challenges')).toEqual(['new', 'tried']);
    expect(idsOf('code_tries')).toEqual(['young']);
    expect(idsOf(`payments WHERE status = 'pending'`)).toEqual(['opened', 'recent']);
    expect(idsOf('payment_refunds', 'payment_intent')).toEqual(['pi_1', 'pi_3']);
    expect(idsOf('payment_disputes')).toEqual(['dp_1', 'dp_3']);
    expect(idsOf('usage_days', 'day')).toEqual(['2025-10-01']);
    expect(idsOf('usage_months', 'month')).toEqual(['2025-09']);
  });

  it('finds facts of unknown payments behind those that belong to some', async () => {
    fill(3 * maxSliceRows);
    await clearAll();
    // Every third one belongs to a payment, and so do all of the latest ones.
    file.exec(`
      UPDATE payments SET payment_intent = 'pi_' || rowid;
      INSERT INTO payment_refunds SELECT 'pi_' || rowid, 'usd', 1, 1, 1, 1000 + rowid FROM payments;
      INSERT INTO payment_disputes SELECT 'dp_' || rowid, 'pi_' || rowid, 'won', 1000 + rowid FROM payments;
      UPDATE payments SET payment_intent = NULL WHERE rowid % 3 <> 0 AND rowid < ${maxSliceRows + 9}`);
    const known = new Set(idsOf('payments WHERE payment_intent IS NOT NULL', 'payment_intent'));
    await clearExpired(database, terms);
    for (const table of ['payment_refunds', 'payment_disputes']) {
      expect(new Set(idsOf(table, 'payment_intent'))).toEqual(known);
    }
  });

  it('adds a day to its month that was booked after the month had been rolled up', async () => {
    file.exec(`
      INSERT INTO mailboxes (id) VALUES ('m');
      INSERT INTO users (id, mailbox_id, epoch, created_at) VALUES ('u', 'm', 0, 0)`);
    for (const files of [1, 20]) {
      file
        .prepare(`INSERT INTO usage_days VALUES ('u', '2024-02-29', 'k', ?1, 10, 7, 3)`)
        .run(files);
      await clearExpired(database, terms);
    }
    const figures = { files: 21, bytes_in: 20, bytes_out: 14, bytes_saved: 6 };
    const [row, ...others] = file.prepare('SELECT * FROM usage_months').all();
    expect({ ...row }).toEqual({ user_id: 'u', month: '2024-02', key_id: 'k', ...figures });
    expect(others).toEqual([]);
  });

  it('reads no table from end to end', async () => {
    await clearExpired(database, terms);
    const scanned: string[] = [];
    const tables = [...Object.keys(clearedTables), 'usage_months'];
    for (const { sql } of batches.flat()) {
      const steps = file.prepare(`EXPLAIN QUERY PLAN ${sql}`).all();
      for (const { detail } of steps) {
        const [, table = ''] = /^SCAN (\w+)/.exec(String(detail)) ?? [];
        if (tables.includes(table)) scanned.push(table);
        expect(detail, sql).not.toBe('USE TEMP B-TREE FOR ORDER BY');
      }
    }
    expect(batches.flat()).toHaveLength(Object.keys(clearedTables).length + 3);
    expect(scanned).toEqual([]);
  });
});
