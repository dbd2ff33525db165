import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { withBindings } from './database.ts';
import { freePort } from './free-port.ts';
import { root, wranglerScript } from './root.ts';
import { ensureDevVars, localConfig, optionalSecrets, presentVars } from './secrets.ts';

export interface LocalService {
  /** Origin without a trailing slash. */
  readonly origin: string;
  /** The process that all others of the service descend from. */
  readonly pid: number;
  /** Resolves to the exit code when the service has ended. */
  readonly ended: Promise<number>;
  /** The output so far, unless it went to the terminal. */
  output(): string;
  stop(): Promise<void>;
}

interface Settings {
  readonly port: number;
  readonly stateDirectory: string;
  /**
   * Receives the text for the terminal: the steps of the start, then wrangler's output once the service responds.
   * Earlier output (banner, list of bindings) is kept for error messages.
   */
  readonly show?: (text: string) => void;
  /** Port of the inspector; a free one by default. */
  readonly inspectorPort?: number;
  /** Overrides of wrangler.toml; they are visible in the list of processes, so they must not contain real secrets. */
  readonly vars?: Readonly<Record<string, string>>;
  /**
   * Path of a configuration of what is built already, for a state folder whose database is migrated; by default,
   * wrangler builds the service, and the database is migrated.
   */
  readonly builtConfig?: string;
}

/**
 * Settings for a machine that nobody else reaches. `wrangler dev` prints its own line for each request; the request
 * log, with a dozen lines per request, would bury it and the mails.
 */
const localVars = { ALLOW_HTTP_SOURCES: 'true', REQUEST_LOG: process.env.REQUEST_LOG ?? '' };

/**
 * Starts the service under `wrangler dev` and waits until it responds.
 * @throws Error with wrangler's output if it does not start
 */
export async function startService({
  port,
  stateDirectory,
  show,
  inspectorPort = 0,
  vars = {},
  builtConfig,
}: Settings): Promise<LocalService> {
  await demandFreePort(port);
  ensureDevVars();
  if (builtConfig === undefined) await withBindings(stateDirectory, async () => {});
  const wrangler = spawn(
    process.execPath,
    [
      wranglerScript,
      ...['dev', '--port', String(port), '--persist-to', stateDirectory],
      // Wrangler replaces this host in responses by its own scheme and host, but a proxy in front of it may terminate
      // TLS.
      ...(publicOrigin(vars) ? ['--local-upstream', 'service.localhost'] : []),
      ...[
        '--inspector-port',
        String(inspectorPort),
        '--show-interactive-dev-session=false',
        '--log-level',
        show ? 'log' : 'warn',
      ],
      '--config',
      builtConfig ?? localConfig(optionalSecrets().filter((name) => !(name in vars))),
      ...Object.entries({ ...localVars, ...vars }).flatMap(([name, value]) => [
        '--var',
        `${name}:${value}`,
      ]),
    ],
    {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      // A separate process group, to which everything that wrangler starts belongs.
      detached: hasProcessGroups,
      env: {
        ...process.env,
        WRANGLER_LOG: undefined,
        // The first two prevent storing request URLs; the third prevents asking a remote server for our location.
        X_LOCAL_OBSERVABILITY: 'false',
        WRANGLER_SEND_METRICS: 'false',
        CLOUDFLARE_CF_FETCH_ENABLED: 'false',
      },
    },
  );
  const watchdog = watchOver(wrangler);
  const output: string[] = [];
  let isReady = false;
  const handleLine = (line: string) => {
    const text = `${withoutSecrets(line)}\n`;
    if (isReady && show) show(text);
    else output.push(text);
    if (!isReady && show && text.includes('[custom build] Running')) {
      show('Building codecs and pages …\n');
    }
  };
  createInterface({ input: wrangler.stdout }).on('line', handleLine);
  createInterface({ input: wrangler.stderr }).on('line', handleLine);
  const ended = once(wrangler, 'exit').then(([code]) => {
    killGroup(wrangler, 'SIGKILL');
    watchdog?.kill('SIGKILL');
    return typeof code === 'number' ? code : 1;
  });
  const origin = `http://localhost:${port}`;
  if (!(await waitUntilHealthy(origin, wrangler))) {
    await stop(wrangler, ended);
    throw new Error(`The service did not start.\n${output.join('')}`);
  }
  if (show) await waitForHealthCheckLog(output);
  isReady = true;
  return {
    origin,
    pid: wrangler.pid ?? 0,
    ended,
    output: () => output.join(''),
    stop: () => stop(wrangler, ended),
  };
}

/** The configured origin of links, in place of that of the request; empty if there is none. */
function publicOrigin(vars: Readonly<Record<string, string>>): string {
  return vars.PUBLIC_ORIGIN ?? presentVars().PUBLIC_ORIGIN ?? '';
}

/**
 * Redacts a line of output. Wrangler prints the path of each request; paths of Tinify's clients contain their key, and
 * the key under which a result is sealed.
 */
function withoutSecrets(line: string): string {
  return line.replaceAll(/fewer_\w+/g, 'fewer_…').replaceAll(/\/(keys|output)\/\S+/g, '/$1/…');
}

const hasProcessGroups = process.platform !== 'win32';

/**
 * Ends wrangler and the workerd processes that it has started when this process ends in any way, including SIGKILL: a
 * shell in its own session waits for the end of a pipe that only this process holds open.
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

/** Sends a signal to wrangler and to everything that it has started and that is still running. */
function killGroup(wrangler: ChildProcess, signal: NodeJS.Signals): void {
  if (!hasProcessGroups || wrangler.pid === undefined) return;
  try {
    process.kill(-wrangler.pid, signal);
  } catch {
    // All processes have ended.
  }
}

/** @throws Error if something else is listening on the port, which would respond in place of the service */
async function demandFreePort(port: number): Promise<void> {
  const taken = await fetch(`http://localhost:${port}/`).then(
    () => true,
    () => false,
  );
  if (taken) throw new Error(`Port ${port} is taken: stop what listens there, or set PORT.`);
}

/** How long the service may take to start, in milliseconds: the first build takes a minute on a busy machine. */
const startTimeout = 180_000;

/** Waits for the first successful response. */
async function waitUntilHealthy(origin: string, wrangler: ChildProcess): Promise<boolean> {
  const deadline = Date.now() + startTimeout;
  while (Date.now() < deadline && wrangler.exitCode === null) {
    const response = await fetch(`${origin}/v1/health`).catch(() => null);
    if (response?.ok) return true;
    await pause(100);
  }
  return false;
}

/**
 * Waits until the health check is logged, so that it is not shown: wrangler logs a request shortly after its response.
 */
async function waitForHealthCheckLog(output: readonly string[]): Promise<void> {
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

/** A service with data of its own. */
interface OwnService {
  /** Origin without a trailing slash. */
  readonly origin: string;
  /** Opens its bindings in this process. */
  bindings<Result>(work: (env: Env) => Promise<Result>): Promise<Result>;
  /** Port of the inspector of its Worker. */
  readonly inspectorPort: number;
}

/** Runs a service with data of its own while the work lasts, and deletes the data afterwards. */
export async function withOwnService<Result>(
  work: (service: OwnService) => Promise<Result>,
  vars: Readonly<Record<string, string>> = {},
): Promise<Result> {
  const stateDirectory = await mkdtemp(join(tmpdir(), 'fewerbytes-'));
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
 * Optimizes a picture with a service.
 * @param address URL of the call, including its options
 * @throws Error with the body of the service's response
 */
export async function optimized(address: string, key: string, picture: Buffer): Promise<Buffer> {
  const response = await responseTo(address, key, picture);
  return Buffer.from(await response.arrayBuffer());
}

/**
 * The same, with the score of the result.
 * @throws Error if the response has none
 */
export async function scoredResult(
  address: string,
  key: string,
  picture: Buffer,
): Promise<{ file: Buffer; score: number }> {
  const response = await responseTo(address, key, picture);
  const score = response.headers.get('Image-Score');
  if (score === null) throw new Error(`${address} has no score`);
  return { file: Buffer.from(await response.arrayBuffer()), score: Number(score) };
}

async function responseTo(address: string, key: string, picture: Buffer): Promise<Response> {
  const response = await fetch(address, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}` },
    body: Uint8Array.from(picture),
  });
  if (!response.ok) throw new Error(await response.text());
  return response;
}
