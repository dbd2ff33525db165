/**
 * `npm test`: checks types and style, and runs the tests that show that everything works. `npm run test:unit`: types,
 * style and the tests that start no service. `npm run test:slow`: sweeps over many pictures, hostile input, faults, and
 * what is tagged `slow` elsewhere; CI runs it after `npm test`. `npm run test:full`: all of that, and in full what is
 * shortened there. The last lines tell what failed, and the totals. `--times` also prints what each file takes; further
 * arguments are passed to vitest.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import type { FileTime } from '../test/support/file-times.ts';
import { ensureChromium, ensureFirefox } from './local/browsers.ts';
import { root } from './local/root.ts';

/** Those of its counts that this prints, and of vitest's JSON report. */
interface Totals {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
}

interface Report extends Totals {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly tags: string[];
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

/** Arguments of vitest: projects of vitest.config.ts, and which of their tests. */
const units = ['--project=unit', '--project=stateful'];
const usual = [...units, '--project=services'];
/** Tests that use every part of the service on Node: accounts, keys, pictures, meters, buckets, mails, payments. */
const partsOfNode = [
  ...['sign-in', 'keys', 'quota-mails', 'payments-checkout', 'delivery', 'tinify/outputs'],
  'service',
].map((name) => `test/api/${name}.test.ts`);

interface Run {
  readonly args: readonly string[];
  /** Where services run; in workerd by default. */
  readonly target?: 'node';
}

/** The runs of vitest that each suite consists of. */
const suites: Readonly<Record<string, readonly Run[]>> = {
  unit: [{ args: [...units, '--tags-filter=!slow'] }],
  slow: [
    { args: ['--project=hostile', '--project=slow', '--project=node'] },
    { args: [...usual, '--tags-filter=slow'] },
    { args: ['--project=services', 'test/api'], target: 'node' },
  ],
  full: [{ args: [] }, { args: ['--project=services', 'test/api'], target: 'node' }],
};
const [first = ''] = process.argv.slice(2);
const suite = suites[first];
// Three workers: the tests of services often wait.
const quick = ['--tags-filter=!slow', '--maxWorkers=3'];
const runs = suite ?? [
  { args: [...usual, ...quick] },
  { args: ['--project=services', ...quick, ...partsOfNode], target: 'node' },
];
const others = process.argv.slice(suite ? 3 : 2).filter((argument) => argument !== '--times');
const isTimed = process.argv.includes('--times');
const isUnit = first === 'unit';
if (first === 'full') process.env.TEST_FULL = '1';
const totals: Totals = { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0 };
const failures: string[] = [];

console.log('— Codecs, kernels, pages and packages');
for (const script of ['build', 'build-packages']) {
  const status = await run('Build', `node scripts/${script}.ts`);
  if (status !== 0) finish(status);
}

// Beside the tests, which often wait.
const checks = first === 'slow' ? [] : checkSources();

if (!isUnit) {
  console.log('— Browser');
  console.log(
    ensureChromium() ?? 'There is no Chromium: browser tests are skipped. Set CHROMIUM to one.',
  );
  // Its tests are slow.
  if (suite) {
    console.log(
      ensureFirefox() ?? 'There is no Firefox: its tests are skipped. Set FIREFOX to one.',
    );
  }
}

console.log('— Tests');
const folder = await mkdtemp(join(tmpdir(), 'fewerbytes-test-'));
const report = join(folder, 'report.json');
const fileTimes = join(folder, 'times.jsonl');
if (isTimed) process.env.FILE_TIMES = fileTimes;
let worst = 0;
for (const { args, target } of runs) {
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const tests = spawn('vitest', ['run', ...reporters, ...args, ...others], {
    cwd: root,
    env: { ...process.env, ...(target && { TARGET: target }) },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const [status] = await once(tests, 'close');
  worst = Math.max(worst, status ?? 1);
  add(JSON.parse(await readFile(report, 'utf8')) as Report, args);
}
if (isTimed) printTimes(await readFile(fileTimes, 'utf8'));
await rm(folder, { recursive: true });
finish(Math.max(worst, ...(await Promise.all(checks))));

/** Checks types and style; returns the exit statuses. */
function checkSources(): Promise<number>[] {
  return [
    run(
      'Generated types',
      'wrangler types src/env.d.ts --include-runtime=false --strict-vars=false --check',
    ),
    run('Types', 'tsc -p .'),
    run('Types in the browser', 'tsc -p src/cabinet/browser'),
    run('Types of the package', 'tsc -p packages/fewerbytes'),
    run('Lint and format', 'biome ci --error-on-warnings .'),
    run('Unused code', 'knip'),
    run('Code that only tests use', 'knip --production'),
  ];
}

/** Adds up a run of vitest, which counts as skipped what the filter of the run leaves to another one. */
function add(run: Report, which: readonly string[]): void {
  totals.numPassedTests += run.numPassedTests;
  totals.numFailedTests += run.numFailedTests;
  const isLeftOut = (tags: readonly string[]) =>
    which.includes(tags.includes('slow') ? '--tags-filter=!slow' : '--tags-filter=slow');
  for (const { name, status, message, assertionResults } of run.testResults) {
    const file = relative(root, name);
    const failed = assertionResults.filter((test) => test.status === 'failed');
    for (const { fullName, failureMessages } of failed)
      failures.push(`${file} > ${fullName}\n${failureMessages.join('\n')}`);
    if (status === 'failed' && failed.length === 0) failures.push(`${file}\n${message}`);
    totals.numPendingTests += assertionResults.filter(
      (test) => test.status === 'skipped' && !isLeftOut(test.tags),
    ).length;
  }
}

/** Prints what the folders of tests and the hundred longest files took. */
function printTimes(lines: string): void {
  const files = lines
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as FileTime);
  const folders = Object.entries(Object.groupBy(files, ({ file }) => dirname(file))).map(
    ([folder, times = []]) => total(`${folder}/`, times),
  );
  const line = ({ file, wallSeconds, cpuSeconds }: FileTime) =>
    `${wallSeconds.toFixed(1).padStart(8)} ${cpuSeconds.toFixed(1).padStart(8)}  ${file}`;
  const longestFirst = (times: FileTime[]) =>
    times.toSorted((a, b) => b.cpuSeconds - a.cpuSeconds).map(line);
  console.log(
    ['\n  wall s    CPU s', line(total('all', files)), ...longestFirst(folders), ''].join('\n'),
  );
  console.log(longestFirst(files).slice(0, 100).join('\n'));
}

function total(file: string, times: readonly FileTime[]): FileTime {
  const sum = (name: 'wallSeconds' | 'cpuSeconds') =>
    times.reduce((seconds, time) => seconds + time[name], 0);
  return { file, wallSeconds: sum('wallSeconds'), cpuSeconds: sum('cpuSeconds') };
}

/** Runs a command, and keeps its output for the end if it fails; returns its exit status. */
function run(name: string, command: string): Promise<number> {
  const [program = '', ...args] = command.split(' ');
  return new Promise((resolve) => {
    execFile(
      program,
      args,
      { cwd: root, maxBuffer: 64 * 2 ** 20, shell: process.platform === 'win32' },
      (error, stdout, stderr) => {
        if (error) failures.push(`${name}:\n${stdout}${stderr}`);
        resolve(error ? 1 : 0);
      },
    );
  });
}

/** Prints what failed and the totals, and ends. */
function finish(status: number): never {
  const { numPassedTests, numFailedTests, numPendingTests } = totals;
  // Checks, and suites that break before their first test, count no tests, but have failed.
  const failed = status === 0 ? numFailedTests : Math.max(1, numFailedTests);
  if (failures.length > 0) console.error(`\nFailed:\n\n${failures.join('\n\n')}`);
  console.log(`\n${numPassedTests} passed, ${failed} failed, ${numPendingTests} skipped`);
  process.exit(status);
}
