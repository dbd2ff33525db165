import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../../../scripts/local/root.ts';

/** Makes the module that is run believe that Node is older, and refuses every other one. */
const older = `
  import { registerHooks } from 'node:module';
  registerHooks({
    load(url, context, next) {
      if (!url.endsWith('/main.ts')) throw new Error('It imports ' + url);
      const loaded = next(url, context);
      return { ...loaded, source: String(loaded.source).replaceAll('import.meta.main', 'undefined') };
    },
  });`;

it('an older Node is told which one is needed, before anything is imported', () => {
  const hooks = `data:text/javascript,${encodeURIComponent(older)}`;
  const args = ['--import', hooks, join(root, 'src/node/main.ts')];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect(stderr).toMatch(/^The service needs Node 24\.2 or later; this is v[\d.]+\.\n$/);
  expect(status).toBe(1);
});
