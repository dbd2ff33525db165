/** `npm start`: runs the whole service on this machine until Ctrl-C. */

import { execFileSync } from 'node:child_process';
import { stateDirectory } from './local/root.ts';
import { startService } from './local/service.ts';

const port = Number(process.env.PORT || 8787);
if (!Number.isInteger(port) || port < 1 || port > 65_535) {
  console.error('PORT should be a number from 1 to 65535.');
  process.exit(2);
}
console.log('Starting the service …');
const service = await startService({
  port,
  stateDirectory: stateDirectory(),
  show: (text) => process.stdout.write(text),
  vars: process.env.PUBLIC_ORIGIN ? { PUBLIC_ORIGIN: process.env.PUBLIC_ORIGIN } : {},
}).catch((error: Error) => {
  console.error(error.message);
  process.exit(1);
});

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, stop);
stopWithNpm();

const stateSetting = process.env.STATE_DIR ? `STATE_DIR=${process.env.STATE_DIR} ` : '';
console.log(`
Sign-in mails are shown here, with the code in their subject. Ctrl-C stops the service.

Get an API key, in another terminal:

  KEY=$(${stateSetting}npm run -s key -- you@gmail.com)

Optimize a picture:

  curl -fsS "${service.origin}/v1/optimize?format=webp" -H "Authorization: Bearer $KEY" \\
    --data-binary @test/support/samples/photo.jpg -o photo.webp \\
    -w "%{filename_effective}: %{size_upload} bytes became %{size_download} (HTTP %{http_code})\\n"

Open ${service.origin}
`);
process.exit(await service.ended);

function stop(): void {
  void service.stop().then(() => process.exit(0));
}

/**
 * Stops the service when npm ends: npm cannot forward a SIGKILL, and a SIGTERM reaches only the shell between npm and
 * this process.
 */
function stopWithNpm(): void {
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  const npm = callerOfShell(parent) ?? parent;
  setInterval(() => {
    if (process.ppid !== parent || !isRunning(npm)) stop();
  }, 500).unref();
}

/** The parent of a process, if that process is a shell; otherwise null. */
function callerOfShell(id: number): number | null {
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

function isRunning(id: number): boolean {
  try {
    return process.kill(id, 0);
  } catch {
    return false;
  }
}
