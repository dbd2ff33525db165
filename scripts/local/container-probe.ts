/**
 * Runs in the sandbox of scripts/container.ts: starts the program of the image, as its first process would, asks what an
 * operator relies on, stops it with SIGTERM, and prints what it has seen as JSON.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';

/** What the container does. */
export interface Probed {
  readonly startMs: number;
  /** Exit status of the image’s health check: while it runs, and while it stops. */
  readonly healthy: number | null;
  readonly stopping: number | null;
  /** Status of the health route and of the front page, and of the former while it stops. */
  readonly answers: readonly number[];
  readonly user: number | undefined;
  readonly interfaces: readonly string[];
  /** Folders of the root, and the root itself, that can be written. */
  readonly writable: readonly string[];
  readonly stopMs: number;
  readonly exitCode: number | null;
  /** The last lines that it has printed. */
  readonly printed: string;
}

const [health, [program = '', ...args]] = process.argv.slice(2).map((it) => JSON.parse(it)) as [
  string[],
  string[],
];
const origin = `http://127.0.0.1:${process.env.PORT || 8787}`;

const began = performance.now();
const server = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
let printed = '';
for (const stream of [server.stdout, server.stderr]) {
  stream.setEncoding('utf8').on('data', (text: string) => {
    printed = (printed + text).slice(-4000);
  });
}
const ended = new Promise<number | null>((resolve) => server.once('exit', resolve));

while ((await statusOf('/v1/health')) !== 200) {
  if (server.exitCode !== null || performance.now() - began > 60_000) {
    console.error(printed);
    process.exit(1);
  }
  await pause(10);
}
const startMs = Math.round(performance.now() - began);
const answers = [await statusOf('/v1/health'), await statusOf('/')];
const healthy = checkHealth();
const writable = ['', ...readdirSync('/')].map((name) => `/${name}`).filter(isWritable);

const stopped = performance.now();
server.kill('SIGTERM');
await pause(500);
answers.push(await statusOf('/v1/health'));
const stopping = checkHealth();
const exitCode = await ended;

const probed: Probed = {
  ...{ startMs, healthy, stopping, answers, writable, exitCode, printed },
  user: process.getuid?.(),
  interfaces: Object.keys(networkInterfaces()),
  stopMs: Math.round(performance.now() - stopped),
};
console.log(JSON.stringify(probed));

/** 0 if there is no answer. */
async function statusOf(path: string): Promise<number> {
  try {
    const response = await fetch(origin + path);
    await response.arrayBuffer();
    return response.status;
  } catch {
    return 0;
  }
}

function checkHealth(): number | null {
  const [check = '', ...words] = health;
  return spawnSync(check, words).status;
}

function isWritable(folder: string): boolean {
  // What the kernel shows there is not of the image.
  if (/^\/(proc|dev)$/.test(folder)) return false;
  try {
    mkdirSync(`${folder}/probe`);
    return true;
  } catch {
    return false;
  }
}
