import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { freePort } from '../../scripts/local/free-port.ts';
import { root } from '../../scripts/local/root.ts';

let folder: string;
let npm: ChildProcess;
let printed: string;
let origin: string;
/** Everything that the command has started, by the time it is ready. */
let started: readonly { readonly id: number; readonly command: string }[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'start-command-'));
  printed = '';
  const port = await freePort();
  origin = `http://localhost:${port}`;
  npm = spawn('npm', ['start'], {
    cwd: root,
    env: { ...process.env, PORT: String(port), STATE_DIR: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [npm.stdout, npm.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
    });
  }
  await vi.waitFor(() => expect(printed).toContain('Open http'), {
    timeout: 100_000,
    interval: 200,
  });
  started = descendantsOf(npm.pid ?? 0);
});

afterEach(async () => {
  for (const { id } of started.filter(isRunning)) process.kill(id, 'SIGKILL');
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

it('`npm start` ends its output with the address; the call that it shows saves a picture, and never an error', async () => {
  expect(printed.trimEnd().split('\n').at(-1)).toBe(`Open ${origin}`);
  expect(printed).not.toContain('bindings');

  const [keyCommand = ''] = /KEY=\$\(.*\)/.exec(printed) ?? [];
  const [shown = ''] = /curl (.|\n)*?(?=\n\n)/.exec(printed) ?? [];
  const target = join(folder, 'smaller.jpg');
  const call = shown
    .replace('smaller.jpg', target)
    .replaceAll(/\banswer\b/g, join(folder, 'answer'));
  expect(call).toContain(` ${target} `);

  const refused = sh(`KEY=fewer_wrong; ${call}; true`);
  expect(refused).toContain('"code":"invalid_api_key"');
  expect(existsSync(target)).toBe(false);

  expect(sh(`${keyCommand}; ${call}`)).toBe('');
  expect(readFileSync(target).subarray(0, 2)).toEqual(Buffer.from([0xff, 0xd8]));
  process.kill(nodeProcess('start.ts'), 'SIGTERM');
  await nothingIsLeft();
});

it.each(['SIGTERM', 'SIGKILL'] as const)('%s to npm leaves no process behind', async (signal) => {
  npm.kill(signal);
  await nothingIsLeft();
});

it.each(['run.mjs', 'start.ts'])('SIGKILL to %s leaves no process behind', async (script) => {
  process.kill(nodeProcess(script), 'SIGKILL');
  await nothingIsLeft();
});

async function nothingIsLeft(): Promise<void> {
  expect(started.filter(({ command }) => command.includes('workerd')).length).toBeGreaterThan(0);
  await vi.waitFor(() => expect(started.filter(isRunning)).toEqual([]), {
    timeout: 30_000,
    interval: 200,
  });
}

function nodeProcess(script: string): number {
  const found = started.find(({ command }) => command.startsWith(`node scripts/${script}`));
  if (!found) throw new Error(`no process of the command among ${JSON.stringify(started)}`);
  return found.id;
}

function isRunning({ id, command }: { readonly id: number; readonly command: string }): boolean {
  return processes().some((one) => one.id === id && one.command === command);
}

function descendantsOf(ancestor: number) {
  const family = new Set([ancestor]);
  const all = processes();
  for (let size = 0; size !== family.size; ) {
    size = family.size;
    for (const { id, parent } of all) if (family.has(parent)) family.add(id);
  }
  family.delete(ancestor);
  return all.filter(({ id }) => family.has(id));
}

function processes() {
  const table = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' });
  return table.split('\n').map((line) => {
    const [, id, parent, command = ''] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    return { id: Number(id), parent: Number(parent), command };
  });
}

function sh(script: string): string {
  return execFileSync('sh', ['-c', script], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}
