import { globSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Where wrangler keeps what. */
const folders = {
  d1: 'd1/miniflare-D1DatabaseObject',
  kv: 'kv/miniflare-KVNamespaceObject',
} as const;

/**
 * The SQLite file that the local D1 or KV consists of, opened beside the
 * service: to look into it as it is, and to get in the service's way.
 */
export class StoreFile {
  readonly #path: string;

  private constructor(path: string) {
    this.#path = path;
  }

  static of(stateDirectory: string, store: keyof typeof folders): StoreFile {
    const folder = join(stateDirectory, 'v3', folders[store]);
    const [path, ...others] = globSync('*.sqlite', { cwd: folder })
      .filter((name) => name !== 'metadata.sqlite')
      .map((name) => join(folder, name));
    if (path === undefined || others.length > 0) throw new Error(`not one file in ${folder}`);
    return new StoreFile(path);
  }

  /** Works on it, waiting while the service has it locked. */
  open<Result>(work: (file: DatabaseSync) => Result): Result {
    const file = new DatabaseSync(this.#path, { timeout: 10_000 });
    try {
      return work(file);
    } finally {
      file.close();
    }
  }

  /** Keeps the service from writing anything while the work lasts; reading goes on. */
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

  /** Lets the store fail at everything that it does with this table while the work lasts. */
  async without<Result>(table: string, work: () => Promise<Result>): Promise<Result> {
    this.open((file) => file.exec(`ALTER TABLE ${table} RENAME TO ${table}_away`));
    try {
      return await work();
    } finally {
      this.open((file) => file.exec(`ALTER TABLE ${table}_away RENAME TO ${table}`));
    }
  }
}
