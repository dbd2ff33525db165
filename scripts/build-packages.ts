/**
 * Builds the packages in `packages/`, as npm does before it packs them; a package may bundle those listed before it.
 */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { isFresh } from './local/is-fresh.ts';
import { root } from './local/root.ts';

const packages = ['fewerbytes', 'action'];
/** The engine, which the first one bundles. */
const engine = join(root, 'src/image');
const lock = join(root, 'package-lock.json');

for (const [at, name] of packages.entries()) {
  const folder = join(root, 'packages', name);
  const earlier = packages.slice(0, at).map((each) => join(root, 'packages', each, 'src'));
  const own = ['src', 'package.json', 'tsconfig.json'].map((each) => join(folder, each));
  if (await isFresh(join(folder, 'dist/index.js'), [...own, ...earlier, engine, lock])) continue;
  execFileSync('npm', ['run', '--silent', 'build'], {
    cwd: folder,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
}
