import { constants, type Stats } from 'node:fs';
import { access, readFile, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { OptimizeError, readError } from '../errors.ts';

/**
 * Reads a file.
 * @returns its bytes, and its stats from before
 * @throws OptimizeError `not_found` or `cannot_read`
 */
export async function readWhole(
  path: string,
): Promise<{ bytes: Uint8Array<ArrayBuffer>; before: Stats }> {
  try {
    const before = await stat(path);
    return { before, bytes: new Uint8Array(await readFile(path)) };
  } catch (error) {
    throw readError(error);
  }
}

/**
 * Checks before there is any work that a file may be replaced. Renaming over it needs no permission for the
 * file itself, but whoever took that permission away wants it to stay. Root has every permission, so the mode counts.
 * @throws OptimizeError `read_only`
 */
export async function assertReplaceable(path: string, { mode }: Stats): Promise<void> {
  const isWritable = (mode & 0o222) !== 0 && (await mayWrite(path));
  if (!isWritable) throw new OptimizeError('read_only');
}

/**
 * Checks before there is any work that files can be created in a folder, or that it can be created itself.
 * @throws OptimizeError `cannot_write`
 */
export async function assertWritable(folder: string): Promise<void> {
  const isThere = (await stat(folder).catch(() => null)) !== null;
  if (!isThere && dirname(folder) !== folder) return assertWritable(dirname(folder));
  if (!(await mayWrite(folder))) throw new OptimizeError('cannot_write');
}

function mayWrite(path: string): Promise<boolean> {
  return access(path, constants.W_OK).then(
    () => true,
    () => false,
  );
}

/** Whether a file has these bytes already; it is then left alone, and keeps its modification time. */
export async function has(path: string, bytes: Uint8Array): Promise<boolean> {
  const there = await stat(path).catch(() => null);
  if (there?.size !== bytes.length) return false;
  const present = await readFile(path).catch(() => null);
  return present?.equals(bytes) === true;
}

/** A string that changes whenever a file is replaced or modified. */
export function stateOf({ ino, size, mtimeMs }: Stats): string {
  return `${ino} ${size} ${mtimeMs}`;
}

/**
 * Whether a file is still what it was. Stricter than `stateOf`: also notices modifications after which the modification
 * time was set back. They change the status time (`ctime`), but so do harmless operations, such as replacing another
 * hard link to the file, so the contents decide then.
 */
export async function isUnchanged(
  path: string,
  before: Stats,
  bytes: Uint8Array,
): Promise<boolean> {
  const now = await stat(path).catch(() => null);
  if (now === null || stateOf(now) !== stateOf(before)) return false;
  return now.ctimeMs === before.ctimeMs || has(path, bytes);
}

/** Resolves the symbolic links in the path of a file or folder that need not exist yet. */
export async function realPathOf(path: string): Promise<string> {
  const real = await realpath(path).catch(() => null);
  if (real !== null || dirname(path) === path) return real ?? path;
  return join(await realPathOf(dirname(path)), basename(path));
}
