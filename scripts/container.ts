/**
 * `npm run container`: makes the image of the Dockerfile without an engine for containers, by executing its very steps, and
 * runs it under bubblewrap: read-only, without root’s rights, with the loopback interface alone. Fails if it is too large,
 * starts too slowly, or does not do what docs/self-hosting.md says. In place of the base image it has this machine’s system,
 * and Node of the same version.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, matchesGlob } from 'node:path';
import type { Probed } from './local/container-probe.ts';
import { readDockerfile } from './local/dockerfile.ts';
import { demand, type Image, makeStage, sandboxed } from './local/image.ts';
import { root } from './local/root.ts';

const maxBytes = 250e6;
const maxStartMs = 3000;

/** How long it may take to stop when nothing is in progress, with the five seconds in which health says so, in milliseconds. */
const maxStopMs = 8000;

const work = mkdtempSync(join(tmpdir(), 'fewerbytes-container-'));
try {
  const image = build();
  const bytes = bytesIn(image.root) + statSync(process.execPath).size;
  const probed = run(image);
  const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
  console.log(
    `${(bytes / 1e6).toFixed(0)} MB with Node; starts in ${seconds(probed.startMs)}, stops in ${seconds(probed.stopMs)}.`,
  );
  const volumes = image.volumes.join();
  const faults = [
    bytes > maxBytes && 'It is too large.',
    probed.startMs > maxStartMs && 'It starts too slowly.',
    probed.stopMs > maxStopMs && 'It stops too slowly.',
    probed.exitCode !== 0 && `It ended with status ${probed.exitCode}.`,
    probed.healthy !== 0 && 'Its health check fails.',
    probed.stopping !== 1 && 'Its health check does not say that it is stopping.',
    probed.answers.join() !== '200,200,503' && `It answered ${probed.answers}.`,
    probed.user === 0 && 'It runs as root.',
    probed.interfaces.join() !== 'lo' && `It had the network interfaces ${probed.interfaces}.`,
    probed.writable.join() !== volumes && `It can write ${probed.writable}.`,
  ].filter((fault) => fault !== false);
  if (faults.length > 0) throw new Error([...faults, probed.printed].join('\n'));
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
} finally {
  rmSync(work, { recursive: true, force: true });
}

/** Makes all stages; returns the last one. */
function build(): Image {
  const stages = readDockerfile(readFileSync(join(root, 'Dockerfile'), 'utf8'));
  const context = join(work, 'context');
  copyContext(context);
  const others = new Map<string, string>();
  let image: Image | null = null;
  for (const [i, stage] of stages.entries()) {
    if (!stage.base.startsWith(`node:${process.version.slice(1)}-`)) {
      throw new Error(`${stage.base} is not this Node, ${process.version}.`);
    }
    const place = join(work, `stage-${i}`);
    mkdirSync(place);
    image = makeStage({ stage, root: place, context, others, run: runStep });
    if (stage.name) others.set(stage.name, place);
  }
  if (!image) throw new Error('The Dockerfile has no stage.');
  return image;
}

/** What a fresh clone has, without what `.dockerignore` names. */
function copyContext(target: string): void {
  const patterns = readFileSync(join(root, '.dockerignore'), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  const isIgnored = (path: string) =>
    path
      .split('/')
      .map((_, i, parts) => parts.slice(0, i + 1).join('/'))
      .some((part) => patterns.some((pattern) => matchesGlob(part, pattern)));
  const tracked = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' });
  for (const path of tracked.split('\0').filter((it) => it !== '' && !isIgnored(it))) {
    mkdirSync(dirname(join(target, path)), { recursive: true });
    cpSync(join(root, path), join(target, path));
  }
}

/** A `RUN` of a build: as root, with the network, in folders that can be written. */
function runStep(line: string, image: Image): void {
  console.log(`RUN ${line}`);
  const temporary = join(work, 'tmp');
  mkdirSync(temporary, { recursive: true });
  const top = image.folder.split('/')[1] ?? '';
  const names = /^(https?_proxy|no_proxy|npm_config_registry|NODE_EXTRA_CA_CERTS)$/i;
  const env = Object.entries(process.env).filter(([name]) => names.test(name));
  const certificates = process.env.NODE_EXTRA_CA_CERTS;
  const sandbox = {
    ...{ image, hasNetwork: true, user: [0, 0] as const },
    env: Object.fromEntries(env) as Record<string, string>,
    writable: { [`/${top}`]: join(image.root, top), '/tmp': temporary },
    readable: certificates ? { [certificates]: certificates } : {},
  };
  demand(sandboxed(sandbox, ['/bin/sh', '-c', line]));
}

/** Runs the image with its volumes, as its user, and asks it. */
function run(image: Image): Probed {
  const volumes = image.volumes.map((volume) => {
    // As an engine does, what the image has there comes first.
    const place = join(work, 'volumes', volume);
    cpSync(join(image.root, volume), place, { recursive: true });
    return [volume, place] as const;
  });
  const [program = '', ...args] = sandboxed(
    {
      ...{ image, hasNetwork: false, user: image.user },
      env: { PUBLIC_ORIGIN: 'https://img.example' },
      writable: Object.fromEntries(volumes),
      readable: { '/probe.ts': join(root, 'scripts/local/container-probe.ts') },
    },
    ['node', '/probe.ts', JSON.stringify(image.healthCheck), JSON.stringify(image.command)],
  );
  const { status, stdout } = spawnSync(program, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error('The service did not start.');
  return JSON.parse(stdout) as Probed;
}

function bytesIn(folder: string): number {
  const entries = globSync('**', { cwd: folder, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}
