import { globSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** The folders in which wrangler stores data. */
const folders = {
  d1: 'd1/miniflare-D1DatabaseObject',
  kv: 'kv/miniflare-KVNamespaceObject',
  meters: 'do/fewerbytes-Meter',
  r2: 'r2/miniflare-R2BucketObject',
} as const;

/**
 * A SQLite file of the local D1, KV, R2 or a meter, opened next to the service: to inspect it, and to interfere with the
 * service.
 */
export class StoreFile {
  readonly #path: string;

  private constructor(path: string) {
    this.#path = path;
  }

  static of(stateDirectory: string, store: Exclude<keyof typeof folders, 'meters'>): StoreFile {
    const [file, ...others] = StoreFile.all(stateDirectory, store);
    if (file === undefined || others.length > 0) throw new Error(`not one file of ${store}`);
    return file;
  }

  /** All files of a store; for meters, there is one per metered mailbox. */
  static all(stateDirectory: string, store: keyof typeof folders): StoreFile[] {
    const folder = join(stateDirectory, 'v3', folders[store]);
    return globSync('*.sqlite', { cwd: folder })
      .filter((name) => name !== 'metadata.sqlite')
      .map((name) => new StoreFile(join(folder, name)));
  }

  /** Opens the file, waiting while the service has it locked. */
  open<Result>(work: (file: DatabaseSync) => Result): Result {
    const file = new DatabaseSync(this.#path, { timeout: 10_000 });
    try {
      return work(file);
    } finally {
      file.close();
    }
  }

  /** Prevents the service from writing while the work runs; reading still works. */
  async whileLocked<Result>(work: () => Promise<Result>): Promise<Result> {
    const file = new DatabaseSync(this.#path, { timeout: 10_000 });
    file.exec('BEGIN EXCLUSIVE');
    try {
      return await work();
    } finally {
      file.exec('ROLLBACK');
      file.close();
    }
  }

  /** Makes all access to this table fail while the work runs. */
  async without<Result>(table: string, work: () => Promise<Result>): Promise<Result> {
    this.open((file) => file.exec(`ALTER TABLE ${table} RENAME TO ${table}_away`));
    try {
      return await work();
    } finally {
      this.open((file) => file.exec(`ALTER TABLE ${table}_away RENAME TO ${table}`));
    }
  }
}
