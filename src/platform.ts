import type { settings } from './settings.ts';

// What the service needs of the place where it runs: of Cloudflare's bindings, only the methods and overloads in use, under
// the names that Cloudflare gives them. Workers have them as bindings; Node has its own in src/node.

/** The database of accounts, keys, payments and sums: SQLite behind the interface of D1. */
export interface D1Database {
  prepare(sql: string): D1PreparedStatement;
  /** Runs statements as one transaction. */
  batch<Row = Record<string, unknown>>(statements: D1PreparedStatement[]): Promise<D1Result<Row>[]>;
}

/** A statement, whose values are `?1`, `?2` and so on. */
export interface D1PreparedStatement {
  bind(...values: unknown[]): D1PreparedStatement;
  /** The first row; null if there is none. */
  first<Row = Record<string, unknown>>(): Promise<Row | null>;
  run<Row = Record<string, unknown>>(): Promise<D1Result<Row>>;
  all<Row = Record<string, unknown>>(): Promise<D1Result<Row>>;
}

export interface D1Result<Row = unknown> {
  readonly results: Row[];
  readonly meta: {
    /** Rows inserted, updated and deleted. */
    readonly changes: number;
    /** Rows that are billed. */
    readonly rows_written: number;
  };
}

/** Values that expire on their own. Where it is distributed, an old value may be read for a minute. */
export interface KVNamespace {
  get(key: string): Promise<string | null>;
  get(key: string, type: 'stream'): Promise<ReadableStream<Uint8Array> | null>;
  /** @param options `cacheTtl` is the age, in seconds, up to which a copy of the value suffices */
  get(key: string, options: { readonly type: 'json'; readonly cacheTtl: number }): Promise<unknown>;
  /** @param expiry seconds: since 1970, or from now on; at least a minute ahead */
  put(
    key: string,
    value: string | ReadableStream<Uint8Array>,
    expiry: { readonly expiration: number } | { readonly expirationTtl: number },
  ): Promise<void>;
  delete(key: string): Promise<void>;
}

/** Files by key. */
export interface R2Bucket {
  get(key: string): Promise<R2ObjectBody | null>;
  /** Changes nothing if a condition is not met, and returns null. */
  put(
    key: string,
    value: string | ReadableStream<Uint8Array>,
    options?: R2PutOptions,
  ): Promise<R2Object | null>;
  delete(keys: string | string[]): Promise<void>;
  list(options: R2ListOptions): Promise<R2Objects>;
}

export interface R2PutOptions {
  readonly customMetadata?: Record<string, string>;
  /** Changes nothing unless the stored object has this `etag`. */
  readonly onlyIf?: { readonly etagMatches: string };
}

export interface R2ListOptions {
  readonly prefix: string;
  /** At most 1,000. */
  readonly limit: number;
  /** Of the page before. */
  readonly cursor?: string;
}

/** An object as lists show it. */
export interface R2Listed {
  readonly key: string;
  readonly uploaded: Date;
}

export interface R2Object extends R2Listed {
  /** In bytes. */
  readonly size: number;
  readonly etag: string;
  readonly customMetadata?: Record<string, string>;
}

export interface R2ObjectBody extends R2Object {
  readonly body: ReadableStream<Uint8Array>;
}

/** A page of objects, in the order of their keys. */
export type R2Objects = { readonly objects: R2Listed[] } & (
  | { readonly truncated: true; readonly cursor: string }
  | { readonly truncated: false }
);

export interface SendEmail {
  /** @throws Error whose `code` says why, if there is one */
  send(message: {
    readonly from: { readonly name: string; readonly email: string };
    readonly to: string;
    readonly subject: string;
    readonly text: string;
    readonly html: string;
    readonly headers?: Record<string, string>;
  }): Promise<unknown>;
}

export interface RateLimit {
  limit(options: { readonly key: string }): Promise<{ readonly success: boolean }>;
}

/** The files of the pages. */
interface Assets {
  fetch(input: Request | URL): Promise<Response>;
}

/** Objects that exist once, by name. */
export interface Named {
  /** Cloudflare’s types wrap what calls return, so that whoever calls has to say what it gets. */
  getByName(name: string): unknown;
}

/** The place where such an object lives: a database of its own, and an alarm. */
export interface ObjectContext {
  readonly id: { readonly name?: string | undefined };
  readonly storage: {
    readonly sql: ObjectSql;
    /** Runs a change as one transaction, which an exception undoes. */
    transactionSync<Result>(change: () => Result): Result;
    /** In milliseconds since 1970; null if none is set. */
    getAlarm(): Promise<number | null>;
    setAlarm(time: number): Promise<void>;
  };
}

/** A database in SQLite whose statements run at once. */
export interface ObjectSql {
  /** @param sql several statements if there are no values */
  exec(sql: string, ...values: (string | number | null)[]): ObjectSqlResult;
}

interface ObjectSqlResult {
  toArray(): Record<string, string | number | null | ArrayBuffer | Uint8Array>[];
  /** Rows that are billed. */
  readonly rowsWritten: number;
}

/** The machine of one's own that the service runs on. */
interface Machine {
  /** Whether it will stop in a moment. */
  readonly isStopping: boolean;
  /** Whether its disk takes changes: it is neither full nor read-only. */
  readonly isWritable: boolean;
}

/** Everything that the service gets from where it runs: its parts, and the texts of its settings. */
export interface Platform extends Settings {
  readonly DB: D1Database;
  readonly KV: KVNamespace;
  /** Images by URL; without it, none are kept. */
  readonly RESULTS?: R2Bucket;
  /** Images of Tinify’s clients; without it, they are in `KV`. */
  readonly OUTPUTS?: R2Bucket;
  readonly EMAIL: SendEmail;
  readonly REQUEST_CODE_RATE_LIMIT: RateLimit;
  readonly VERIFY_CODE_RATE_LIMIT: RateLimit;
  readonly FAILED_TOKEN_RATE_LIMIT: RateLimit;
  readonly WEBHOOK_RATE_LIMIT: RateLimit;
  readonly ASSETS: Assets;
  readonly METER: Named;
  readonly KEY_LOGS: Named;
  readonly RESULT_LEASES: Named;
  /** Adds up what many isolates count; without it, this process counts for all. */
  readonly METRICS?: Named;
  readonly MACHINE?: Machine;
}

/** `readConfig` says which of them are required. */
type Settings = { readonly [Name in keyof typeof settings]?: string };
