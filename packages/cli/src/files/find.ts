import type { Stats } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { glob, isDynamicPattern } from 'tinyglobby';
import { OptimizeError } from '../errors.ts';
import { hasImageExtension } from '../images.ts';

/** A file that is to be optimized. */
export interface FoundFile {
  /** As it is shown, relative to the working folder if it lies in there. */
  readonly path: string;
  /** Where it really is; symbolic links are resolved, so that a result replaces the file and not the link. */
  readonly realPath: string;
  /** Its path in an out folder. */
  readonly relativePath: string;
}

export interface Found {
  readonly files: readonly FoundFile[];
  /** What was named and is not there. */
  readonly missing: readonly { readonly path: string; readonly error: OptimizeError }[];
}

export interface Scope {
  /** Working folder, which inputs are relative to. */
  readonly cwd: string;
  /** Where results are written, absolute; not looked into below a folder that is. Null: in place. */
  readonly outFolder: string | null;
}

/**
 * The images that files, folders and globs stand for, each once, in the order of their names. Folders and globs yield
 * files with the extension of an image only, in upper or lower case; hidden ones and those in `node_modules` are left
 * out, and linked folders are not followed. A file that is named by itself is always taken.
 */
export async function findFiles(inputs: readonly string[], scope: Scope): Promise<Found> {
  const found = new Map<string, FoundFile>();
  const missing: { path: string; error: OptimizeError }[] = [];
  for (const input of inputs) {
    const files = await filesOf(input, scope);
    if (files === null) missing.push({ path: input, error: new OptimizeError('not_found') });
    for (const file of files ?? []) {
      // in place, a file counts once under whatever names; in an out folder, each name has its own result
      const key =
        scope.outFolder === null ? file.realPath : `${file.relativePath}\n${file.realPath}`;
      if (!found.has(key)) found.set(key, file);
    }
  }
  const files = [...found.values()].sort((a, b) => compareNames(a.path, b.path));
  return { files, missing };
}

const { compare: compareNames } = new Intl.Collator('en', { numeric: true });

/** Null: there is no such thing. */
async function filesOf(input: string, scope: Scope): Promise<FoundFile[] | null> {
  const path = resolve(scope.cwd, input);
  // what is there goes first: names may have brackets in them
  const here = await statOf(path);
  if (here?.isFile()) return [await foundFile(path, basename(path), scope)];
  if (here?.isDirectory()) return scan(path, '**/*', scope);
  const pattern = slashed(input);
  if (!isDynamicPattern(pattern)) return null;
  const { base, rest } = splitGlob(pattern);
  const files = await scan(resolve(scope.cwd, base), rest, scope);
  return files.length > 0 ? files : null;
}

/** The images below a folder. */
async function scan(folder: string, pattern: string, scope: Scope): Promise<FoundFile[]> {
  const names = await glob(pattern, {
    cwd: folder,
    ignore: ['**/node_modules/**'],
    expandDirectories: false,
  });
  const realFolder = await realpath(folder);
  const { outFolder } = scope;
  const outInside = outFolder !== null && !isInside(folder, outFolder) ? outFolder : null;
  const files: FoundFile[] = [];
  for (const name of names) {
    if (!hasImageExtension(name)) continue;
    const path = join(folder, name);
    if (outInside !== null && isInside(path, outInside)) continue;
    const here = await statOf(path); // of what a link leads to
    if (!here?.isFile()) continue;
    // what a linked folder holds belongs elsewhere, and must not be replaced from here
    const isBelow = (await realpath(dirname(path))) === join(realFolder, dirname(name));
    if (isBelow) files.push(await foundFile(path, name, scope));
  }
  return files;
}

async function foundFile(path: string, relativePath: string, { cwd }: Scope): Promise<FoundFile> {
  const shown = relative(cwd, path);
  return {
    path: shown.startsWith('..') ? path : shown,
    realPath: await realpath(path),
    relativePath,
  };
}

function statOf(path: string): Promise<Stats | null> {
  return stat(path).catch(() => null);
}

/** Whether a path is a folder or lies in it; both are absolute. */
export function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** A pattern with the slashes that patterns have on every system. */
export function slashed(pattern: string, platform: NodeJS.Platform = process.platform): string {
  return platform === 'win32' ? pattern.replaceAll('\\', '/') : pattern;
}

/** A glob as the folder that it begins with and the pattern below: `photos` and `*.jpg` of `photos/*.jpg`. */
export function splitGlob(pattern: string): { readonly base: string; readonly rest: string } {
  const segments = pattern.split('/');
  const at = segments.findIndex((segment) => isDynamicPattern(segment));
  const base = segments.slice(0, at).join('/');
  return {
    base: base || (pattern.startsWith('/') ? '/' : '.'),
    rest: segments.slice(at).join('/'),
  };
}
