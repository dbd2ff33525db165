import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { longPicture } from '../../../bench/load/pictures.ts';
import { freePort } from '../../../scripts/local/free-port.ts';
import { root } from '../../../scripts/local/root.ts';

/** The built service, copied to where there is nothing else, as operators do. */
let folder: string;
let server: ChildProcess;
let printed: string;
let origin: string;
let environment: Readonly<Record<string, string>>;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fewerbytes-copy-'));
  await cp(join(root, 'dist/node'), join(folder, 'service'), { recursive: true });
  const port = String(await freePort());
  origin = `http://127.0.0.1:${port}`;
  environment = { STATE_DIR: join(folder, 'data'), PORT: port };
  printed = '';
  server = spawn(process.execPath, ['server.js'], {
    cwd: join(folder, 'service'),
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [server.stdout, server.stderr]) {
    stream?.on('data', (text: Buffer) => {
      printed += text.toString();
    });
  }
  await expect.poll(health).toEqual([200, 'ok']);
});

afterEach(async () => {
  if (server.exitCode === null) server.kill('SIGKILL');
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** Status and word of the health check; null if nobody answers. */
async function health(): Promise<readonly [number, string] | null> {
  const response = await fetch(`${origin}/v1/health`).catch(() => null);
  if (!response) return null;
  const { status } = (await response.json()) as { status: string };
  return [response.status, status];
}

function newKey(): string {
  const args = ['scripts/key.ts', 'you@gmail.com', '--node'];
  const env = { ...process.env, ...environment };
  return execFileSync(process.execPath, args, { cwd: root, env, encoding: 'utf8' }).trim();
}

describe('the built service, without anything beside it', () => {
  it('says that it will stop, answers what is under way, and ends with status 0', async () => {
    const { bytes, query } = await longPicture();
    const ended = once(server, 'exit');
    const answer = fetch(`${origin}/v1/optimize${query}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${newKey()}` },
      body: Uint8Array.from(bytes),
    });
    await new Promise((resolve) => setTimeout(resolve, 500));
    server.kill('SIGTERM');
    await expect.poll(health).toEqual([503, 'stopping']);
    const response = await answer;
    expect(response.status).toBe(200);
    expect((await response.bytes()).length).toBe(Number(response.headers.get('Content-Length')));
    expect(await ended).toEqual([0, null]);
    expect(await health()).toBeNull();
  });

  it('says where it is, that nobody gets mails, and ends at once on Ctrl-C', async () => {
    expect(printed).toContain(`The service is at ${origin}`);
    expect(printed).toContain('│ MAIL_URL is not set');
    const ended = once(server, 'exit');
    const began = Date.now();
    server.kill('SIGINT');
    expect(await ended).toEqual([0, null]);
    expect(Date.now() - began).toBeLessThan(4000);
  });
});
