import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join, posix, win32 } from 'node:path';
import { identity } from './identity.ts';

/** What an image became: fewer bytes, or nothing better. All of it but the bytes stands in the cache as JSON. */
export type Outcome = SmallerImage | KeptImage;

interface ImageFacts {
  /** Media type of the image that was given. */
  readonly inputType: string;
  readonly inputBytes: number;
  /** Null: it is an earlier result, and nothing was measured. */
  readonly score: number | null;
}

export interface SmallerImage extends ImageFacts {
  readonly kind: 'smaller';
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Media type of the result. */
  readonly type: string;
  readonly width: number;
  readonly height: number;
  readonly quality: string;
}

export interface KeptImage extends ImageFacts {
  readonly kind: 'kept';
  /**
   * `already-optimal`, `animated` and `larger-format` are the service's words; `optimized-before`: the image is
   * itself what these options have made.
   */
  readonly reason: string;
  /** Media type of the image that it was made from, with `optimized-before`. */
  readonly madeFrom?: string;
}

type Entry = KeptImage | (Omit<SmallerImage, 'bytes'> & { readonly sha256: string });

/** Raised when entries of earlier versions can no longer be used. */
const layout = 1;

/** Entries that nobody has asked for so long are removed, in milliseconds. */
const maxAge = 30 * 24 * 3_600_000;

export function sha256(...parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
}

/**
 * Outcomes by content, options and service, in a folder that several processes may share. An entry is a JSON file, and
 * for a smaller image a second file with its bytes, which is written first. Every file appears by rename, and bytes are
 * compared with their hash, so that whatever interrupts a write costs no more than that entry. A folder that cannot be
 * written to is as good as none.
 */
export class Cache {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  /** @param content hash of the image */
  static key(content: string, options: string, origin: string): string {
    return sha256([layout, origin, options, content].join('\n'));
  }

  async get(key: string): Promise<Outcome | null> {
    try {
      const path = this.#path(key);
      const entry = JSON.parse(await readFile(`${path}.json`, 'utf8')) as Entry;
      await touch(`${path}.json`);
      if (entry.kind === 'kept') return entry;
      const bytes = new Uint8Array(await readFile(`${path}.bin`));
      if (sha256(bytes) !== entry.sha256) return null;
      const { sha256: _, ...facts } = entry;
      return { ...facts, bytes };
    } catch {
      return null;
    }
  }

  async has(key: string): Promise<boolean> {
    return stat(`${this.#path(key)}.json`).then(
      () => true,
      () => false,
    );
  }

  async put(key: string, outcome: Outcome): Promise<void> {
    const path = this.#path(key);
    try {
      await mkdir(join(path, '..'), { recursive: true });
      if (outcome.kind === 'kept') {
        await replace(`${path}.json`, JSON.stringify(outcome));
        return;
      }
      const { bytes, ...facts } = outcome;
      await replace(`${path}.bin`, bytes);
      await replace(`${path}.json`, JSON.stringify({ ...facts, sha256: sha256(bytes) }));
    } catch {
      // full, or read-only: the next run asks the service again
    }
  }

  /** Removes what has not been asked for in a month, and what an interrupted write has left; once a day. */
  async prune(now = Date.now()): Promise<void> {
    const marker = join(this.folder, 'pruned');
    const last = await stat(marker).catch(() => null);
    if (last && now - last.mtimeMs < 24 * 3_600_000) return;
    try {
      await mkdir(this.folder, { recursive: true });
      await writeFile(marker, '');
      for (const name of await readdir(this.folder, { recursive: true })) {
        if (!/\.(?:json|bin|part)$/.test(name)) continue;
        const path = join(this.folder, name);
        // the bytes are as old as the entry that they belong to
        const { mtimeMs } = await stat(path.replace(/bin$/, 'json')).catch(() => stat(path));
        if (now - mtimeMs > maxAge) await rm(path, { force: true });
      }
    } catch {
      // another process prunes, or nobody may
    }
  }

  #path(key: string): string {
    return join(this.folder, key.slice(0, 2), key.slice(2));
  }
}

async function replace(path: string, content: string | Uint8Array): Promise<void> {
  const part = `${path}.${randomUUID()}.part`;
  try {
    await writeFile(part, content);
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}

async function touch(path: string): Promise<void> {
  const now = new Date();
  await utimes(path, now, now).catch(() => {});
}

/** Where the cache is if nothing else is said: where this system keeps a user's caches. */
export function defaultCacheFolder(
  environment: Readonly<Record<string, string | undefined>> = process.env,
  platform: NodeJS.Platform = process.platform,
): string {
  const { join } = platform === 'win32' ? win32 : posix;
  const { HOME = '.', USERPROFILE = HOME, LOCALAPPDATA, XDG_CACHE_HOME } = environment;
  if (platform === 'win32') {
    return join(LOCALAPPDATA ?? join(USERPROFILE, 'AppData', 'Local'), identity.name, 'Cache');
  }
  if (platform === 'darwin') return join(HOME, 'Library', 'Caches', identity.name);
  return join(XDG_CACHE_HOME || join(HOME, '.cache'), identity.name);
}
