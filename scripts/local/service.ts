import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { withBindings } from './database.ts';
import { root, wranglerScript } from './root.ts';
import { ensureDevVars, localConfig, optionalSecrets, presentVars } from './secrets.ts';

export interface LocalService {
  /** Without a trailing slash. */
  readonly origin: string;
  /** The process that all others of the service descend from. */
  readonly pid: number;
  /** Settles when the service has ended, with its exit code. */
  readonly ended: Promise<number>;
  /** What it has printed, where that did not go to the terminal. */
  output(): string;
  stop(): Promise<void>;
}

interface Settings {
  readonly port: number;
  readonly stateDirectory: string;
  /**
   * Takes what is to be shown on a terminal: the steps of the start, then what wrangler prints once the
   * service answers. What it prints before that (banner, list of bindings) is kept for the error.
   */
  readonly show?: (text: string) => void;
  /** Where the Worker can be looked into; anywhere, when nothing is said. */
  readonly inspectorPort?: number;
  /** Instead of what wrangler.toml says; in the list of processes, so no true secrets. */
  readonly vars?: Readonly<Record<string, string>>;
}

/**
 * What is for a machine that nobody else reaches. `wrangler dev` has a line of its own for each
 * request; objects of a dozen lines would bury it, and the mails.
 */
const localVars = { ALLOW_HTTP_SOURCES: 'true', REQUEST_LOG: process.env.REQUEST_LOG ?? '' };

/**
 * Starts the service under `wrangler dev` and waits until it answers.
 * @throws Error with wrangler's own words when it does not come up
 */
export async function startService({
  port,
  stateDirectory,
  show,
  inspectorPort = 0,
  vars = {},
}: Settings): Promise<LocalService> {
  await demandPort(port);
  ensureDevVars();
  await withBindings(stateDirectory, async () => {});
  const wrangler = spawn(
    process.execPath,
    [
      wranglerScript,
      ...['dev', '--port', String(port), '--persist-to', stateDirectory],
      // wrangler puts its own scheme before the host of a request, wherever an answer names it: a proxy may have taken TLS off
      ...(publicOrigin(vars) ? ['--local-upstream', 'service.localhost'] : []),
      ...[
        '--inspector-port',
        String(inspectorPort),
        '--show-interactive-dev-session=false',
        '--log-level',
        show ? 'log' : 'warn',
      ],
      ...['--config', localConfig(optionalSecrets().filter((name) => !(name in vars)))],
      ...Object.entries({ ...localVars, ...vars }).flatMap(([name, value]) => [
        '--var',
        `${name}:${value}`,
      ]),
    ],
    {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      // a process group of its own, in which everything that wrangler starts can be found
      detached: hasProcessGroups,
      env: {
        ...process.env,
        WRANGLER_LOG: undefined,
        // Both would keep request URLs; the third asks a server abroad where we are.
        X_LOCAL_OBSERVABILITY: 'false',
        WRANGLER_SEND_METRICS: 'false',
        CLOUDFLARE_CF_FETCH_ENABLED: 'false',
      },
    },
  );
  const watchdog = watchOver(wrangler);
  const output: string[] = [];
  let isReady = false;
  const take = (line: string) => {
    const text = `${withoutSecrets(line)}\n`;
    if (isReady && show) show(text);
    else output.push(text);
    if (!isReady && show && text.includes('[custom build] Running')) {
      show('Building codecs and pages …\n');
    }
  };
  createInterface({ input: wrangler.stdout }).on('line', take);
  createInterface({ input: wrangler.stderr }).on('line', take);
  const ended = once(wrangler, 'exit').then(([code]) => {
    killGroup(wrangler, 'SIGKILL');
    watchdog?.kill('SIGKILL');
    return typeof code === 'number' ? code : 1;
  });
  const origin = `http://localhost:${port}`;
  if (!(await answers(origin, wrangler))) {
    await stop(wrangler, ended);
    throw new Error(`The service did not start.\n${output.join('')}`);
  }
  if (show) await ownRequestIsLogged(output);
  isReady = true;
  return {
    origin,
    pid: wrangler.pid ?? 0,
    ended,
    output: () => output.join(''),
    stop: () => stop(wrangler, ended),
  };
}

/** What links begin with instead of the origin of a request; empty: nothing. */
function publicOrigin(vars: Readonly<Record<string, string>>): string {
  return vars.PUBLIC_ORIGIN ?? presentVars().PUBLIC_ORIGIN ?? '';
}

/** Wrangler prints the path of each request. In those of Tinify's clients stand their key, and the one that a result is sealed under. */
export function withoutSecrets(line: string): string {
  return line.replaceAll(/imgo_\w+/g, 'imgo_…').replaceAll(/\/(keys|output)\/\S+/g, '/$1/…');
}

const hasProcessGroups = process.platform !== 'win32';

/**
 * Ends wrangler and the workerd processes that it has started when this process ends in whatever way, SIGKILL
 * included: a shell of its own session waits for the end of a pipe that only this process writes to.
 */
function watchOver(wrangler: ChildProcess): ChildProcess | null {
  if (!hasProcessGroups || wrangler.pid === undefined) return null;
  const group = `-${wrangler.pid}`;
  const script = `cat; kill -TERM ${group}; sleep 3; kill -KILL ${group}`;
  const watchdog = spawn('sh', ['-c', script], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  watchdog.unref();
  (watchdog.stdin as Socket).unref();
  return watchdog;
}

/** Sends a signal to wrangler and everything that it has started, as far as that still runs. */
function killGroup(wrangler: ChildProcess, signal: NodeJS.Signals): void {
  if (!hasProcessGroups || wrangler.pid === undefined) return;
  try {
    process.kill(-wrangler.pid, signal);
  } catch {
    // all have ended
  }
}

/** @throws Error when something else listens there, which would answer in our place */
async function demandPort(port: number): Promise<void> {
  const taken = await fetch(`http://localhost:${port}/`).then(
    () => true,
    () => false,
  );
  if (taken) throw new Error(`Port ${port} is taken: stop what listens there, or set PORT.`);
}

/** Waits for the first sign of life, a minute at most. */
async function answers(origin: string, wrangler: ChildProcess): Promise<boolean> {
  for (let tries = 0; tries < 600 && wrangler.exitCode === null; tries += 1) {
    const response = await fetch(`${origin}/v1/health`).catch(() => null);
    if (response?.ok) return true;
    await pause(100);
  }
  return false;
}

/** Wrangler tells of a request a moment after its answer; that of the health check is not to be shown. */
async function ownRequestIsLogged(output: readonly string[]): Promise<void> {
  for (let tries = 0; tries < 40 && !output.join('').includes('/v1/health'); tries += 1) {
    await pause(50);
  }
}

async function stop(wrangler: ChildProcess, ended: Promise<number>): Promise<void> {
  if (wrangler.exitCode !== null) return;
  wrangler.kill('SIGINT');
  const timer = setTimeout(() => {
    wrangler.kill('SIGKILL');
    killGroup(wrangler, 'SIGKILL');
  }, 5000);
  await ended;
  clearTimeout(timer);
}

/** A service whose data nobody else has. */
interface OwnService {
  /** Without a trailing slash. */
  readonly origin: string;
  /** Opens its bindings in this process. */
  bindings<Result>(work: (env: Env) => Promise<Result>): Promise<Result>;
  /** Where its Worker can be looked into. */
  readonly inspectorPort: number;
}

/** Runs a service with data of its own while the work lasts, and leaves nothing of it behind. */
export async function withOwnService<Result>(
  work: (service: OwnService) => Promise<Result>,
  vars: Readonly<Record<string, string>> = {},
): Promise<Result> {
  const stateDirectory = await mkdtemp(join(tmpdir(), 'image-optimization-'));
  try {
    const [port, inspectorPort] = [await freePort(), await freePort()];
    const service = await startService({ port, inspectorPort, stateDirectory, vars });
    try {
      return await work({
        origin: service.origin,
        inspectorPort,
        bindings: (inside) => withBindings(stateDirectory, inside),
      });
    } finally {
      await service.stop();
    }
  } finally {
    await rm(stateDirectory, { recursive: true, force: true });
  }
}

/**
 * A picture as a service gives it back.
 * @param address of the call, with its options
 * @throws Error with the service's words
 */
export async function optimized(address: string, key: string, picture: Buffer): Promise<Buffer> {
  const response = await fetch(address, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}` },
    body: Uint8Array.from(picture),
  });
  if (!response.ok) throw new Error(await response.text());
  return Buffer.from(await response.arrayBuffer());
}

/** A port that nobody listens on. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  await new Promise((closed) => server.close(closed));
  if (address === null || typeof address === 'string') throw new Error('no port to be had');
  return address.port;
}
