/**
 * Packs `packages/fewerbytes`, as npm would publish it, into `dist/cabinet/packages`. From there the Worker serves it,
 * so that people install the command line, the library and the plugin from the very service that they use.
 */
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import './build-wasm.ts';
import { isFresh } from './local/is-fresh.ts';
import { buildPackage, npm, packageFolder } from './local/packages.ts';
import { root } from './local/root.ts';

const assets = join(root, 'dist/cabinet');
const target = join(assets, 'packages');
const folder = packageFolder('fewerbytes');
/** What is packed. */
const sources = ['dist', 'package.json', 'README.md', 'LICENSE'].map((path) => join(folder, path));

/** The path of the package on the service. */
export const packagePath = `/packages/${await currentTarball()}`;

/** The file of {@link packagePath}. */
export const packageFile = join(assets, packagePath);

/** Returns the name of the file, which is made anew if anything in it has changed. */
async function currentTarball(): Promise<string> {
  await buildPackage('fewerbytes');
  const [name, ...others] = await readdir(target).catch(() => []);
  const isCurrent = name !== undefined && others.length === 0;
  const isUsable =
    isCurrent && (await isFresh(join(target, name), [...sources, import.meta.filename]));
  return isUsable ? name : packed();
}

/**
 * Packs, deletes files of earlier builds, and returns the name of the new one. It contains the version and a hash of
 * the content, because npm and npx keep what they have got from an address.
 */
async function packed(): Promise<string> {
  const place = await mkdtemp(join(tmpdir(), 'fewerbytes-package-'));
  await npm(['pack', '--ignore-scripts', '--pack-destination', place], folder);
  const [file = ''] = await readdir(place);
  const content = await readFile(join(place, file));
  await rm(place, { recursive: true });
  const hash = createHash('sha256').update(content).digest('hex');
  const name = file.replace(/\.tgz$/, `-${hash.slice(0, 8)}.tgz`);
  await mkdir(target, { recursive: true });
  const part = join(root, 'dist', `${name}.${process.pid}.part`);
  await writeFile(part, content);
  await rename(part, join(target, name));
  for (const other of await readdir(target)) {
    if (other !== name) await rm(join(target, other), { force: true });
  }
  return name;
}
