import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { freePort } from '../../scripts/local/free-port.ts';
import { root } from '../../scripts/local/root.ts';
import { Client, createKey, keyOf, listKeys } from '../support/client.ts';
import { mailServerOf } from '../support/node/mail-server.ts';
import { plainPicture } from '../support/pictures.ts';

const hasCaddy = spawnSync('caddy', ['version']).status === 0;
const run = promisify(execFile);

/** The way of docs/self-hosting.md without containers, but for systemd: the same build, settings and Caddyfile. */
describe.skipIf(!hasCaddy)('the service behind Caddy, as an operator sets it up', () => {
  let folder: string;
  let port: number;
  let origin: string;
  let settings: Readonly<Record<string, string>>;
  let server: ChildProcess | undefined;
  let caddy: ChildProcess | undefined;
  let printed = '';
  let visitor: Client;
  let key: string;
  let picture: Uint8Array<ArrayBuffer>;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fewerbytes-operator-'));
    port = await freePort();
    const tlsPort = await freePort();
    origin = `https://localhost:${tlsPort}`;
    const mails = await mailServerOf(String(tlsPort)).started();
    const unit = await readFile(join(root, 'deploy/fewerbytes.service'), 'utf8');
    const [, variables = ''] = /^Environment=(.*)$/m.exec(unit) ?? [];
    settings = {
      ...Object.fromEntries(variables.split(' ').map((pair) => pair.split('='))),
      ...{ SQLITE_TMPDIR: folder, PORT: String(port), PUBLIC_ORIGIN: origin },
      ...{ MAIL_URL: mails.url, MAIL_FROM: 'no-reply@img.example' },
      ALLOWED_EMAIL_DOMAINS: 'example.org',
    };
    await cp(join(root, 'dist/node'), join(folder, 'app'), { recursive: true });
    picture = Uint8Array.from(await plainPicture(300, 200).jpeg({ quality: 97 }).toBuffer());
    await startCaddy();
    await start();
    visitor = new Client(origin);
  });
  afterAll(async () => {
    for (const child of [server, caddy]) {
      if (!child || child.exitCode !== null) continue;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    }
    await mailServerOf(new URL(origin).port).stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  /** Starts it with a certificate of its own authority, which this process then trusts. */
  async function startCaddy(): Promise<void> {
    const site = await readFile(join(root, 'deploy/Caddyfile'), 'utf8');
    const general = '{\n\tadmin off\n\tskip_install_trust\n\tauto_https disable_redirects\n}\n';
    await writeFile(join(folder, 'Caddyfile'), general + site);
    const env = {
      ...{ ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
      ...{ PUBLIC_ORIGIN: origin, UPSTREAM: `127.0.0.1:${port}` },
    };
    const args = ['run', '--config', join(folder, 'Caddyfile'), '--adapter', 'caddyfile'];
    caddy = spawn('caddy', args, { env, stdio: 'ignore' });
    const authority = join(folder, 'caddy/pki/authorities/local/root.crt');
    await vi.waitFor(() => readFile(authority), patient);
    setDefaultCACertificates([...getCACertificates('default'), await readFile(authority, 'utf8')]);
  }

  const patient = { timeout: 30_000 };

  const environment = (state = 'data') => ({
    ...{ ...process.env, ...settings },
    STATE_DIR: join(folder, state),
  });

  async function start(state?: string): Promise<void> {
    const args = [join(folder, 'app/server.js')];
    server = spawn(process.execPath, args, { env: environment(state), stdio: 'pipe' });
    for (const stream of [server.stdout, server.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        printed += text;
      });
    }
    await vi.waitFor(async () => expect(await health()).toBe(200), patient);
  }

  /** As systemd does. */
  async function stop(): Promise<void> {
    if (!server) throw new Error('It was not started.');
    const ended = once(server, 'exit');
    server.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  }

  async function health(): Promise<number> {
    const response = await fetch(`http://127.0.0.1:${port}/v1/health`).catch(() => null);
    await response?.arrayBuffer();
    return response?.status ?? 0;
  }

  /** Runs a command of the build; returns what it has printed. */
  async function command(args: readonly string[], state?: string): Promise<string> {
    const words = [join(folder, 'app/server.js'), ...args];
    return (await run(process.execPath, words, { env: environment(state) })).stdout.trim();
  }

  async function optimize(bearer = key): Promise<number> {
    const headers = { Authorization: `Bearer ${bearer}`, 'Content-Type': 'image/jpeg' };
    const init = { method: 'POST', headers, body: picture };
    const response = await fetch(`${origin}/v1/optimize?format=webp`, init);
    await response.arrayBuffer();
    return response.status;
  }

  async function used(): Promise<number> {
    const keys = await listKeys(visitor);
    return keys.reduce((sum, { month_used }) => sum + month_used, 0);
  }

  it('is signed in to with a code from a mail, and makes an image smaller', async () => {
    expect(await visitor.signIn('you@example.org')).toMatch(/^usr_/);
    const stranger = { email: 'stranger@gmail.com' };
    expect((await visitor.post('/v1/auth/request-code', stranger)).status).toBe(400);
    key = keyOf(await createKey(visitor, { name: 'mine' }));
    expect(await optimize()).toBe(200);
    expect(await used()).toBe(1);
    const page = await fetch(origin);
    expect([page.status, page.headers.get('content-encoding')]).toEqual([200, 'gzip']);
  });

  it('is restarted, as for an upgrade, while pages wait for it; keys, sessions and counts remain', async () => {
    let isOver = false;
    const statuses: number[] = [];
    const visiting = (async () => {
      while (!isOver) {
        const response = await fetch(`${origin}/docs`);
        await response.arrayBuffer();
        statuses.push(response.status);
        await pause(50);
      }
    })();
    await stop();
    await start();
    isOver = true;
    await visiting;
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(await optimize()).toBe(200);
    expect(await used()).toBe(2);
  });

  it('gives files and keys on the command line while it runs', async () => {
    const before = await used();
    expect(await command(['grant', 'you@example.org', '1000'])).toContain('1000 files');
    expect(await optimize(await command(['key', 'you@example.org']))).toBe(200);
    expect(await used()).toBe(before + 1);
  });

  it('is restored elsewhere from a backup that was made under load: keys work, books agree', async () => {
    let made = await used();
    let isOver = false;
    const load = [1, 2, 3].map(async () => {
      while (!isOver) if ((await optimize()) === 200) made += 1;
    });
    await pause(500);
    const before = made;
    await command(['backup', join(folder, 'backup.tar.gz')]);
    const after = made + load.length;
    isOver = true;
    await Promise.all(load);
    expect(await used()).toBe(made);
    await stop();
    await command(['restore', join(folder, 'backup.tar.gz')], 'elsewhere');
    await start('elsewhere');
    const restored = await used();
    expect(restored).toBeGreaterThanOrEqual(before);
    expect(restored).toBeLessThanOrEqual(after);
    expect(await optimize()).toBe(200);
    expect(await used()).toBe(restored + 1);
  });

  it('has logged each event as one line of JSON with its time and level, and no fault', async () => {
    const lines = printed.split('\n').filter((line) => line.startsWith('{'));
    expect(lines.length).toBeGreaterThan(20);
    for (const line of lines) {
      expect(JSON.parse(line)).toMatchObject({ level: 'info', time: expect.stringMatching(/Z$/) });
    }
    expect(lines.join()).not.toContain('example.org');
  });
});
