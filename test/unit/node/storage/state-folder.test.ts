import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../../../../scripts/local/root.ts';
import type { MeterCalls } from '../../../../src/meter/meter.ts';
import { migrate } from '../../../../src/node/storage/migrations.ts';
import { demandFolder, openRecords, openState } from '../../../../src/node/storage/state-folder.ts';
import { askForDomains } from '../../../../src/node/terminal.ts';
import { newestMigration } from '../../../../src/store/health.ts';
import { inFolder, noOthers, placeOf } from '../../../support/bindings.ts';

const secretNames = ['CODE_SECRET', 'KEY_SECRETS', 'TOKEN_SECRETS'];

it('a second server ends with one line, while commands work beside the first, and after it a server starts', {
  tags: 'slow',
}, async () => {
  await inFolder(async (folder) => {
    const state = await openState(placeOf(folder));
    state.platform(noOthers);
    await expect(openState(placeOf(folder))).rejects.toThrow(
      `Another server uses the state folder ${folder}: stop it first, or set STATE_DIR.`,
    );
    const { status, stdout } = spawnSync(
      process.execPath,
      ['scripts/key.ts', 'you@gmail.com', '--node'],
      { cwd: root, env: { ...process.env, STATE_DIR: folder }, encoding: 'utf8' },
    );
    expect([status, stdout]).toEqual([0, expect.stringMatching(/^fewer_\w{63}\n$/)]);
    await state.close();
    await (await openState(placeOf(folder))).close();
  });
});

it('secrets are made once, for the owner alone, and those of the environment go first', async () => {
  await inFolder(async (folder) => {
    const first = await openState(placeOf(folder));
    first.keep('ALLOWED_EMAIL_DOMAINS', 'mine.example');
    const { texts } = first;
    await first.close();
    expect(Object.keys(texts)).toEqual([...secretNames, 'ALLOWED_EMAIL_DOMAINS']);
    const file = join(folder, 'secrets.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);

    const environment = { CODE_SECRET: 'mine', STRIPE_SECRET_KEY: 'too', PORT: '1' };
    const second = await openState({ ...placeOf(folder), environment });
    await second.close();
    expect(second.texts).toEqual({ ...texts, CODE_SECRET: 'mine', STRIPE_SECRET_KEY: 'too' });
    expect(readdirSync(folder).filter((name) => name.startsWith('secrets'))).toHaveLength(1);

    writeFileSync(file, '{"CODE_SECRET": 7}');
    await expect(openState(placeOf(folder))).rejects.toThrow(`${file} is damaged`);
    rmSync(file);
    await expect(openState(placeOf(folder))).rejects.toThrow(
      `${file} is missing, and the data beside it cannot be read without: put it back, or set ${secretNames.join(', ')}.`,
    );
    expect(existsSync(file)).toBe(false);
  });
});

it('a start in a terminal asks who may sign in until there was an answer, of which Enter is one', async () => {
  await inFolder(async (folder) => {
    let asked = 0;
    const start = async (answer: () => Promise<string>) => {
      const state = await openState(placeOf(folder));
      const asking = askForDomains(() => {
        asked += 1;
        return answer();
      }, state);
      await asking.catch(() => {});
      const { texts } = state;
      await state.close();
      return Object.keys(texts);
    };
    await start(() => Promise.reject(new Error('Ctrl-C')));
    expect(await start(async () => '')).toEqual(secretNames);
    expect(await start(async () => 'mine.example')).toEqual(secretNames);
    expect(asked).toBe(2);
  });
});

it('what a process left that was killed while it looked at the folder is cleared by the next', async () => {
  await inFolder(async (folder) => {
    mkdirSync(join(folder, '.probe'));
    demandFolder(folder);
    expect(readdirSync(folder)).toEqual([]);
  });
});

it('what is kept is the owner’s alone, also in a folder that others can enter', async () => {
  await inFolder(async (folder) => {
    chmodSync(folder, 0o755);
    const state = await openState(placeOf(folder));
    const { METER, RESULTS } = state.platform(noOthers);
    await RESULTS?.put('site_1/a', 'hello');
    await (METER.getByName('mbx_1') as MeterCalls).flush();
    const entries = readdirSync(folder, { recursive: true }).map(String);
    expect(entries).toEqual(
      expect.arrayContaining(['service.sqlite-wal', 'meters/mbx_1.sqlite', 'results/site_1']),
    );
    expect(entries.filter((entry) => statSync(join(folder, entry)).mode & 0o077)).toEqual([]);
    await state.close();
  });
});

it('a database of an earlier version is copied before it is migrated', async () => {
  await inFolder(async (folder) => {
    const older = join(folder, 'older');
    await cp(placeOf(folder).migrations, older, {
      recursive: true,
      filter: (path) => !path.endsWith(newestMigration),
    });
    const data = join(folder, 'data');
    await (await openState({ ...placeOf(data), migrations: older })).close();
    await (await openState(placeOf(data))).close();
    const copy = `service-before-${newestMigration.slice(0, 4)}.sqlite`;
    expect(readdirSync(data).filter((name) => name.includes('before'))).toEqual([copy]);
    expect(readFileSync(join(data, copy)).includes(newestMigration)).toBe(false);
    const { DB, close } = await openRecords(placeOf(data));
    const { results } = await DB.prepare('SELECT name FROM d1_migrations ORDER BY id').all();
    expect(results.at(-1)).toEqual({ name: newestMigration });
    await migrate(DB, placeOf(data).migrations);
    close();
  });
});
