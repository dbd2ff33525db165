import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { root } from '../../../scripts/local/root.ts';
import { hashApiKey } from '../../../src/access/api-key.ts';
import { runCommand } from '../../../src/node/commands.ts';
import { openState } from '../../../src/node/storage/state-folder.ts';
import { inFolder, noOthers, placeOf } from '../../support/bindings.ts';

interface Ran {
  readonly status: number;
  readonly stdout: Buffer;
  readonly told: string;
}

/** Runs a command in a process of its own. */
function run(folder: string, args: readonly string[], input = Buffer.alloc(0)): Promise<Ran> {
  const env = { ...process.env, STATE_DIR: folder };
  const options = { cwd: root, env, encoding: 'buffer' } as const;
  return new Promise((ended) => {
    const child = execFile(
      process.execPath,
      ['scripts/state.ts', ...args],
      options,
      (error, stdout, stderr) => {
        ended({ status: error ? Number(error.code) : 0, stdout, told: String(stderr) });
      },
    );
    child.stdin?.end(input);
  });
}

it('keys and files are given beside a server, with the secrets that it has', async () => {
  await inFolder(async (folder) => {
    const state = await openState(placeOf(folder));
    const { DB } = state.platform(noOthers);
    const made = await run(folder, ['key', 'You@gmail.com']);
    expect([made.status, made.told]).toEqual([0, '']);
    const key = String(made.stdout).trim();
    expect(await DB.prepare('SELECT hash FROM api_keys').first()).toEqual({
      hash: await hashApiKey(key),
    });
    const granted = await run(folder, ['grant', 'you@gmail.com', '1000']);
    expect(String(granted.stdout)).toBe('you@gmail.com was given 1000 files.\n');
    expect(await DB.prepare('SELECT granted_files FROM users').first()).toEqual({
      granted_files: 1000,
    });
    const rotated = await run(folder, ['rotate-keys']);
    expect([rotated.status, String(rotated.stdout)]).toEqual([
      0,
      'Sealed anew under version 1: 0.\nUnder version 1: 1.\nAll secrets but version 1 may be removed from KEY_SECRETS.\n',
    ]);
    await state.close();
  });
});

it('backups go through pipes', { tags: 'slow' }, async () => {
  await inFolder(async (folder) => {
    const [data, file, other] = [join(folder, 'data'), join(folder, 'file'), join(folder, 'other')];
    await (await openState(placeOf(data))).close();
    expect(await run(data, ['backup', file])).toEqual({
      ...{ status: 0, stdout: Buffer.alloc(0), told: `Backed up ${data}, mailboxes: 0.\n` },
    });
    const full = await run(data, ['restore', file]);
    expect([full.status, full.told]).toEqual([1, expect.stringMatching(/^.* is not empty.*\n$/)]);
    const { status, stdout } = await run(data, ['backup', '-']);
    expect([status, readdirSync(data).filter((it) => it.startsWith('.'))]).toEqual([0, []]);
    expect(await run(other, ['restore', '-'], stdout)).toEqual({
      ...{ status: 0, stdout: Buffer.alloc(0), told: `Restored ${other}, mailboxes: 0.\n` },
    });
    expect(readFileSync(join(other, 'secrets.json'))).toEqual(
      readFileSync(join(data, 'secrets.json')),
    );
  });
});

it('a command that is not known or has other arguments says how it is used, and one without data what is missing', async () => {
  await inFolder(async (folder) => {
    const errors = vi.spyOn(console, 'error').mockImplementation(() => {});
    const failing = async (...args: string[]) => {
      errors.mockClear();
      const status = await runCommand(args, { STATE_DIR: folder });
      return [status, ...errors.mock.calls.flat()];
    };
    const wrong = [
      ...[['serve'], ['toString'], ['key'], ['key', 'nobody'], ['grant', 'you@gmail.com', '0']],
      ...[
        ['rotate-keys', 'all'],
        ['restore', '--help'],
        ['backup', 'one', 'two'],
      ],
    ];
    for (const args of wrong) {
      const told = await failing(...args);
      expect(told, args.join(' ')).toEqual([2, expect.stringMatching(/^Usage: /)]);
    }
    const missing = `${folder} has no data of the service: set STATE_DIR.`;
    for (const args of [['key', 'you@gmail.com'], ['rotate-keys'], ['backup', '-']]) {
      expect(await failing(...args), args.join(' ')).toEqual([1, missing]);
    }
    errors.mockRestore();
    expect(readdirSync(folder)).toEqual([]);
  });
});
