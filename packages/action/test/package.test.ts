import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const folder = join(import.meta.dirname, '..');

interface Packed {
  readonly files: readonly { readonly path: string }[];
}

it('its release has one script, the licenses of what is in it, and no sources', () => {
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts'];
  const printed = execFileSync('npm', args, { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'] });
  const [packed] = Object.values(JSON.parse(printed.toString())) as Packed[];
  expect(packed?.files.map(({ path }) => path).sort()).toEqual([
    ...['LICENSE', 'README.md', 'action.yml', 'dist/index.js', 'dist/licenses.md', 'package.json'],
  ]);
  const licenses = readFileSync(join(folder, 'dist/licenses.md'), 'utf8');
  for (const name of ['openapi-fetch', 'tinyglobby', 'fdir', 'picomatch']) {
    expect(licenses).toContain(name);
  }
});
