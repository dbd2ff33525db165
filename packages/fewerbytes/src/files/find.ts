import type { Stats } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { glob, isDynamicPattern } from 'tinyglobby';
import { OptimizeError, readError } from '../errors.ts';
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
  /** Inputs that do not exist, and files and folders that cannot be read. */
  readonly missing: readonly Missing[];
}

interface Missing {
  readonly path: string;
  readonly error: OptimizeError;
}

export interface Scope {
  /** Folder that inputs are relative to. */
  readonly cwd: string;
  /** Real path of the out folder, which is left out when an input contains it; null: in place. */
  readonly outFolder: string | null;
}

/**
 * Finds the images that files, folders and globs stand for: each once, sorted by name. Folders and globs yield only
 * files with an image extension, in upper or lower case; they leave out hidden files and `node_modules`, and do not
 * follow links to folders. A file that is named itself is always included.
 */
export async function findFiles(inputs: readonly string[], scope: Scope): Promise<Found> {
  const found = new Map<string, FoundFile>();
  const missing: Missing[] = [];
  for (const input of inputs) {
    for (const file of await filesOf(input, scope, missing)) {
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

/** The files of one input. Adds to `missing` what does not exist or cannot be read. */
async function filesOf(input: string, scope: Scope, missing: Missing[]): Promise<FoundFile[]> {
  const path = resolve(scope.cwd, input);
  // an existing path goes first, since names may contain brackets
  const here = await statOf(path);
  if (here?.isFile()) {
    try {
      return [await foundFile(path, basename(path), scope)];
    } catch (error) {
      // it has been deleted meanwhile
      missing.push({ path: input, error: readError(error) });
      return [];
    }
  }
  if (here?.isDirectory()) return imagesIn(path, await namesBelow(path, scope, missing), scope);
  const pattern = slashed(input);
  const { base, rest } = await splitGlob(pattern, scope.cwd);
  const folder = resolve(scope.cwd, base);
  const isGlob = isDynamicPattern(pattern) && (await statOf(folder))?.isDirectory();
  const files = isGlob ? await imagesIn(folder, await namesLike(rest, folder), scope) : [];
  if (files.length === 0) missing.push({ path: input, error: new OptimizeError('not_found') });
  return files;
}

/** Paths of all files below a folder, relative to it. */
async function namesBelow(folder: string, scope: Scope, missing: Missing[]): Promise<string[]> {
  const names: string[] = [];
  const walk = async (below: string): Promise<void> => {
    const path = join(folder, below);
    const entries = await readdir(path, { withFileTypes: true }).catch((error: unknown) => {
      const cause = readError(error);
      // a folder that has been deleted meanwhile is no longer part of the input
      if (cause.code !== 'not_found')
        missing.push({ path: shownPath(path, scope.cwd), error: cause });
      return [];
    });
    for (const entry of entries) {
      const name = join(below, entry.name);
      if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
      if (entry.isDirectory()) await walk(name);
      else if (!(await isMangled(join(path, entry.name)))) names.push(name);
      else if (hasImageExtension(name)) {
        const detail = 'Its name is not valid UTF-8: rename it.';
        const error = new OptimizeError('cannot_read', { detail });
        missing.push({ path: shownPath(join(folder, name), scope.cwd), error });
      }
    }
  };
  await walk('');
  return names;
}

/** Whether a name has bytes that are not UTF-8: Node replaces them, so no file has the name that it returns. */
async function isMangled(path: string): Promise<boolean> {
  return basename(path).includes('\ufffd') && (await statOf(path)) === null;
}

function namesLike(pattern: string, folder: string): Promise<string[]> {
  const ignore = ['**/node_modules/**'];
  return glob(pattern, { cwd: folder, ignore, expandDirectories: false });
}

/** Those of the files that are images, and not in the out folder. */
async function imagesIn(
  folder: string,
  names: readonly string[],
  scope: Scope,
): Promise<FoundFile[]> {
  const realFolder = await realpath(folder).catch(() => folder);
  const { outFolder } = scope;
  const outInside = outFolder !== null && !isInside(realFolder, outFolder) ? outFolder : null;
  const files: FoundFile[] = [];
  for (const name of names) {
    if (!hasImageExtension(name)) continue;
    if (outInside !== null && isInside(join(realFolder, name), outInside)) continue;
    // fails if the file is deleted meanwhile
    const file = await fileBelow(folder, realFolder, name, scope).catch(() => null);
    if (file) files.push(file);
  }
  return files;
}

/** A file below a folder, or what a link to a file leads to; null for anything else. */
async function fileBelow(
  folder: string,
  realFolder: string,
  name: string,
  scope: Scope,
): Promise<FoundFile | null> {
  const path = join(folder, name);
  const here = await stat(path);
  // files below a linked folder belong elsewhere, and must not be replaced from here; those that a glob leads to by `..`
  // would have results outside of the out folder
  const isBelow =
    isInside(path, folder) && (await realpath(dirname(path))) === join(realFolder, dirname(name));
  return here.isFile() && isBelow ? foundFile(path, name, scope) : null;
}

async function foundFile(path: string, relativePath: string, scope: Scope): Promise<FoundFile> {
  return { path: shownPath(path, scope.cwd), realPath: await realpath(path), relativePath };
}

/** A path for display: relative to the working folder if it is inside. */
export function shownPath(path: string, cwd: string): string {
  const shown = relative(cwd, path);
  return shown.startsWith('..') ? path : shown;
}

function statOf(path: string): Promise<Stats | null> {
  return stat(path).catch(() => null);
}

/** Whether a path is the folder itself or inside it; both are absolute. */
function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** Replaces the backslashes of Windows paths: patterns have forward slashes on every platform. */
export function slashed(pattern: string, platform: NodeJS.Platform = process.platform): string {
  return platform === 'win32' ? pattern.replaceAll('\\', '/') : pattern;
}

/**
 * Splits a glob into the folder that it begins with and the pattern: `photos/*.jpg` into `photos` and `*.jpg`. What may
 * be part of a pattern is a name where there is such a folder: `app/(shop)/*.jpg`.
 */
export async function splitGlob(
  pattern: string,
  cwd: string,
): Promise<{ readonly base: string; readonly rest: string }> {
  const segments = pattern.split('/');
  const baseOf = (count: number) =>
    segments.slice(0, count).join('/') || (pattern.startsWith('/') ? '/' : '.');
  let count = 0;
  for (const segment of segments.slice(0, -1)) {
    // braces and parentheses may have slashes in them, and end in a later segment
    const mayBePattern = isDynamicPattern(segment) || /[{(]/.test(segment);
    const folder = resolve(cwd, baseOf(count + 1));
    if (mayBePattern && !(await statOf(folder))?.isDirectory()) break;
    count += 1;
  }
  return { base: baseOf(count), rest: segments.slice(count).join('/') };
}
