/**
 * `npm run backup -- <file>` and `npm run restore -- <file>`: of the service on Node, as `node server.js backup <file>` does
 * where it is installed.
 */
import { runCommand } from '../src/node/storage/backup.ts';

process.exitCode = await runCommand(process.argv.slice(2), process.env);
