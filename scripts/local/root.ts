import { join, resolve } from 'node:path';

/** The project's folder. */
export const root = join(import.meta.dirname, '../..');

/** The script that `node` runs as wrangler, without a shell or a shim in between. */
export const wranglerScript = join(root, 'node_modules/wrangler/bin/wrangler.js');

/** Where the local service keeps its data: `STATE_DIR`, or wrangler's default folder. */
export function stateDirectory(): string {
  return resolve(root, process.env.STATE_DIR || '.wrangler/state');
}
