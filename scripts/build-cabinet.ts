/** Builds the files that browsers load (scripts, styles and images) into `dist/cabinet`. */
import { globSync } from 'node:fs';
import { copyFile, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Rolldown } from 'vite';
import './build-wasm.ts';
import { isFresh } from './local/is-fresh.ts';
import { buildPackage, packageFolder } from './local/packages.ts';
import { root } from './local/root.ts';

const source = join(root, 'src/cabinet');
const assets = join(root, 'dist/cabinet/assets');
const manifest = join(root, 'dist/cabinet/.vite/manifest.json');

// Browser code imports these, too.
const formatFacts = globSync('src/image/formats/**/*facts.ts', { cwd: root }).map((file) =>
  join(root, file),
);
const engine = packageFolder('fewerbytes');
// The pages optimize images with it.
await buildPackage('fewerbytes');
const built = ['dist/browser', 'package.json'].map((path) => join(engine, path));
const license = join(root, 'LICENSE');
const sources = [
  source,
  license,
  ...formatFacts,
  ...built,
  import.meta.filename,
  join(root, 'package-lock.json'),
];

if (!(await isFresh(manifest, sources))) {
  // Imported only when needed: this script runs before each start of the service, and usually has nothing to do.
  const { build } = await import('vite');
  const built = await build({ configFile: join(source, 'vite.config.ts') });
  if ('close' in built) throw new Error('Vite watches instead of building.');
  await clearOthers([built].flat());
  await copyFile(license, join(root, 'dist/cabinet/license.txt'));
}

/**
 * Deletes files of earlier builds. File names contain a content hash, so a running service keeps finding its files
 * until the new ones are complete.
 */
async function clearOthers(outputs: readonly Rolldown.RolldownOutput[]): Promise<void> {
  const written = outputs.flatMap(({ output }) => output.map(({ fileName }) => fileName));
  for (const file of await readdir(assets)) {
    if (!written.includes(`assets/${file}`)) await rm(join(assets, file), { force: true });
  }
}
