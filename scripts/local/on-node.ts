import { join } from 'node:path';
import { runCommand } from '../../src/node/commands.ts';
import { root } from './root.ts';

/** Runs a command of the service on Node, as `node server.js` does where it is installed. @returns its exit status */
export function runOnNode(...args: readonly string[]): Promise<number> {
  return runCommand(args, process.env, join(root, 'migrations'));
}
