/** Builds the packages in `packages/`, as npm does before it packs them. */
import { execFileSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isFresh } from './local/is-fresh.ts';
import { root } from './local/root.ts';

for (const manifest of globSync('packages/*/package.json', { cwd: root })) {
  const folder = join(root, dirname(manifest));
  const sources = ['src', 'package.json', 'tsconfig.json'].map((name) => join(folder, name));
  const lock = join(root, 'package-lock.json');
  if (await isFresh(join(folder, 'dist/index.js'), [...sources, lock])) continue;
  execFileSync('npm', ['run', '--silent', 'build'], {
    cwd: folder,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
}
