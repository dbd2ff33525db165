/**
 * `npm test`: types, style and every test; what CI runs. Ends with one line of
 * totals. Further arguments go to vitest.
 */
import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureChromium } from './local/chromium.ts';
import { ensureDevVars } from './local/dev-vars.ts';
import { root } from './local/root.ts';

ensureDevVars();

const checks = [
  ['Codecs and pages', 'node', 'scripts/build.ts'],
  [
    'Generated types',
    'wrangler',
    'types',
    'src/env.d.ts',
    '--include-runtime=false',
    '--strict-vars=false',
    '--check',
  ],
  ['Types', 'tsc', '-p', '.'],
  ['Types in the browser', 'tsc', '-p', 'src/cabinet/browser'],
  ['Lint and format', 'biome', 'ci', '--error-on-warnings', '.'],
] as const;

for (const [name, ...command] of checks) {
  console.log(`\n— ${name}`);
  if (run(command) !== 0) finish(1, { numPassedTests: 0, numFailedTests: 1, numPendingTests: 0 });
}

console.log('\n— Browser');
console.log(
  ensureChromium() ?? 'There is no Chromium: browser tests are skipped. Set CHROMIUM to one.',
);

console.log('\n— Tests');
const folder = await mkdtemp(join(tmpdir(), 'image-optimization-test-'));
const report = join(folder, 'report.json');
const status = run([
  'vitest',
  'run',
  '--reporter=default',
  '--reporter=json',
  `--outputFile.json=${report}`,
  ...process.argv.slice(2),
]);
const totals = JSON.parse(await readFile(report, 'utf8')) as Totals;
await rm(folder, { recursive: true });
finish(status, totals);

interface Totals {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
}

/** Runs a program of node_modules/.bin, its output on the terminal. */
function run([program, ...args]: readonly string[]): number {
  const bin = join(root, 'node_modules/.bin', program ?? '');
  return spawnSync(bin, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] }).status ?? 1;
}

function finish(status: number, totals: Totals): never {
  const { numPassedTests, numFailedTests, numPendingTests } = totals;
  // A suite that breaks before its first test counts none, but has failed all the same.
  const failed = status === 0 ? numFailedTests : Math.max(1, numFailedTests);
  console.log(`\n${numPassedTests} passed, ${failed} failed, ${numPendingTests} skipped`);
  process.exit(status);
}
