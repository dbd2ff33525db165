/**
 * `npm run serve`: builds the service for Node and runs it on this machine until Ctrl-C, as `node dist/node/server.js`
 * does.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { root } from './local/root.ts';

console.log('Building the service …');
await import('./build-node.ts');
const script = join(root, 'dist/node/server.js');
const server = spawn(process.execPath, [script, ...process.argv.slice(2)], { stdio: 'inherit' });
server.on('exit', (code) => process.exit(code ?? 1));
// At the terminal, Ctrl-C reaches both.
process.on('SIGINT', () => {});
for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.on(signal, () => server.kill(signal));
const parent = process.ppid;
setInterval(() => process.ppid !== parent && server.kill('SIGTERM'), 500).unref(); // its signal may have been a SIGKILL
