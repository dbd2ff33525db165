/**
 * `npm run backup -- <file>` and `npm run restore -- <file>`: of the service on Node, as `node server.js backup <file>` does
 * where it is installed.
 */
import { runOnNode } from './local/on-node.ts';

process.exitCode = await runOnNode(...process.argv.slice(2));
