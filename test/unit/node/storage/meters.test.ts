import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { provideGlobals } from '../../../../src/node/http/streams.ts';
import { Alarms } from '../../../../src/node/storage/alarms.ts';
import { Meters } from '../../../../src/node/storage/objects.ts';
import { SqliteFile } from '../../../../src/node/storage/sqlite-file.ts';
import { openRecords } from '../../../../src/node/storage/state-folder.ts';
import { quotaTerms } from '../../../../src/policy/quota.ts';
import { inFolder, placeOf } from '../../../support/bindings.ts';
import { meterPlatform, newKey, usedIn, useFile } from '../../../support/node/metered.ts';

beforeAll(provideGlobals);
afterEach(() => {
  vi.useRealTimers();
});

const process_ = join(import.meta.dirname, '../../../support/node/metered-process.ts');

it('a meter that is closed for others reads its tables, and none is closed while it is called', async () => {
  await inFolder(async (folder) => {
    const { DB, close } = await openRecords(placeOf(folder));
    const meters = new Meters(join(folder, 'meters'), meterPlatform(DB), 2);
    const keys = await Promise.all(
      Array.from({ length: 6 }, (_, i) => newKey(DB, `user${i}@gmail.com`)),
    );
    const use = () =>
      Promise.all(
        keys.map(({ mailboxId, keyHash }) => useFile(meters.getByName(mailboxId), keyHash)),
      );
    await use();
    const [first = await newKey(DB, 'a@gmail.com')] = keys;
    // Asks the database again, at most once a second.
    const terms = quotaTerms(Date.now(), {
      ...{ freeFilesPerMonth: 1, maxFilesPerMinute: 1, unchargedPerDay: 1 },
      unchargedCpuMsPerDay: 1,
    });
    const waiting = meters.getByName(first.mailboxId).reserve('res_1', 'no such key', terms);
    await use();
    expect(await waiting).toEqual({ kind: 'unknown-key', isExpired: false });
    for (const { mailboxId } of keys) await meters.getByName(mailboxId).flush();
    for (const { mailboxId } of keys) expect(await usedIn(DB, mailboxId)).toBe(2);
    await meters.close();
    close();
  });
});

it('a meter keeps what it has counted when its process is killed, and its sums reach the database', {
  tags: 'slow',
}, async () => {
  await inFolder(async (folder) => {
    const { DB, close } = await openRecords(placeOf(folder));
    const { mailboxId, keyHash } = await newKey(DB, 'killed@gmail.com');
    let told = 0;
    const kills = 4;
    for (let i = 0; i < kills; i += 1) {
      const child = fork(process_, [folder, mailboxId, keyHash]);
      const least = told + 20 + 7 * i;
      child.on('message', () => {
        told += 1;
        if (told === least) child.kill('SIGKILL');
      });
      await once(child, 'exit');
    }
    const meters = new Meters(join(folder, 'meters'), meterPlatform(DB));
    // Nobody calls it: its alarm does.
    await vi.waitFor(async () => expect(await usedIn(DB, mailboxId)).toBeGreaterThan(0), 20_000);
    const used = await usedIn(DB, mailboxId);
    await meters.close();
    expect(used).toBeGreaterThanOrEqual(told);
    // Of each process, some that it could not tell any more.
    expect(used - told).toBeLessThan(20 * kills);
    close();
  });
});

it('alarms are called once, after a restart as well, and again if they fail or were interrupted', {
  tags: 'slow',
}, async () => {
  await inFolder(async (folder) => {
    const path = join(folder, 'alarms.sqlite');
    const called: string[] = [];
    const before = new Alarms(path);
    before.set('due', Date.now() - 1);
    before.set('later', Date.now() + 60_000);
    before.set('far', Date.now() + 24 * 60 * 60_000);
    // The clock is put back after that.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 24 * 60 * 60_000 });
    before.set('too far', Date.now() + 60_000);
    vi.useRealTimers();
    before.close();
    const after = new Alarms(path);
    after.start(async (name) => {
      called.push(name);
      expect(after.get(name)).toBeNull();
      if (name === 'due') after.set('due', Date.now() + 60_000);
    });
    await pause(2500);
    expect(called.sort()).toEqual(['due', 'too far']);
    expect(after.names().sort()).toEqual(['due', 'far', 'later']);
    expect(after.names(Date.now() + 120_000).sort()).toEqual(['due', 'later']);

    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61_000 });
    await pause(1500);
    expect(called.sort()).toEqual(['due', 'due', 'later', 'too far']);
    await after.stop();
    after.close();

    const failing = new Alarms(path);
    failing.set('failing', Date.now());
    failing.start(() => Promise.reject(new Error('no')));
    const errors = vi.spyOn(console, 'error').mockImplementation(() => {});
    await pause(1500);
    expect(errors).toHaveBeenCalledWith({ event: 'alarm_failed', error: 'Error: no' });
    errors.mockRestore();
    await failing.stop();
    expect(failing.names()).toContain('failing');
    failing.close();
  });
});

it('alarms of a file that does not say when they were set are called at their times', async () => {
  await inFolder(async (folder) => {
    const path = join(folder, 'alarms.sqlite');
    const file = new SqliteFile(path, false);
    file.script('CREATE TABLE alarms (name TEXT PRIMARY KEY, at INTEGER NOT NULL) STRICT');
    file.run('INSERT INTO alarms VALUES (?, ?)', 'due', Date.now() - 1);
    file.run('INSERT INTO alarms VALUES (?, ?)', 'later', Date.now() + 60_000);
    file.close();
    for (let i = 0; i < 2; i += 1) new Alarms(path).close();
    const alarms = new Alarms(path);
    const called: string[] = [];
    alarms.start(async (name) => void called.push(name));
    await pause(1500);
    expect(called).toEqual(['due']);
    await alarms.stop();
    alarms.close();
  });
});

it('an alarm that cannot be written down is called again a moment later, and other work goes on meanwhile', {
  tags: 'slow',
}, async () => {
  await inFolder(async (folder) => {
    const path = join(folder, 'alarms.sqlite');
    const alarms = new Alarms(path);
    alarms.set('due', Date.now() - 1);
    // Writes fail, as those to a full disk.
    const other = new DatabaseSync(path);
    other.exec('BEGIN IMMEDIATE');
    const errors = vi.spyOn(console, 'error').mockImplementation(() => {});
    let calls = 0;
    alarms.start(async () => {
      calls += 1;
      // Without a pause, this test would not end.
      if (calls === 20) other.exec('ROLLBACK');
    });
    await pause(2500);
    expect(calls).toBeOneOf([1, 2]);
    expect(errors).toHaveBeenCalledTimes(calls);
    errors.mockRestore();
    other.exec('ROLLBACK');
    await pause(1200);
    expect(alarms.names()).toEqual([]);
    other.close();
    await alarms.stop();
    alarms.close();
  });
});

it('a transaction is undone by an exception, also a part of it alone, and by a full disk', async () => {
  await inFolder(async (folder) => {
    const file = new SqliteFile(join(folder, 'a.sqlite'), true);
    const count = () => Number(file.run('SELECT count(*) AS n FROM a').rows[0]?.n);
    const insert = () => file.run('INSERT INTO a VALUES (?)', 'x'.repeat(1000)).changes;
    file.script('CREATE TABLE a (x TEXT) STRICT');
    const fail = () => {
      insert();
      throw new Error('no');
    };
    expect(() => file.transaction(fail)).toThrow('no');
    file.transaction(() => {
      insert();
      expect(() => file.transaction(fail)).toThrow('no');
      file.transaction(insert);
    });
    expect(count()).toBe(2);
    file.script('PRAGMA max_page_count = 8');
    const errors = vi.spyOn(console, 'error').mockImplementation(() => {});
    const fill = () => {
      for (let i = 0; i < 100; i += 1) insert();
    };
    expect(() => file.transaction(fill)).toThrow(/SQLITE_FULL$/);
    expect(errors.mock.calls[0]?.[0]).toMatchObject({ event: 'disk_full' });
    errors.mockRestore();
    expect(count()).toBe(2);
    file.script('PRAGMA max_page_count = 1000');
    file.transaction(insert);
    expect(count()).toBe(3);
    file.close();
  });
});
