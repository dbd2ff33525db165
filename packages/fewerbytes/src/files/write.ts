import { randomUUID } from 'node:crypto';
import type { Stats } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { OptimizeError } from '../errors.ts';

/** Names of temporary files: hidden, so that scans skip them, and short, whatever the length of the final name. */
const partPattern = /^\.[0-9a-f-]{36}\.part$/;

/** A temporary file older than this was left by a killed process, in milliseconds. */
const maxPartAge = 3_600_000;

export interface WriteOptions {
  /** The new file gets the permissions of this file and, as far as the system allows it, its owner and group. */
  readonly like: Pick<Stats, 'mode' | 'uid' | 'gid'>;
  /** Whether to create the folder if it does not exist. Default: false. */
  readonly createFolder?: boolean;
  /** The new file gets this file's modification time. Default: now. */
  readonly keepTimeOf?: Stats;
  /** Called right before the rename, when everything is on disk; if it throws, nothing is changed. */
  readonly beforeRename?: () => Promise<void>;
}

/**
 * Writes a file atomically: to a temporary file in the same folder, with fsync, then by rename. At every moment, either
 * the old or the new file is there, whole.
 * @returns the new file's stats
 * @throws OptimizeError `cannot_write`
 */
export async function writeWhole(
  path: string,
  bytes: Uint8Array,
  { like, createFolder, keepTimeOf, beforeRename }: WriteOptions,
): Promise<Stats> {
  const folder = dirname(path);
  const part = join(folder, `.${randomUUID()}.part`);
  try {
    if (createFolder) await makeFolder(folder);
    const file = await open(part, 'wx', 0o600);
    let written: Stats;
    try {
      await file.writeFile(bytes);
      // only root may give files to their owners, but others may give them to a group of theirs
      await file
        .chown(like.uid, like.gid)
        .catch(() => file.chown(-1, like.gid))
        .catch(() => {});
      await file.chmod(like.mode & 0o777);
      if (keepTimeOf) await file.utimes(keepTimeOf.atime, keepTimeOf.mtime);
      await file.sync();
      written = await file.stat();
    } finally {
      await file.close();
    }
    await beforeRename?.();
    await renameOver(part, path);
    return written;
  } catch (error) {
    await rm(part, { force: true });
    if (error instanceof OptimizeError) throw error;
    const { code = '' } = error as NodeJS.ErrnoException;
    throw new OptimizeError('cannot_write', {
      detail: `The result cannot be written (${code}): check the permissions of the folder, and the disk.`,
      cause: error,
    });
  }
}

/**
 * Creates a folder and its parents, unless they exist. The recursive `mkdir` of Node never ends where the system reports
 * a missing parent although there is one, as Linux does below /proc; here, each folder is tried twice at most.
 * @throws the system's error
 */
export async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    if (await isFolder(path)) return;
    const parent = dirname(path);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || parent === path) throw error;
    // not only if it is still missing: another call may have created it since
    await makeFolder(parent);
    await mkdir(path).catch(async (again: unknown) => {
      if (!(await isFolder(path))) throw again;
    });
  }
}

async function isFolder(path: string): Promise<boolean> {
  const stats = await stat(path).catch(() => null);
  return stats?.isDirectory() === true;
}

/** Renames, with retries on Windows, where virus scanners and indexers hold files open for a moment. */
export async function renameOver(from: string, to: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await rename(from, to);
      return;
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      const isHeld = process.platform === 'win32' && ['EPERM', 'EACCES', 'EBUSY'].includes(code);
      if (!isHeld || tries === 10) throw error;
      await pause(50 * tries);
    }
  }
}

const tidied = new Set<string>();

/** Removes temporary files of killed processes from a folder, the first time that this process calls it. */
export async function removeOldParts(folder: string): Promise<void> {
  if (tidied.has(folder)) return;
  tidied.add(folder);
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((each) => partPattern.test(each))) {
    const path = join(folder, name);
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }));
    if (Date.now() - mtimeMs > maxPartAge) await rm(path, { force: true }).catch(() => {});
  }
}
