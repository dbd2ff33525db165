import { randomUUID } from 'node:crypto';
import type { Stats } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { OptimizeError } from '../errors.ts';

/** Hidden, so that no scan takes it for an image; short, since a name may be as long as the file system allows. */
const partPattern = /^\.[0-9a-f-]{36}\.part$/;

/** A part that old was left by a process that was killed, in milliseconds. */
const maxPartAge = 3_600_000;

export interface WriteOptions {
  /** The file whose permissions and, where the system allows it, owner the new one has. */
  readonly like: Pick<Stats, 'mode' | 'uid' | 'gid'>;
  /** Whether the file keeps the time of this file's last change; else it is now. */
  readonly keepTimeOf?: Stats;
  /** Called when all is on the disk, right before the rename: what it throws leaves everything as it was. */
  readonly beforeRename?: () => Promise<void>;
}

/**
 * Writes a file so that at every moment the old or the new one is there, whole: into a temporary file in the same
 * folder, onto the disk, then by rename.
 * @returns the file as it was written
 * @throws OptimizeError `cannot_write`
 */
export async function writeWhole(
  path: string,
  bytes: Uint8Array,
  { like, keepTimeOf, beforeRename }: WriteOptions,
): Promise<Stats> {
  const folder = dirname(path);
  const part = join(folder, `.${randomUUID()}.part`);
  try {
    await mkdir(folder, { recursive: true });
    await removeOldParts(folder);
    const file = await open(part, 'wx', 0o600);
    let written: Stats;
    try {
      await file.writeFile(bytes);
      // only root may give files away, and should: else its runs would take them from their owners
      await file.chown(like.uid, like.gid).catch(() => {});
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

/** Virus scanners and indexers on Windows hold files open for a moment, and a rename fails meanwhile. */
async function renameOver(from: string, to: string): Promise<void> {
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

/** Removes what killed processes have left in a folder, the first time that this process writes there. */
async function removeOldParts(folder: string): Promise<void> {
  if (tidied.has(folder)) return;
  tidied.add(folder);
  for (const name of (await readdir(folder)).filter((each) => partPattern.test(each))) {
    const path = join(folder, name);
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }));
    if (Date.now() - mtimeMs > maxPartAge) await rm(path, { force: true });
  }
}

/** What changes whenever a file is replaced or changed. */
export function stateOf({ ino, size, mtimeMs }: Stats): string {
  return `${ino} ${size} ${mtimeMs}`;
}
