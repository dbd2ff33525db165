import { createHash, randomUUID } from 'node:crypto';
import { readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join, posix, win32 } from 'node:path';
import type { SetAnswer, SetFile } from '../client/set-answer.ts';
import { identity } from '../identity.ts';
import { isMediaType, type MediaType } from '../images.ts';
import { makeFolder, renameOver } from './write.ts';

/** The result for an image: a smaller one, or none. Everything but its bytes is cached as JSON. */
export type Outcome = SmallerImage | KeptImage;

interface ImageFacts {
  /** Media type of the original. */
  readonly inputType: string;
  readonly inputBytes: number;
  /** SSIMULACRA2; null if it was not measured, as for an image that is itself an earlier result. */
  readonly score: number | null;
  /** The ThumbHash of the result in base64; null or absent if there is none. */
  readonly placeholder?: string | null;
}

export interface SmallerImage extends ImageFacts {
  readonly kind: 'smaller';
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Media type of the result. */
  readonly type: MediaType;
  readonly width: number;
  readonly height: number;
  readonly quality: string;
}

export interface KeptImage extends ImageFacts {
  readonly kind: 'kept';
  /**
   * `already-optimal`, `animated` and `larger-format` come from the engine; `optimized-before`: the image is itself a
   * result of these options.
   */
  readonly reason: string;
  /** With `optimized-before`: media type of the image it was made from. */
  readonly madeFrom?: string;
}

/** All results of a set of an image. Everything but their bytes is cached as JSON. */
export type WholeSet = Pick<
  SetAnswer,
  'inputType' | 'width' | 'height' | 'placeholder' | 'results'
>;

type SetEntry = Omit<WholeSet, 'results'> & {
  readonly kind: 'set';
  /** In the order in which their bytes follow each other; `bytes` is their number. */
  readonly results: readonly (Omit<SetFile, 'bytes'> & { readonly bytes: number })[];
  readonly sha256: string;
};

type Entry = KeptImage | (Omit<SmallerImage, 'bytes'> & { readonly sha256: string });

/** Version of the cache's layout; raise it when existing entries become unusable. */
const layout = 2;

/** Entries are removed when they have not been used for this long, in milliseconds. */
const maxAge = 30 * 24 * 3_600_000;

/** A temporary file older than this was left by a killed process, in milliseconds. */
const maxPartAge = 3_600_000;

/** Paths of the cache's own files: the folder may be one that holds others as well. */
const ownFolder = /^[0-9a-f]{2}$/;
const ownFile = /^[0-9a-f]{62}\.(?:json|bin)(?:\.[0-9a-f-]{36}\.part)?$/;

export function sha256(...parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
}

/**
 * Outcomes keyed by content, options and who has made them, in a folder that several processes may share. An entry is a JSON file
 * plus, for a smaller image, a file with its bytes, which is written first. Files are written by rename and their bytes
 * are verified by hash, so an interrupted write costs no more than that entry. A folder that cannot be written to
 * behaves like no cache, and `writeError` says so.
 */
export class Cache {
  readonly folder: string;
  /**
   * The code of the first system error that kept an entry from being written, such as EACCES; null if there was none.
   */
  writeError: string | null = null;
  readonly #isReadOnly: boolean;

  /** @param isReadOnly whether to change nothing at all, not even the time when an entry was last used */
  constructor(folder: string, isReadOnly = false) {
    this.folder = folder;
    this.#isReadOnly = isReadOnly;
  }

  /** @param content SHA-256 of the image */
  static key(content: string, options: string, origin: string): string {
    return sha256([layout, origin, options, content].join('\n'));
  }

  async get(key: string): Promise<Outcome | null> {
    const entry = await this.#entry(key);
    if (!isEntry(entry)) return null;
    if (entry.kind === 'kept') return entry;
    const { sha256: hash, ...facts } = entry;
    const bytes = await this.#bytes(key, hash);
    return bytes && isMediaType(facts.type) ? { ...facts, bytes } : null;
  }

  async getSet(key: string): Promise<WholeSet | null> {
    const entry = await this.#entry(key);
    if (!isSetEntry(entry)) return null;
    const { sha256: hash, kind: _, ...set } = entry;
    const all = await this.#bytes(key, hash);
    if (!all) return null;
    let at = 0;
    const results = set.results.map(({ bytes: length, ...facts }) => {
      const bytes = all.slice(at, at + length);
      at += length;
      return { ...facts, bytes };
    });
    return { ...set, results };
  }

  /** The document of an entry; null if there is none. */
  async #entry(key: string): Promise<unknown> {
    try {
      const path = `${this.#path(key)}.json`;
      const entry: unknown = JSON.parse(await readFile(path, 'utf8'));
      if (!this.#isReadOnly) await touch(path);
      return entry;
    } catch {
      return null;
    }
  }

  /** The bytes of an entry, which were verified before they were stored; null if they have changed since. */
  async #bytes(key: string, hash: string): Promise<Uint8Array<ArrayBuffer> | null> {
    const bytes = await readFile(`${this.#path(key)}.bin`).catch(() => null);
    return bytes && sha256(bytes) === hash ? new Uint8Array(bytes) : null;
  }

  put(key: string, outcome: Outcome): Promise<void> {
    if (outcome.kind === 'kept') return this.#write(key, outcome, null);
    const { bytes, ...facts } = outcome;
    return this.#write(key, facts, bytes);
  }

  putSet(key: string, { inputType, width, height, placeholder, results }: WholeSet): Promise<void> {
    const facts = { kind: 'set', ...{ inputType, width, height, placeholder } };
    const lengths = results.map(({ bytes, ...one }) => ({ ...one, bytes: bytes.length }));
    const all = Buffer.concat(results.map(({ bytes }) => bytes));
    return this.#write(key, { ...facts, results: lengths }, all);
  }

  async #write(key: string, facts: object, bytes: Uint8Array | null): Promise<void> {
    if (this.#isReadOnly) return;
    const path = this.#path(key);
    try {
      await makeFolder(join(path, '..'));
      if (bytes) await replace(`${path}.bin`, bytes);
      const entry = bytes ? { ...facts, sha256: sha256(bytes) } : facts;
      await replace(`${path}.json`, JSON.stringify(entry));
    } catch (error) {
      // the disk is full or read-only: the next run does the work again
      this.writeError ??= (error as NodeJS.ErrnoException).code ?? 'unknown';
    }
  }

  /** Removes entries that were not used for `maxAge`, and leftovers of interrupted writes; at most once a day. */
  async prune(now = Date.now()): Promise<void> {
    if (this.#isReadOnly) return;
    const marker = join(this.folder, `.${identity.name}-pruned`);
    const last = await stat(marker).catch(() => null);
    if (last && now - last.mtimeMs < 24 * 3_600_000) return;
    try {
      await makeFolder(this.folder);
      await writeFile(marker, '');
      for (const name of await readdir(this.folder)) {
        if (ownFolder.test(name)) await pruneFolder(join(this.folder, name), now);
      }
    } catch {
      // another process is pruning, or the folder is read-only
    }
  }

  #path(key: string): string {
    return join(this.folder, key.slice(0, 2), key.slice(2));
  }
}

/** Whether a cached document has the facts of an outcome; the bytes of a smaller image are checked by their hash. */
function isEntry(value: unknown): value is Entry {
  if (typeof value !== 'object' || value === null) return false;
  const { kind, inputType, inputBytes, score, reason, sha256 }: Record<string, unknown> = {
    ...value,
  };
  const isScore = score === null || typeof score === 'number';
  const hasFacts = typeof inputType === 'string' && typeof inputBytes === 'number' && isScore;
  if (kind === 'kept') return hasFacts && typeof reason === 'string';
  return kind === 'smaller' && hasFacts && typeof sha256 === 'string';
}

/** Whether a cached document has the facts of a set; its bytes are checked by their hash. */
function isSetEntry(value: unknown): value is SetEntry {
  if (typeof value !== 'object' || value === null) return false;
  const { kind, results, sha256 }: Record<string, unknown> = { ...value };
  return kind === 'set' && Array.isArray(results) && typeof sha256 === 'string';
}

async function pruneFolder(folder: string, now: number): Promise<void> {
  // other processes may remove files meanwhile, and a file may have the name of a folder
  for (const name of await readdir(folder).catch(() => [])) {
    if (!ownFile.test(name)) continue;
    const path = join(folder, name);
    // only the JSON file is touched on use; its age counts for the bytes, too
    const stats = await stat(path.replace(/bin$/, 'json'))
      .catch(() => stat(path))
      .catch(() => null);
    if (stats && now - stats.mtimeMs > (name.endsWith('.part') ? maxPartAge : maxAge))
      await rm(path, { force: true });
  }
}

async function replace(path: string, content: string | Uint8Array): Promise<void> {
  const part = `${path}.${randomUUID()}.part`;
  try {
    await writeFile(part, content);
    await renameOver(part, path);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}

async function touch(path: string): Promise<void> {
  const now = new Date();
  await utimes(path, now, now).catch(() => {});
}

/** The default cache folder: below the platform's folder for user caches. */
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
