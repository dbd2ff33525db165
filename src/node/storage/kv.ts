import { setImmediate as turnOfEventLoop } from 'node:timers/promises';
import type { KVNamespace } from '../../platform.ts';
import { SqliteError, type SqliteFile, type SqliteValue } from './sqlite-file.ts';

/** Values by key; each expires. Beside the tables of D1, which know nothing of it. */
const schema = `
  CREATE TABLE IF NOT EXISTS kv (
    key         TEXT PRIMARY KEY,
    value       BLOB NOT NULL,
    expires_at  INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS kv_by_expiry ON kv (expires_at);`;

/** KV's limit of a value, in bytes. */
const maxValueBytes = 25 * 2 ** 20;

/** KV's minimum, in milliseconds. */
const shortestLife = 60_000;

/** Values deleted at once. */
const slice = 500;

/** KV's interface over a table, without its delays: what is written is read at once. */
export class KvTable implements KVNamespace {
  readonly #file: SqliteFile;

  constructor(file: SqliteFile) {
    this.#file = file;
    file.script(schema);
  }

  get(key: string): Promise<string | null>;
  get(key: string, type: 'stream'): Promise<ReadableStream<Uint8Array> | null>;
  get(key: string, options: { readonly type: 'json'; readonly cacheTtl: number }): Promise<unknown>;
  async get(key: string, form?: 'stream' | { readonly type: 'json' }): Promise<unknown> {
    const value = await told('GET', () => this.#read(key));
    if (value === null) return null;
    if (form === 'stream') return new Blob([value]).stream();
    const text = new TextDecoder().decode(value);
    return form === undefined ? text : JSON.parse(text);
  }

  async #read(key: string): Promise<Uint8Array<ArrayBuffer> | null> {
    const { rows } = await this.#run(
      'SELECT value FROM kv WHERE key = ?1 AND expires_at > ?2',
      key,
      Date.now(),
    );
    // As it is declared.
    return (rows[0]?.value ?? null) as Uint8Array<ArrayBuffer> | null;
  }

  async put(
    key: string,
    value: string | ReadableStream<Uint8Array>,
    expiry: { readonly expiration: number } | { readonly expirationTtl: number },
  ): Promise<void> {
    const now = Date.now();
    const expiresAt =
      'expiration' in expiry ? 1000 * expiry.expiration : now + 1000 * expiry.expirationTtl;
    if (!(expiresAt >= now + shortestLife)) {
      // Whoever writes would wait for it to be read.
      if (typeof value !== 'string') await value.cancel();
      throw new Error('KV PUT failed: 400 The expiration must be at least 60 seconds ahead.');
    }
    const bytes =
      typeof value === 'string' ? new TextEncoder().encode(value) : await drained(value);
    if (bytes.length > maxValueBytes) throw tooLarge();
    await told('PUT', () =>
      this.#run(
        'INSERT OR REPLACE INTO kv (key, value, expires_at) VALUES (?1, ?2, ?3)',
        ...[key, bytes, expiresAt],
      ),
    );
  }

  async delete(key: string): Promise<void> {
    await told('DELETE', () => this.#run('DELETE FROM kv WHERE key = ?1', key));
  }

  /** Deletes what has expired; it is not read any more anyway. */
  async clear(now: number): Promise<void> {
    for (let deleted = slice; deleted === slice; ) {
      const { changes } = await this.#run(
        'DELETE FROM kv WHERE key IN (SELECT key FROM kv WHERE expires_at <= ?1 LIMIT ?2)',
        ...[now, slice],
      );
      deleted = changes;
      // Promises alone let no request in between.
      await turnOfEventLoop();
    }
  }

  #run(sql: string, ...values: SqliteValue[]) {
    return this.#file.patiently(() => this.#file.run(sql, ...values));
  }
}

/** Errors like KV's: those of the disk say that the service is unavailable. */
async function told<Result>(method: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof SqliteError)) throw error;
    throw new Error(`KV ${method} failed: 503 ${error.message}`, { cause: error });
  }
}

function tooLarge(): Error {
  return new Error(`KV PUT failed: 413 Value length exceeds limit of ${maxValueBytes}.`);
}

async function drained(stream: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of stream) {
    length += piece.length;
    if (length > maxValueBytes) throw tooLarge();
    pieces.push(piece);
  }
  return Buffer.concat(pieces, length);
}
