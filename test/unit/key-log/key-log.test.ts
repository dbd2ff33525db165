import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { keyLogOn } from '../../../src/key-log/key-log.ts';
import { provideGlobals } from '../../../src/node/http/streams.ts';
import { KeyLogs, Meters } from '../../../src/node/storage/objects.ts';
import { SqliteFile } from '../../../src/node/storage/sqlite-file.ts';
import { openRecords } from '../../../src/node/storage/state-folder.ts';
import type { D1Database } from '../../../src/platform.ts';
import { eraseAccount } from '../../../src/store/accounts.ts';
import { inFolder, onNode, placeOf } from '../../support/bindings.ts';
import { memorySql } from '../../support/ledger.ts';
import { meterPlatform, newKey, usedIn, useFile } from '../../support/node/metered.ts';

beforeAll(provideGlobals);
afterEach(() => {
  vi.useRealTimers();
});

const day = 24 * 60 * 60_000;

let batches = 0;
/** A batch of one request with each of these keys. */
function batchOf(...hashes: readonly string[]) {
  const figures = { bytesIn: 2, bytesOut: 1, milliseconds: 3, charged: 1 };
  const request = { at: Date.now(), route: '/v1/optimize', status: 200, code: null, ...figures };
  batches += 1;
  return { id: `batch_${batches}`, requests: hashes.map((keyHash) => ({ keyHash, ...request })) };
}

/** The logs of a mailbox with a database and an alarm of their own. */
class Logs {
  readonly file = new DatabaseSync(':memory:');
  alarm: number | null = null;
  /** Whether the database of the object is broken. */
  isBroken = false;
  /** What happens while the object asks for its alarm. */
  meanwhile: () => Promise<void> = async () => {};
  readonly #DB: D1Database;

  constructor(DB: D1Database) {
    this.#DB = DB;
  }

  /** The object after it was loaded. */
  wake() {
    const KeyLog = keyLogOn(class {});
    const storage = {
      sql: memorySql(this.file),
      transactionSync: <Result>(change: () => Result) => {
        if (this.isBroken) throw new Error('broken');
        return change();
      },
      getAlarm: async () => {
        const { alarm } = this;
        await this.meanwhile();
        return alarm;
      },
      setAlarm: async (at: number) => {
        this.alarm = at;
      },
    };
    return new KeyLog({ id: {}, storage }, { DB: this.#DB });
  }

  get tables(): number {
    return this.file.prepare('SELECT * FROM sqlite_schema').all().length;
  }
}

async function userOf(DB: D1Database, keyHash: string): Promise<string> {
  const row = await DB.prepare('SELECT user_id FROM api_keys WHERE hash = ?1')
    .bind(keyHash)
    .first<{ user_id: string }>();
  return row?.user_id ?? '';
}

it('a lone request costs one row, and an alarm only if none is set', async () => {
  await onNode(async ({ DB }) => {
    const { keyHash } = await newKey(DB, 'lone@gmail.com');
    const logs = new Logs(DB);
    const log = logs.wake();
    await log.record(batchOf(keyHash));
    expect(await log.writes()).toEqual({ rows: 1, alarms: 1 });
    for (let i = 2; i <= 5; i += 1) {
      await log.record(batchOf(keyHash));
      expect(await log.writes()).toEqual({ rows: i, alarms: 1 });
    }
    const woken = logs.wake();
    await woken.record(batchOf(keyHash));
    expect(await woken.writes()).toEqual({ rows: 1, alarms: 0 });
    expect(await woken.requests(keyHash)).toHaveLength(6);
  });
});

it('a repeated call records nothing more, also one that comes at the same time or after a failure', async () => {
  await onNode(async ({ DB }) => {
    const { keyHash } = await newKey(DB, 'repeated@gmail.com');
    const logs = new Logs(DB);
    const log = logs.wake();
    const batch = batchOf(keyHash, keyHash);
    logs.isBroken = true;
    await expect(log.record(batch)).rejects.toThrow('broken');
    logs.isBroken = false;
    await Promise.all([log.record(batch), log.record(batch)]);
    await log.record(batch);
    expect(await log.requests(keyHash)).toHaveLength(2);
    expect((await log.writes()).rows).toBe(1);
  });
});

it('keys that never existed leave nothing, whoever sends them', async () => {
  await onNode(async ({ DB }) => {
    const { keyHash } = await newKey(DB, 'known@gmail.com');
    const logs = new Logs(DB);
    const log = logs.wake();
    await log.record(batchOf('nobody', 'nothing'));
    expect([logs.tables, logs.alarm, await log.writes()]).toEqual([
      ...[0, null, { rows: 0, alarms: 0 }],
    ]);
    await log.record(batchOf('nobody', keyHash));
    expect((await log.writes()).rows).toBe(1);
    expect(await log.requests('nobody')).toEqual([]);
    expect(await log.requests(keyHash)).toHaveLength(1);
  });
});

it('while the database of accounts is down, the log of a key that has one goes on', async () => {
  await onNode(async ({ DB }) => {
    const { keyHash } = await newKey(DB, 'down@gmail.com');
    let isDown = false;
    const prepare = (sql: string) => {
      if (isDown) throw new Error('down');
      return DB.prepare(sql);
    };
    const logs = new Logs({ prepare, batch: DB.batch });
    const log = logs.wake();
    await log.record(batchOf(keyHash));
    isDown = true;
    for (const one of [log, logs.wake()]) await one.record(batchOf(keyHash));
    expect(await log.requests(keyHash)).toHaveLength(3);
    await expect(log.record(batchOf('unknown'))).rejects.toThrow('down');
  });
});

it('an account that is deleted takes its logs with it, whatever ends later', async () => {
  await onNode(async ({ DB }) => {
    const { keyHash } = await newKey(DB, 'leaving@gmail.com');
    const { keyHash: unused } = await newKey(DB, 'leaving@gmail.com');
    const userId = await userOf(DB, keyHash);
    const logs = new Logs(DB);
    const log = logs.wake();
    await log.record(batchOf(keyHash));
    // One has just found its key in the database of accounts, which still has it.
    const late = log.record(batchOf(unused));
    await log.erase(userId);
    await late;
    for (const one of [log, logs.wake()]) {
      await one.record(batchOf(keyHash, unused));
      expect([...(await one.requests(keyHash)), ...(await one.requests(unused))]).toEqual([]);
    }
    await eraseAccount(DB, { userId, address: 'hmac' }, Date.now());
    expect(logs.file.prepare('SELECT * FROM slots').all()).toEqual([]);

    // Where nothing says so any more, the database of accounts does.
    const others = new Logs(DB);
    await others.wake().record(batchOf(keyHash));
    expect(others.tables).toBe(0);
  });
});

it('the log of a revoked key takes what ends later', async () => {
  await onNode(async ({ DB }) => {
    const { keyHash } = await newKey(DB, 'revoked@gmail.com');
    await DB.prepare("UPDATE api_keys SET status = 'revoked' WHERE hash = ?1").bind(keyHash).run();
    const log = new Logs(DB).wake();
    await log.record(batchOf(keyHash));
    expect(await log.requests(keyHash)).toHaveLength(1);
  });
});

it('an alarm never throws, and comes again until all is deleted', async () => {
  await onNode(async ({ DB }) => {
    const { keyHash } = await newKey(DB, 'kept@gmail.com');
    const logs = new Logs(DB);
    const log = logs.wake();
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-23T10:00:00Z') });
    await log.record(batchOf(keyHash));
    vi.setSystemTime(Date.now() + 2 * day);
    await log.record(batchOf(keyHash));
    const ring = async () => {
      vi.setSystemTime(logs.alarm ?? 0);
      logs.alarm = null;
      await log.alarm();
    };
    expect(new Date(logs.alarm ?? 0).toISOString()).toMatch(/^2026-12-01T0[0-6]/);
    logs.isBroken = true;
    const errors = vi.spyOn(console, 'error').mockImplementation(() => {});
    await ring();
    expect(errors).toHaveBeenCalledWith({ event: 'requests_not_deleted', error: 'Error: broken' });
    errors.mockRestore();
    expect(logs.alarm).toBe(Date.now() + 60_000);
    logs.isBroken = false;
    await ring();
    expect(logs.file.prepare('SELECT * FROM slots').all()).toHaveLength(1);
    expect(new Date(logs.alarm ?? 0).toISOString()).toMatch(/^2026-12-03T0[0-6]/);
    await ring();
    expect(logs.file.prepare('SELECT * FROM slots').all()).toEqual([]);
    expect(logs.alarm).toBeNull();
  });
});

it('no row is without an alarm, even if one comes while a request is recorded', async () => {
  await onNode(async ({ DB }) => {
    const { keyHash } = await newKey(DB, 'meanwhile@gmail.com');
    const logs = new Logs(DB);
    logs.alarm = Date.now() - 1;
    const log = logs.wake();
    logs.meanwhile = async () => {
      logs.meanwhile = async () => {};
      logs.alarm = null;
      await log.alarm();
    };
    await log.record(batchOf(keyHash));
    expect(await log.requests(keyHash)).toHaveLength(1);
    expect(logs.alarm).toBeGreaterThan(Date.now() + 7 * day);
  });
});

it('on Node it is in a file of its own, whose alarm the flushes of the meter leave alone', {
  tags: 'slow',
}, async () => {
  await inFolder(async (folder) => {
    const { DB, close } = await openRecords(placeOf(folder));
    const meters = new Meters(join(folder, 'meters'), meterPlatform(DB));
    const keyLogs = new KeyLogs(join(folder, 'key-logs'), { DB });
    const { mailboxId, keyHash } = await newKey(DB, 'logged@gmail.com');
    const log = keyLogs.getByName(mailboxId);
    await useFile(meters.getByName(mailboxId), keyHash);
    await log.record(batchOf(keyHash));
    const file = new SqliteFile(join(folder, 'key-logs', `${mailboxId}.sqlite`), false);
    const rows = () => file.run('SELECT * FROM slots').rows.length;
    expect(rows()).toBe(1);
    const errors = vi.spyOn(console, 'error');

    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61_000 });
    await pause(2500);
    expect(await usedIn(DB, mailboxId)).toBe(1);
    await log.record(batchOf(keyHash));
    expect(await log.writes()).toEqual({ rows: 2, alarms: 1 });
    vi.setSystemTime(Date.now() + 6 * day);
    await pause(2500);
    expect(rows()).toBe(1);
    vi.setSystemTime(Date.now() + 3 * day);
    await pause(2500);
    expect(rows()).toBe(0);
    expect(errors).not.toHaveBeenCalled();
    errors.mockRestore();
    file.close();
    await keyLogs.close();
    await meters.close();
    close();
  });
});
