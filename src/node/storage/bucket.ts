import { randomUUID } from 'node:crypto';
import {
  closeSync,
  futimesSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmdirSync,
  rmSync,
  unlinkSync,
} from 'node:fs';
import { type FileHandle, open, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setImmediate as turnOfEventLoop } from 'node:timers/promises';
import { z } from 'zod';
import type {
  R2Bucket,
  R2Listed,
  R2ListOptions,
  R2Object,
  R2ObjectBody,
  R2Objects,
  R2PutOptions,
} from '../../platform.ts';
import { tellFault } from './sqlite-file.ts';

// R2's interface over a folder. An object is a file under the path that its key spells, with a head before its bytes; it is
// written beside and renamed, so that whoever reads gets the old one or the new one, whole. It is not forced onto the disk:
// what a power cut leaves of it is shorter than its head says, and counts as missing.

/** The first bytes of a file: the length of what follows as JSON, before the object's own bytes. */
const lengthBytes = 4;

const maxHeadBytes = 64 * 1024;

const head = z.object({
  etag: z.string(),
  size: z.number(),
  customMetadata: z.record(z.string(), z.string()),
});

/** Bytes that are read at once. */
const pieceBytes = 64 * 1024;

/** A folder for what is being written: no key spells its name. */
const unfinished = '.unfinished';

/** Ends the names of files; encoded names have no dots. */
const ending = '.object';

/** A list of which a page was read. */
interface Listing {
  readonly prefix: string;
  readonly cursor: string;
  readonly keys: AsyncGenerator<string, void>;
  /** The first key of the next page. */
  readonly ahead: IteratorYieldResult<string> | null;
}

/** A bucket whose objects are in a folder, of which this process is the only writer. */
export class FolderBucket implements R2Bucket {
  readonly #folder: string;
  /** The latest list that may go on: to read and sort all names again for each page would take long in large folders. */
  #listing: Listing | null = null;

  constructor(folder: string) {
    this.#folder = folder;
    // What a process that was killed has left.
    rmSync(join(folder, unfinished), { recursive: true, force: true });
    mkdirSync(join(folder, unfinished), { recursive: true });
  }

  get(key: string): Promise<R2ObjectBody | null> {
    return told('get', this.#folder, async () => {
      const file = await open(this.#path(key)).catch(unlessMissing);
      if (file === null) return null;
      const found = await headOf(file).catch(async (error: unknown) => {
        await file.close();
        throw error;
      });
      if (found === null) {
        await file.close();
        return null;
      }
      const { start, uploaded, ...facts } = found;
      return { key, uploaded, ...facts, body: bytesOf(file, start, start + facts.size) };
    });
  }

  put(
    key: string,
    given: string | ReadableStream<Uint8Array>,
    options: R2PutOptions = {},
  ): Promise<R2Object | null> {
    const value = typeof given === 'string' ? new Blob([given]).stream() : given;
    const { customMetadata = {}, onlyIf } = options;
    const path = this.#path(key);
    return told('put', this.#folder, async () => {
      const part = join(this.#folder, unfinished, randomUUID());
      const file = await open(part, 'wx').catch(async (error: unknown) => {
        await value.cancel(error);
        throw error;
      });
      try {
        const etag = randomUUID();
        // The size is known at the end; its text is as long before.
        const size = await written(file, headBytes(etag, 0, customMetadata), value);
        await file.write(headBytes(etag, size, customMetadata), 0, undefined, 0);
        const uploaded = new Date();
        futimesSync(file.fd, uploaded, uploaded);
        await file.close();
        // Without a pause from here on: nothing changes between the look and the renaming.
        if (onlyIf && etagAt(path) !== onlyIf.etagMatches) {
          unlinkSync(part);
          return null;
        }
        mkdirSync(dirname(path), { recursive: true });
        renameSync(part, path);
        return { key, size, etag, uploaded, customMetadata };
      } catch (error) {
        await file.close().catch(() => {});
        rmSync(part, { force: true });
        // Whoever writes would wait for it to be read.
        await value.cancel(error).catch(() => {});
        throw error;
      }
    });
  }

  delete(keys: string | string[]): Promise<void> {
    return told('delete', this.#folder, async () => {
      for (const [i, key] of [keys].flat().entries()) {
        this.#remove(this.#path(key));
        // A thousand would keep requests waiting.
        if (i % 32 === 31) await turnOfEventLoop();
      }
    });
  }

  /**
   * Deletes the objects that were written longest ago, until all others together take no more than that. Times count in
   * minutes, so that nothing has to be remembered of single objects.
   */
  async keepWithin(maxBytes: number): Promise<void> {
    const bytesByMinute = new Map<number, number>();
    for await (const { minute, size } of this.#files()) {
      bytesByMinute.set(minute, (bytesByMinute.get(minute) ?? 0) + size);
    }
    let left = maxBytes;
    const minutes = [...bytesByMinute].sort(([a], [b]) => b - a);
    const tooMuch = minutes.find(([, bytes]) => {
      left -= bytes;
      return left < 0;
    });
    if (!tooMuch) return;
    for await (const { path, minute } of this.#files()) {
      if (minute <= tooMuch[0]) this.#remove(path);
    }
  }

  /** The files of all objects, with when they were written, in minutes since 1970. */
  async *#files() {
    for await (const key of this.#keys('', '', '')) {
      const path = this.#path(key);
      const facts = await stat(path).catch(unlessMissing);
      if (facts) yield { path, size: facts.size, minute: Math.floor(facts.mtimeMs / 60_000) };
    }
  }

  #remove(path: string): void {
    try {
      unlinkSync(path);
      for (let folder = dirname(path); folder !== this.#folder; folder = dirname(folder)) {
        rmdirSync(folder);
      }
    } catch (error) {
      // It does not exist, or its folder holds others.
      if (!['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes(codeOf(error))) throw error;
    }
  }

  list({ prefix, limit, cursor = '' }: R2ListOptions): Promise<R2Objects> {
    return told('list', this.#folder, async () => {
      const objects: R2Listed[] = [];
      const { keys, ahead } = this.#continued(prefix, cursor);
      for (let next = ahead ?? (await keys.next()); !next.done; next = await keys.next()) {
        const last = objects.at(-1);
        if (objects.length === limit && last) {
          this.#listing = { prefix, cursor: last.key, keys, ahead: next };
          return { objects, truncated: true, cursor: last.key };
        }
        const key = next.value;
        const facts = await stat(this.#path(key)).catch(unlessMissing);
        if (!facts) continue;
        objects.push({ key, uploaded: new Date(Math.round(facts.mtimeMs)) });
      }
      return { objects, truncated: false };
    });
  }

  /** The keys that come after another one, if need be as they were when their list began. */
  #continued(prefix: string, cursor: string): Pick<Listing, 'keys' | 'ahead'> {
    const begun = this.#listing;
    if (begun?.prefix !== prefix || begun.cursor !== cursor) {
      return { keys: this.#keys('', prefix, cursor), ahead: null };
    }
    this.#listing = null;
    return begun;
  }

  /** The keys below a folder, in order: those that begin with a prefix and come after another key. */
  async *#keys(folder: string, prefix: string, after: string): AsyncGenerator<string, void> {
    const path = join(this.#folder, ...folder.split('/').map(encoded));
    const entries = (await readdir(path, { withFileTypes: true }).catch(unlessMissing)) ?? [];
    const names = entries
      .filter(({ name }) => name !== unfinished)
      .map((entry) =>
        entry.isDirectory()
          ? `${folder}${decodeURIComponent(entry.name)}/`
          : `${folder}${decodeURIComponent(entry.name.slice(0, -ending.length))}`,
      )
      .sort();
    for (const name of names) {
      if (!name.endsWith('/')) {
        if (name.startsWith(prefix) && name > after) yield name;
      } else if (name.startsWith(prefix) || prefix.startsWith(name)) {
        if (name > after || after.startsWith(name)) yield* this.#keys(name, prefix, after);
      }
    }
  }

  /** @throws RangeError if a key cannot be the path of a file */
  #path(key: string): string {
    const names = key.split('/').map(encoded);
    if (names.some((name) => name === '' || name.length > 240)) {
      throw new RangeError('Parts of keys should have 1 to 240 characters.');
    }
    return `${join(this.#folder, ...names)}${ending}`;
  }
}

/** A part of a key as a name that means nothing else to a file system: without dots, slashes and zeros. */
function encoded(part: string): string {
  return encodeURIComponent(part).replaceAll('.', '%2E').replaceAll('*', '%2A');
}

function headBytes(etag: string, size: number, customMetadata: Record<string, string>): Buffer {
  // Ten digits of size, whatever it is.
  const text = JSON.stringify({ etag, customMetadata, size }).replace(/\d+\}$/, (digits) =>
    digits.padStart(12),
  );
  const json = Buffer.from(text);
  if (json.length > maxHeadBytes) throw new RangeError('The metadata are too large.');
  const length = Buffer.alloc(lengthBytes);
  length.writeUInt32BE(json.length);
  return Buffer.concat([length, json]);
}

/** @returns the number of bytes behind the head */
async function written(
  file: FileHandle,
  before: Uint8Array,
  value: ReadableStream<Uint8Array>,
): Promise<number> {
  let size = 0;
  await file.writeFile(before);
  for await (const piece of value) {
    await file.writeFile(piece);
    size += piece.length;
  }
  return size;
}

/** The head of an object, and where its bytes start; null if the file is not whole. */
async function headOf(file: FileHandle) {
  const { size: fileBytes, mtimeMs } = await file.stat();
  const first = await file.read(Buffer.alloc(lengthBytes), 0, lengthBytes, 0);
  const headLength = first.bytesRead === lengthBytes ? first.buffer.readUInt32BE() : 0;
  if (headLength === 0 || headLength > maxHeadBytes) return null;
  const { buffer } = await file.read(Buffer.alloc(headLength), 0, headLength, lengthBytes);
  const facts = parsedHead(buffer);
  const start = lengthBytes + headLength;
  if (facts === null || start + facts.size !== fileBytes) return null;
  return { ...facts, start, uploaded: new Date(Math.round(mtimeMs)) };
}

function parsedHead(json: Buffer): z.infer<typeof head> | null {
  try {
    return head.parse(JSON.parse(json.toString()));
  } catch {
    return null;
  }
}

/** The tag of a stored object; null if there is none. */
function etagAt(path: string): string | null {
  let file: number | null = null;
  try {
    file = openSync(path, 'r');
    const start = Buffer.alloc(lengthBytes + maxHeadBytes);
    const length = readSync(file, start, 0, start.length, 0);
    if (length < lengthBytes) return null;
    return (
      parsedHead(start.subarray(lengthBytes, lengthBytes + start.readUInt32BE()))?.etag ?? null
    );
  } catch (error) {
    return unlessMissing(error);
  } finally {
    if (file !== null) closeSync(file);
  }
}

/** The bytes of an open file, which is closed at their end, or when nobody wants them. */
function bytesOf(file: FileHandle, start: number, end: number): ReadableStream<Uint8Array> {
  let at = start;
  return new ReadableStream({
    type: 'bytes',
    autoAllocateChunkSize: pieceBytes,
    async pull(controller: ReadableByteStreamController) {
      const request = controller.byobRequest;
      const view = request?.view;
      if (!request || !view) return;
      try {
        const wanted = Math.min(view.byteLength, end - at);
        const place = new Uint8Array(view.buffer, view.byteOffset, wanted);
        const { bytesRead } = wanted > 0 ? await file.read(place, 0, wanted, at) : { bytesRead: 0 };
        if (bytesRead < wanted && bytesRead === 0) throw new Error('get: a file was cut (10001)');
        at += bytesRead;
        if (at === end) {
          await file.close();
          if (bytesRead > 0) request.respond(bytesRead);
          controller.close();
          if (bytesRead === 0) request.respond(0);
        } else request.respond(bytesRead);
      } catch (error) {
        await file.close().catch(() => {});
        throw error;
      }
    },
    cancel: () => file.close(),
  } as UnderlyingByteSource);
}

function unlessMissing(error: unknown): null {
  if (['ENOENT', 'ENOTDIR'].includes(codeOf(error))) return null;
  throw error;
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** Errors like R2's: those of the disk say that the service is unavailable. */
async function told<Result>(
  method: string,
  folder: string,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!tellFault(codeOf(error), folder)) throw error;
    throw new Error(`${method}: ${(error as Error).message} (10043)`, { cause: error });
  }
}
