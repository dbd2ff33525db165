import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const folder = join(import.meta.dirname, '..');

interface Packed {
  readonly files: readonly { readonly path: string }[];
}

it('its release has what is bundled with the licenses of it, the engine’s kernels, and no sources', () => {
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts'];
  const printed = execFileSync('npm', args, { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'] });
  const [packed] = Object.values(JSON.parse(printed.toString())) as Packed[];
  const paths = packed?.files.map(({ path }) => path) ?? [];
  expect(paths.filter((path) => !/^dist\/[\w-]+\.(?:js|wasm)$/.test(path)).sort()).toEqual([
    ...['LICENSE', 'README.md', 'action.yml', 'dist/licenses.md', 'package.json'],
  ]);
  expect(paths).toEqual(expect.arrayContaining(['dist/index.js', 'dist/pool-thread.js']));
  const kernels = globSync('*.wasm', { cwd: join(folder, '../fewerbytes/dist') });
  expect(kernels.length).toBeGreaterThan(5);
  expect(paths).toEqual(expect.arrayContaining(kernels.map((name) => `dist/${name}`)));
  const licenses = readFileSync(join(folder, 'dist/licenses.md'), 'utf8');
  for (const name of ['openapi-fetch', 'tinyglobby', 'fdir', 'picomatch', '@xmldom/xmldom']) {
    expect(licenses).toContain(name);
  }
});
