import { execFileSync } from 'node:child_process';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from '../../../../scripts/local/root.ts';
import { identity } from '../../src/identity.ts';

const folder = join(import.meta.dirname, '../..');

/** What npm says about a package that it has packed. */
export interface Packed {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

/** As npm would publish it; what it would build first has been built before the tests. */
export function pack(target: string): Packed {
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', target];
  const printed = execFileSync('npm', args, { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'] });
  // a list or an object by name, depending on the version of npm
  const [packed] = Object.values(JSON.parse(printed.toString())) as Packed[];
  if (!packed) throw new Error('nothing was packed');
  return packed;
}

/** The files of a small site, by their paths. */
export type Site = Readonly<Record<string, string>>;

/**
 * Makes a folder a project that has installed the package, and Vite.
 * @returns where the package is
 */
export async function writeProject(place: string, site: Site): Promise<string> {
  const { filename } = pack(place);
  const installed = join(place, 'node_modules', identity.name);
  await mkdir(installed, { recursive: true });
  const tarball = join(place, filename);
  execFileSync('tar', ['-xzf', tarball, '-C', installed, '--strip-components=1']);
  const { dependencies } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'));
  for (const name of ['vite', ...Object.keys(dependencies)]) {
    await symlink(join(root, 'node_modules', name), join(place, 'node_modules', name));
  }
  await writeFile(join(place, 'package.json'), '{ "type": "module", "private": true }');
  for (const [path, text] of Object.entries(site)) await writeFile(join(place, path), text);
  return installed;
}

/** A page whose script gives what the package exports to whoever drives the browser (PackagePage in page.ts). */
export function pageOf(...entries: readonly ('' | '/pool')[]): Site {
  const imports = entries.map(
    (entry, at) => `import * as part${at} from '${identity.name}${entry}';`,
  );
  const parts = entries.map((_, at) => `...part${at}`);
  return {
    'index.html':
      '<!doctype html><title>Page</title><script type="module" src="/main.js"></script>',
    'main.js': `${imports.join('\n')}\nwindow.fewerbytes = { ${parts.join(', ')} };`,
  };
}

/** Builds the site of a folder with Vite, and returns where the output is. */
export function buildSite(place: string): string {
  const script = join(place, 'node_modules/vite/bin/vite.js');
  const args = ['--preserve-symlinks', script, 'build', '--logLevel', 'warn'];
  execFileSync(process.execPath, args, { cwd: place, stdio: ['ignore', 'ignore', 'inherit'] });
  return join(place, 'dist');
}
