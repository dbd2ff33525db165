import { execFile } from 'node:child_process';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isFresh } from './is-fresh.ts';
import { root } from './root.ts';

/** The packages in `packages/`, each with the option of its bundler for another output folder. */
const folderOptions = { fewerbytes: '--dir', action: '--outDir' };

type PackageName = keyof typeof folderOptions;

/** A package may bundle those listed before it. */
export const packageNames = Object.keys(folderOptions) as PackageName[];

/** What a package is made of, in its folder. */
const ownSources = [
  ...['src', 'package.json', 'tsconfig.json'],
  ...['rolldown.config.ts', 'engine-plugins.ts', 'vite.config.js', 'codecs.md'],
];
/** What all of them depend on: the engine and the grammar of URLs, which the first one bundles, and the packages from npm. */
const commonSources = [
  ...['src/image', 'src/routes/delivery/url-spelling.ts'],
  ...['codecs/libaom/NOTICE', 'package-lock.json'],
].map((path) => join(root, path));

export function packageFolder(name: PackageName): string {
  return join(root, 'packages', name);
}

/**
 * Builds a package, as npm does before it packs it, unless its `dist` is newer than what it is made of. The folder is
 * replaced as a whole, because services that start at the same time build concurrently, and pack what is there.
 * @throws Error with the output of the bundler
 */
export function buildPackage(name: PackageName): Promise<void> {
  const begun = builds.get(name) ?? buildUnlessFresh(name);
  builds.set(name, begun);
  return begun;
}

/** By name: several scripts of a process need the same package. */
const builds = new Map<PackageName, Promise<void>>();

async function buildUnlessFresh(name: PackageName): Promise<void> {
  const folder = packageFolder(name);
  const target = join(folder, 'dist');
  const earlier = packageNames
    .slice(0, packageNames.indexOf(name))
    .flatMap((each) => ownSources.map((path) => join(packageFolder(each), path)));
  const own = ownSources.map((path) => join(folder, path));
  if (await isFresh(join(target, 'index.js'), [...own, ...earlier, ...commonSources])) return;
  const part = join(root, 'dist', `${name}.${process.pid}.part`);
  await npm(['run', 'build', '--', folderOptions[name], part], folder);
  await rm(target, { recursive: true, force: true });
  await rename(part, target).catch(async (error: NodeJS.ErrnoException) => {
    const isBuiltByAnother = error.code === 'ENOTEMPTY' || error.code === 'EEXIST';
    if (!isBuiltByAnother) throw error;
    await rm(part, { recursive: true });
  });
}

/**
 * Runs npm in a folder, without its output.
 * @throws Error with the output
 */
export async function npm(args: readonly string[], cwd: string): Promise<void> {
  const options = { cwd, shell: process.platform === 'win32' };
  await promisify(execFile)('npm', [...args], options).catch((cause) => {
    throw new Error(`npm ${args.join(' ')} failed.\n${cause.stdout}${cause.stderr}`, { cause });
  });
}
