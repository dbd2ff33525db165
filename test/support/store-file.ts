import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isOnNode } from './home.ts';

type Store = 'd1' | 'kv' | 'meters' | 'r2';

/** The files in which wrangler stores data, below the folder of the state. */
const filesOfWrangler: Readonly<Record<Store, string>> = {
  d1: 'v3/d1/miniflare-D1DatabaseObject/*.sqlite',
  kv: 'v3/kv/miniflare-KVNamespaceObject/*.sqlite',
  meters: 'v3/do/fewerbytes-Meter/*.sqlite',
  r2: 'v3/r2/miniflare-R2BucketObject/*.sqlite',
};

/** Those of the service on Node, which keeps objects in files of their own. */
const filesOfNode: Readonly<Record<Store, string>> = {
  d1: 'service.sqlite',
  kv: 'service.sqlite',
  meters: 'meters/mbx_*.sqlite',
  r2: '',
};

const files = isOnNode ? filesOfNode : filesOfWrangler;

/**
 * A SQLite file of the local D1, KV, R2 or a meter, opened next to the service: to inspect it, and to interfere with the
 * service.
 */
export class StoreFile {
  /** The table that has the values of KV. */
  static readonly kvTable = isOnNode ? 'kv' : '_mf_entries';
  readonly #path: string;

  private constructor(path: string) {
    this.#path = path;
  }

  static of(stateDirectory: string, store: Exclude<Store, 'meters'>): StoreFile {
    const [file, ...others] = StoreFile.all(stateDirectory, store);
    if (file === undefined || others.length > 0) throw new Error(`not one file of ${store}`);
    return file;
  }

  /** All files of a store; for meters, there is one per metered mailbox. */
  static all(stateDirectory: string, store: Store): StoreFile[] {
    return globSync(files[store], { cwd: stateDirectory })
      .filter((name) => !name.endsWith('metadata.sqlite'))
      .map((name) => new StoreFile(join(stateDirectory, name)));
  }

  /** What is stored, with what waits in the write-ahead log. */
  bytes(): Buffer {
    return Buffer.concat(globSync(`${this.#path}*`).map((path) => readFileSync(path)));
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
