// Runs before every command, with whatever Node the machine has (20 or later): installs the pinned packages, including
// the Node that runs everything else, unless they are installed for this lock file already.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const marker = join(root, 'node_modules', '.installed');
const lockFile = readFileSync(join(root, 'package-lock.json'), 'utf8');
const lock = createHash('sha256').update(lockFile).digest('hex');

const installed = existsSync(marker) ? readFileSync(marker, 'utf8') : '';
if (installed !== lock) {
  const status = await install();
  if (status !== 0) process.exit(status);
  writeFileSync(marker, lock);
}

/** All output goes to stderr, because some commands print only their result on stdout. */
async function install() {
  const stopProgress = showProgress();
  // Not `npm ci`, which deletes all packages first: after a change of the lock file only the difference is installed.
  // The tools are needed where NODE_ENV is `production`, too.
  const options = ['--include=dev', '--no-save', '--no-audit', '--no-fund', '--no-progress'];
  const npm = spawn('npm', ['install', ...options, '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  const status = await new Promise((resolve) => {
    npm.on('error', () => resolve(1));
    npm.on('close', (code) => resolve(code ?? 1));
  });
  stopProgress(status === 0);
  return status;
}

/** Shows how many packages have arrived: every second on one line of a terminal, otherwise every ten seconds. */
function showProgress() {
  const folders = Object.entries(JSON.parse(lockFile).packages)
    .filter(
      ([folder, { os, cpu, libc }]) =>
        folder !== '' &&
        isFor(os, process.platform) &&
        isFor(cpu, process.arch) &&
        isFor(libc, 'glibc'),
    )
    .map(([folder]) => join(root, folder, 'package.json'));
  const show = (end) => {
    const arrived = folders.filter((file) => existsSync(file)).length;
    process.stderr.write(`${start}Installing packages: ${arrived} of ${folders.length}${end}`);
  };
  const { isTTY } = process.stderr;
  const start = isTTY ? '\r' : '';
  const lineEnd = isTTY ? ' ' : '\n';
  show(lineEnd);
  const timer = setInterval(() => show(lineEnd), isTTY ? 1000 : 10_000);
  return (isDone) => {
    clearInterval(timer);
    if (isDone)
      process.stderr.write(`${start}Packages are installed.${isTTY ? ' '.repeat(20) : ''}\n`);
  };
}

/** Whether a package is for this system, according to the `os`, `cpu` or `libc` field of the lock file. */
function isFor(systems, ours) {
  return systems === undefined || systems.includes(ours);
}
