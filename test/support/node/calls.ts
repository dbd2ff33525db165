/** A statement of SQL with its values. */
export type Statement = readonly [sql: string, values: readonly unknown[]];

/** The stores of values by key that a test may look into. */
export type StoreName = 'KV' | 'RESULTS' | 'OUTPUTS';

/** The objects that exist once, which a test may call. */
export type NamedBinding = 'METER' | 'KEY_LOGS' | 'RESULT_LEASES';

/** What tests ask of a server, which does it in its own process. */
export interface ServerCalls {
  /** Runs statements as one transaction. */
  batch(statements: readonly Statement[]): Promise<D1Result[]>;
  get(store: StoreName, key: string): Promise<Stored | null>;
  put(store: StoreName, key: string, value: Uint8Array, options: PutOptions): Promise<void>;
  delete(store: StoreName, keys: string[]): Promise<void>;
  /** Everything with this prefix, in the order of keys. */
  list(store: StoreName, prefix: string): Promise<Omit<Stored, 'bytes'>[]>;
  /** Calls a method of an object that exists once, by its name. */
  callNamed(
    binding: NamedBinding,
    name: string,
    method: string,
    values: unknown[],
  ): Promise<unknown>;
  /** Does what is due each hour, as if it were this time. */
  hourly(now: number): Promise<void>;
  /** Refuses all mails with this code from now on; null accepts them. */
  refuseMails(code: string | null): Promise<void>;
  /** With true, KV answers with the data at the time of this call; false ends that. */
  lagKv(isLagging: boolean): Promise<void>;
  /** Has it do without a bucket from now on. */
  dropBucket(name: 'RESULTS' | 'OUTPUTS'): Promise<void>;
  /** Sets the clock that JavaScript sees ahead by so many milliseconds; timers go on as they were. */
  setClockAhead(milliseconds: number): Promise<void>;
  /** Ends one of the threads that process pictures, as a crash would. */
  killThread(): Promise<void>;
  /** Bytes that JavaScript holds, after a collection of garbage. */
  heldBytes(): Promise<number>;
  stop(): Promise<void>;
}

interface Stored {
  readonly key: string;
  readonly bytes: Uint8Array;
  readonly size: number;
  readonly uploaded: Date;
  /** In seconds since 1970, of values in KV. */
  readonly expiration?: number;
  readonly customMetadata: Record<string, string>;
}

interface PutOptions {
  readonly customMetadata?: Record<string, string>;
  readonly expirationTtl?: number;
}

/** What a server is told. */
export interface Call {
  readonly id: number;
  readonly method: keyof ServerCalls;
  readonly values: readonly unknown[];
}

/** What a server tells. */
export type Message =
  | { readonly kind: 'listening'; readonly origin: string }
  | { readonly kind: 'logged'; readonly level: string; readonly message: string }
  | { readonly kind: 'answer'; readonly id: number; readonly result: unknown }
  | { readonly kind: 'failure'; readonly id: number; readonly error: string };
