import { execFileSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Writable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, expect, it } from 'vitest';
import type { KeyLogCalls } from '../../../../src/key-log/key-log.ts';
import type { KeyRequest } from '../../../../src/key-log/rings.ts';
import { provideGlobals } from '../../../../src/node/http/streams.ts';
import { restoreBackup, writeBackup } from '../../../../src/node/storage/backup.ts';
import { KeyLogs, Meters } from '../../../../src/node/storage/objects.ts';
import { openRecords, openState, type State } from '../../../../src/node/storage/state-folder.ts';
import { raisedVersions } from '../../../../src/store/database.ts';
import { inFolder, noOthers, placeOf } from '../../../support/bindings.ts';
import { meterPlatform, newKey, usedIn, useFile } from '../../../support/node/metered.ts';

beforeAll(provideGlobals);

/** Runs work with a state folder and its meters, as a server has them. */
async function serving<Result>(
  folder: string,
  work: (parts: { DB: ReturnType<State['platform']>['DB']; meters: Meters }) => Promise<Result>,
): Promise<Result> {
  const { DB, close } = await openRecords(placeOf(folder));
  const meters = new Meters(join(folder, 'meters'), meterPlatform(DB));
  try {
    return await work({ DB, meters });
  } finally {
    await meters.close();
    close();
  }
}

const request: KeyRequest = {
  ...{ at: Date.now(), route: '/v1/optimize', status: 200, code: null },
  ...{ bytesIn: 2, bytesOut: 1, milliseconds: 3, charged: 1 },
};

/** Runs work with the logs of the keys of a mailbox. */
async function withLog(
  folder: string,
  DB: ReturnType<State['platform']>['DB'],
  mailboxId: string,
  work: (log: KeyLogCalls) => Promise<void>,
): Promise<void> {
  const keyLogs = new KeyLogs(join(folder, 'key-logs'), { DB });
  try {
    await work(keyLogs.getByName(mailboxId));
  } finally {
    await keyLogs.close();
  }
}

/** Waits until the database of a folder knows that so many files were used. */
async function knows(DB: Parameters<typeof usedIn>[0], mailboxId: string, used: number) {
  for (let i = 0; i < 50 && (await usedIn(DB, mailboxId)) !== used; i += 1) await pause(100);
  expect(await usedIn(DB, mailboxId)).toBe(used);
}

it('a backup that is made while files are counted can be restored, and its books agree', async () => {
  await inFolder(async (folder) => {
    const [data, other, file] = ['data', 'other', 'backup.tar.gz'].map((it) => join(folder, it));
    if (!data || !other || !file) throw new Error();
    const { mailboxId, keyHash, before, after } = await serving(data, async ({ DB, meters }) => {
      const key = await newKey(DB, 'you@gmail.com');
      const meter = meters.getByName(key.mailboxId);
      await withLog(data, DB, key.mailboxId, async (log) => {
        await log.record({ id: 'batch', requests: [{ keyHash: key.keyHash, ...request }] });
      });
      let used = 0;
      let isOver = false;
      const using = (async () => {
        while (!isOver) {
          await useFile(meter, key.keyHash);
          used += 1;
          // Others come in between.
          await pause(0);
        }
      })();
      await pause(50);
      const before = used;
      expect(await writeBackup(data, file)).toBe(1);
      const after = used + 1;
      isOver = true;
      await using;
      expect(before).toBeGreaterThan(0);
      return { ...key, before, after };
    });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder).sort()).toEqual(['backup.tar.gz', 'data']);
    expect(execFileSync('tar', ['tzf', file], { encoding: 'utf8' }).split('\n')).toEqual([
      'service.sqlite',
      `meters/${mailboxId}.sqlite`,
      'meters/alarms.sqlite',
      `key-logs/${mailboxId}.sqlite`,
      'key-logs/alarms.sqlite',
      'secrets.json',
      '',
    ]);

    expect(await restoreBackup(file, other)).toBe(1);
    for (const name of ['service.sqlite', 'secrets.json', `meters/${mailboxId}.sqlite`]) {
      expect(statSync(join(other, name)).mode & 0o777, name).toBe(0o600);
    }
    const secrets = (of: string) => readFileSync(join(of, 'secrets.json'), 'utf8');
    expect(secrets(other)).toBe(secrets(data));
    await serving(other, async ({ DB, meters }) => {
      const meter = meters.getByName(mailboxId);
      await useFile(meter, keyHash);
      await meter.flush();
      const used = (await usedIn(DB, mailboxId)) - 1;
      expect(used).toBeGreaterThanOrEqual(before);
      expect(used).toBeLessThanOrEqual(after);
      await withLog(other, DB, mailboxId, async (log) => {
        expect(await log.requests(keyHash)).toEqual([request]);
        // Its alarm is kept, for the day on which it has something to delete.
        const alarms = new DatabaseSync(join(other, 'key-logs', 'alarms.sqlite'));
        const at = () => Number(alarms.prepare('SELECT at FROM alarms').get()?.at);
        for (let i = 0; i < 50 && at() < Date.now(); i += 1) await pause(100);
        expect(at()).toBeGreaterThan(Date.now() + 7 * 24 * 60 * 60_000);
        alarms.close();
      });
    });
  });
});

it('has no trace of what was deleted before, nor does the folder after an hour', async () => {
  await inFolder(async (folder) => {
    const [data, other, file] = [join(folder, 'data'), join(folder, 'other'), join(folder, 'b')];
    const [first, second] = ['erased.before@example.com', 'erased.today@example.com'];
    const traces = (of: string) =>
      readdirSync(of).filter((name) => {
        if (!name.startsWith('service.sqlite')) return false;
        const bytes = readFileSync(join(of, name));
        return bytes.includes(first) || bytes.includes(second);
      });
    await openRecords(placeOf(data)).then(({ close }) => close());
    // As versions did that left what they deleted.
    const db = new DatabaseSync(join(data, 'service.sqlite'));
    db.exec(`PRAGMA secure_delete = OFF; CREATE TABLE notes (text TEXT)`);
    db.prepare('INSERT INTO notes VALUES (?1)').run(first);
    db.exec('DELETE FROM notes');
    db.close();
    expect(traces(data)).not.toEqual([]);
    await writeBackup(data, file);
    await restoreBackup(file, other);
    expect(traces(other)).toEqual([]);

    const state = await openState(placeOf(other));
    try {
      const { DB } = state.platform(noOthers);
      await DB.prepare('INSERT INTO notes VALUES (?1)').bind(second).run();
      expect(traces(other)).not.toEqual([]);
      await DB.prepare('DELETE FROM notes').run();
      await Promise.all(state.clear(Date.now(), 2 ** 30));
      expect(traces(other)).toEqual([]);
    } finally {
      await state.close();
    }
  });
});

it('what meters told the database after it was copied, they tell the restored one', async () => {
  await inFolder(async (folder) => {
    const data = join(folder, 'data');
    const key = await serving(data, async ({ DB, meters }) => {
      const made = await newKey(DB, 'you@gmail.com');
      const meter = meters.getByName(made.mailboxId);
      await useFile(meter, made.keyHash);
      await meter.flush();
      await writeBackup(data, join(folder, 'early'));
      await useFile(meter, made.keyHash);
      await meter.flush();
      const row = await DB.prepare('SELECT id, user_id AS userId FROM api_keys').first<{
        id: string;
        userId: string;
      }>();
      if (!row) throw new Error('no key');
      await meter.revoke({ ...row, hash: made.keyHash });
      await meter.flush();
      await writeBackup(data, join(folder, 'late'));
      return made;
    });
    // The database of the first, as if the meters had been copied that much later.
    const [mixed, late] = [join(folder, 'mixed'), join(folder, 'later')];
    await restoreBackup(join(folder, 'early'), mixed);
    await restoreBackup(join(folder, 'late'), late);
    rmSync(join(mixed, 'meters'), { recursive: true });
    cpSync(join(late, 'meters'), join(mixed, 'meters'), { recursive: true });
    await serving(mixed, async ({ DB }) => {
      expect(await usedIn(DB, key.mailboxId)).toBe(1);
      await knows(DB, key.mailboxId, 2);
      expect(await DB.prepare('SELECT status FROM api_keys').first()).toEqual({
        status: 'revoked',
      });
    });
  });
});

it('accounts that begin while a backup is made are not in it, keep no meter from telling its sums, and are let in nowhere', async () => {
  await inFolder(async (folder) => {
    const [data, other, file] = [join(folder, 'data'), join(folder, 'other'), join(folder, 'b')];
    let lateKey = '';
    const mailboxId = await serving(data, async ({ DB, meters }) => {
      await DB.prepare('CREATE TABLE padding AS SELECT randomblob(12000000) AS bytes').run();
      const use = (key: Awaited<ReturnType<typeof newKey>>) =>
        useFile(meters.getByName(key.mailboxId), key.keyHash);
      const first = await newKey(DB, 'you@gmail.com');
      await use(first);
      const begin = async () => {
        await use(first);
        const sibling = await newKey(DB, 'y.o.u@gmail.com');
        expect(sibling.mailboxId).toBe(first.mailboxId);
        await use(sibling);
        lateKey = sibling.keyHash;
        await use(await newKey(DB, 'another@gmail.com'));
      };
      const chunks: Buffer[] = [];
      let begun: Promise<void> | null = null;
      // The first bytes come when the database has been copied; the meters, when these have been taken.
      const slow = new Writable({
        highWaterMark: 1,
        write(chunk, _, done) {
          chunks.push(chunk);
          begun ??= begin();
          begun.then(() => done(), done);
        },
      });
      expect(await writeBackup(data, slow)).toBe(1);
      writeFileSync(file, Buffer.concat(chunks));
      return first.mailboxId;
    });
    await restoreBackup(file, other);
    expect(readdirSync(join(other, 'meters')).sort()).toEqual(
      ['alarms.sqlite', `${mailboxId}.sqlite`].sort(),
    );
    await serving(other, async ({ DB, meters }) => {
      expect(await usedIn(DB, mailboxId)).toBe(0);
      await knows(DB, mailboxId, 2);
      // Nobody could revoke it: the database does not know it.
      await expect(useFile(meters.getByName(mailboxId), lateKey)).rejects.toThrow('unknown-key');
    });
  });
});

it('meters heed what changes in a restored database, though they have seen more', async () => {
  await inFolder(async (folder) => {
    const [data, other] = [join(folder, 'data'), join(folder, 'other')];
    await serving(data, async ({ DB }) => {
      await newKey(DB, 'you@gmail.com');
      const names = await DB.prepare(
        `SELECT s.name FROM sqlite_schema s JOIN pragma_table_info(s.name) c
         WHERE s.type = 'table' AND c.name = 'version' ORDER BY s.name`,
      ).all<{ name: string }>();
      const tables = names.results.map(({ name }) => name);
      expect(raisedVersions(tables)).toHaveLength(tables.length);
      expect(raisedVersions(['mailboxes'])).toHaveLength(1);
    });
    await writeBackup(data, join(folder, 'backup'));
    await restoreBackup(join(folder, 'backup'), other);
    const versionIn = (place: string) =>
      serving(place, async ({ DB }) => {
        const row = await DB.prepare('SELECT version FROM mailboxes').first<{ version: number }>();
        return row?.version ?? Number.NaN;
      });
    expect(await versionIn(other)).toBe((await versionIn(data)) + 1e9);
  });
});

it('after a restore that was killed no server starts, and another one does it over', async () => {
  await inFolder(async (folder) => {
    const [data, file] = [join(folder, 'data'), join(folder, 'backup')];
    const [target, broken] = [join(folder, 'target'), join(folder, 'broken')];
    await serving(data, ({ DB }) => newKey(DB, 'you@gmail.com'));
    await writeBackup(data, file);
    mkdirSync(join(target, '.restoring/meters'), { recursive: true });
    writeFileSync(join(target, '.restoring/secrets.json'), 'half');
    await expect(openState(placeOf(target))).rejects.toThrow('A restore broke off');
    await restoreBackup(file, target);
    await serving(target, async ({ DB }) => {
      expect((await DB.prepare('SELECT id FROM api_keys').all()).results).toHaveLength(1);
    });

    await restoreBackup(file, broken);
    mkdirSync(join(broken, '.restoring'));
    await expect(openState(placeOf(broken))).rejects.toThrow('A restore broke off');
    await expect(restoreBackup(file, broken)).rejects.toThrow('is not empty');
    await expect(openState(placeOf(broken))).rejects.toThrow('A restore broke off');
  });
});

it('a backup is restored into an empty folder only, whole or not at all, and replaces no file', async () => {
  await inFolder(async (folder) => {
    const [data, file] = [join(folder, 'data'), join(folder, 'backup')];
    await serving(data, ({ DB }) => newKey(DB, 'you@gmail.com'));
    await writeBackup(data, file);
    await expect(writeBackup(data, file)).rejects.toThrow(`${file} exists already.`);
    await expect(writeBackup(join(folder, 'none'), join(folder, 'b'))).rejects.toThrow(
      'has no data of the service: set STATE_DIR.',
    );
    await expect(restoreBackup(file, data)).rejects.toThrow('is not empty');

    const target = join(folder, 'target');
    const whole = readFileSync(file);
    const damaged = Buffer.from(whole);
    damaged.writeUInt8(damaged.readUInt8(whole.length >> 1) ^ 0x55, whole.length >> 1);
    mkdirSync(join(folder, 'source'));
    writeFileSync(join(folder, 'source/evil'), 'text');
    const foreign = join(folder, 'foreign.tar.gz');
    execFileSync('tar', ['czf', foreign, '-C', join(folder, 'source'), 'evil']);
    const bad = { cut: whole.subarray(0, -9), damaged, foreign: readFileSync(foreign) };
    for (const [name, bytes] of Object.entries(bad)) {
      writeFileSync(join(folder, name), bytes);
      await expect(restoreBackup(join(folder, name), target), name).rejects.toThrow(
        'is not a whole backup',
      );
      expect(readdirSync(target).filter((it) => !it.startsWith('server.lock'))).toEqual([]);
    }
    const state = await openState(placeOf(target));
    state.platform(noOthers);
    await expect(restoreBackup(file, target)).rejects.toThrow('Another server uses');
    await state.close();
  });
});
