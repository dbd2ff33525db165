// `node scripts/run.mjs [--wasm] <script> [arguments]`: how package.json runs every command. Started by whatever Node the
// machine has (20 or later), it installs the packages and runs the script under the Node among them. With `--wasm`, the
// script can import WebAssembly modules as Workers do. Nothing that it starts outlives npm.
import { execFileSync, spawn } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import './install.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const [first, ...others] = process.argv.slice(2);
const wasm = ['--import', './scripts/build-wasm.ts', '--import', './test/support/wasm-loader.ts'];
const args = first === '--wasm' ? [...wasm, ...others] : [first, ...others];

const bin = join(root, 'node_modules', '.bin');
const script = spawn('node', args, {
  cwd: root,
  env: { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}` },
  stdio: 'inherit',
  shell: process.platform === 'win32',
});
script.on('exit', (code, signal) => process.exit(signal === null ? code : 1));

// Ctrl-C reaches the whole process group, and the script decides how it ends.
process.on('SIGINT', () => {});
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => script.kill(signal));
endWithNpm();

/** Ends the script when npm ends: npm cannot forward a SIGKILL, and its SIGTERM reaches only the shell that it starts. */
function endWithNpm() {
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  const npm = callerOfShell(parent) ?? parent;
  setInterval(() => {
    if (process.ppid !== parent || !isRunning(npm)) script.kill('SIGTERM');
  }, 500).unref();
}

/** The parent of a process, if that process is a shell; otherwise null. */
function callerOfShell(id) {
  try {
    const described = execFileSync('ps', ['-o', 'ppid=,comm=', '-p', String(id)], {
      encoding: 'utf8',
    });
    const [, caller] = /^\s*(\d+)\s.*sh$/.exec(described.trimEnd()) ?? [];
    return caller === undefined ? null : Number(caller);
  } catch {
    return null; // no `ps` here
  }
}

function isRunning(id) {
  try {
    return process.kill(id, 0);
  } catch {
    return false;
  }
}
