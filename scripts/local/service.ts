import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { withBindings } from './bindings.ts';
import { localConfig } from './config.ts';
import { ensureDevVars, optionalSecrets } from './dev-vars.ts';
import { root, wranglerScript } from './root.ts';

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
  /** What wrangler prints goes to the terminal; otherwise it is kept for the error. */
  readonly verbose: boolean;
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
  verbose,
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
      ...[
        '--inspector-port',
        String(inspectorPort),
        '--show-interactive-dev-session=false',
        '--log-level',
        verbose ? 'log' : 'warn',
      ],
      ...['--config', localConfig(optionalSecrets().filter((name) => !(name in vars)))],
      ...Object.entries({ ...localVars, ...vars }).flatMap(([name, value]) => [
        '--var',
        `${name}:${value}`,
      ]),
    ],
    {
      cwd: root,
      stdio: ['ignore', verbose ? 'inherit' : 'pipe', verbose ? 'inherit' : 'pipe'],
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
  const output: string[] = [];
  for (const stream of [wrangler.stdout, wrangler.stderr]) {
    stream?.on('data', (chunk: Buffer) => output.push(chunk.toString()));
  }
  const ended = once(wrangler, 'exit').then(([code]) => (typeof code === 'number' ? code : 1));
  const origin = `http://localhost:${port}`;
  if (!(await answers(origin, wrangler))) {
    await stop(wrangler, ended);
    throw new Error(`The service did not start.\n${output.join('')}`);
  }
  return {
    origin,
    pid: wrangler.pid ?? 0,
    ended,
    output: () => output.join(''),
    stop: () => stop(wrangler, ended),
  };
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

async function stop(wrangler: ChildProcess, ended: Promise<number>): Promise<void> {
  if (wrangler.exitCode !== null) return;
  wrangler.kill('SIGINT');
  await Promise.race([ended, pause(5000).then(() => wrangler.kill('SIGKILL'))]);
}
