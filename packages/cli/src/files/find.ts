import type { Stats } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { glob, isDynamicPattern } from 'tinyglobby';
import { OptimizeError } from '../errors.ts';
import { hasImageExtension } from '../images.ts';

/** A file to optimize. */
export interface FoundFile {
  /** For display: relative to the working folder if it is inside. */
  readonly path: string;
  /** Absolute path with symbolic links resolved, so that a result replaces the file and not the link. */
  readonly realPath: string;
  /** Path relative to the input that it was found in, which is its path in an out folder. */
  readonly relativePath: string;
}

export interface Found {
  readonly files: readonly FoundFile[];
  /** Inputs that do not exist. */
  readonly missing: readonly { readonly path: string; readonly error: OptimizeError }[];
}

export interface Scope {
  /** Folder that inputs are relative to. */
  readonly cwd: string;
  /** Absolute path of the out folder, which is left out when an input contains it; null: in place. */
  readonly outFolder: string | null;
}

/**
 * Finds the images that files, folders and globs stand for: each once, sorted by name. Folders and globs yield only files
 * with an image extension, in upper or lower case; they leave out hidden files and `node_modules`, and do not follow
 * links to folders. A file that is named itself is always included.
 */
export async function findFiles(inputs: readonly string[], scope: Scope): Promise<Found> {
  const found = new Map<string, FoundFile>();
  const missing: { path: string; error: OptimizeError }[] = [];
  for (const input of inputs) {
    const files = await filesOf(input, scope);
    if (files === null) missing.push({ path: input, error: new OptimizeError('not_found') });
    for (const file of files ?? []) {
      // in place, a file is optimized once even if it has several names; in an out folder, each name gets a result
      const key =
        scope.outFolder === null ? file.realPath : `${file.relativePath}\n${file.realPath}`;
      if (!found.has(key)) found.set(key, file);
    }
  }
  const files = [...found.values()].sort((a, b) => compareNames(a.path, b.path));
  return { files, missing };
}

const { compare: compareNames } = new Intl.Collator('en', { numeric: true });

/** The files of one input; null if it does not exist or a glob matches nothing. */
async function filesOf(input: string, scope: Scope): Promise<FoundFile[] | null> {
  const path = resolve(scope.cwd, input);
  // an existing path goes first, since names may contain brackets
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
    const here = await statOf(path); // follows links
    if (!here?.isFile()) continue;
    // files below a linked folder belong elsewhere, and must not be replaced from here
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

/** Whether a path is the folder itself or inside it; both are absolute. */
export function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** Replaces the backslashes of Windows paths: patterns have forward slashes on every platform. */
export function slashed(pattern: string, platform: NodeJS.Platform = process.platform): string {
  return platform === 'win32' ? pattern.replaceAll('\\', '/') : pattern;
}

/** Splits a glob into its static folder and the pattern: `photos/*.jpg` into `photos` and `*.jpg`. */
export function splitGlob(pattern: string): { readonly base: string; readonly rest: string } {
  const segments = pattern.split('/');
  const at = segments.findIndex((segment) => isDynamicPattern(segment));
  const base = segments.slice(0, at).join('/');
  return {
    base: base || (pattern.startsWith('/') ? '/' : '.'),
    rest: segments.slice(at).join('/'),
  };
}
