/**
 * `npm run bench:startup`: prints the size of the bundle, and the CPU time that the Worker takes to start, as profiled
 * by `wrangler check startup`. Workers allow one second.
 */
import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { experimental_readRawConfig } from 'wrangler';
import { root, wranglerScript } from '../scripts/local/root.ts';

interface Profile {
  readonly nodes: readonly { id: number; callFrame: { functionName: string } }[];
  readonly samples: readonly number[];
  /** Microseconds. */
  readonly timeDeltas: readonly number[];
}

const folder = await mkdtemp(join(tmpdir(), 'fewerbytes-startup-'));
try {
  const dryRun = run('deploy', '--dry-run', '--outdir', join(folder, 'bundle'));
  console.log(/Total Upload: .*/.exec(dryRun)?.[0] ?? dryRun);

  // The profiler starts the Worker without its secrets, so placeholders stand in for them.
  const { rawConfig } = experimental_readRawConfig({ config: join(root, 'wrangler.toml') });
  const { name, main = '', compatibility_date, minify, vars } = rawConfig;
  const CODE_SECRET = Buffer.alloc(32, 1).toString('base64');
  const versions = `1:${CODE_SECRET}`;
  const secrets = { CODE_SECRET, KEY_SECRETS: versions, TOKEN_SECRETS: versions };
  const alone = join(folder, 'wrangler.json');
  const config = {
    ...{ name, main: join(root, main), compatibility_date, minify },
    vars: { ...vars, ...secrets },
  };
  await writeFile(alone, JSON.stringify(config));
  const profile = join(folder, 'startup.cpuprofile');
  const bundle = join(folder, 'worker.form');
  run('deploy', '--dry-run', '--config', alone, '--outfile', bundle);
  run('check', 'startup', '--worker-bundle', bundle, '--outfile', profile);
  console.log(
    `Start-up: ${busyMilliseconds(JSON.parse(await readFile(profile, 'utf8')))} ms of CPU`,
  );
} finally {
  await rm(folder, { recursive: true });
}

function run(...args: string[]): string {
  return execFileSync(process.execPath, [wranglerScript, ...args], { cwd: root, encoding: 'utf8' });
}

function busyMilliseconds({ nodes, samples, timeDeltas }: Profile): number {
  const idle = new Set(
    nodes.filter(({ callFrame }) => callFrame.functionName === '(idle)').map(({ id }) => id),
  );
  const busy = timeDeltas.filter((_, i) => !idle.has(samples[i] ?? -1));
  return Math.round(busy.reduce((sum, delta) => sum + delta, 0) / 1000);
}
