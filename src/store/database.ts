import type { D1Database } from '../platform.ts';

/** A statement with its values for `?1`, `?2` and so on. */
export interface Statement {
  readonly sql: string;
  readonly values: readonly (string | number | null)[];
}

/**
 * Runs statements as one transaction, and returns the rows of each. Abstract, because command-line tools reach the
 * database of a deployment through wrangler rather than a binding.
 */
export type Transaction = (
  statements: readonly Statement[],
) => Promise<readonly (readonly unknown[])[]>;

/** Transactions through a binding. */
export function boundTransaction(db: D1Database): Transaction {
  return async (statements) => {
    const results = await db.batch(
      statements.map(({ sql, values }) => db.prepare(sql).bind(...values)),
    );
    return results.map((result) => result.results);
  };
}

/**
 * Messages of errors that are temporary failures of D1, KV or R2: those of D1's documented errors that resolve by
 * themselves, SQLite's for a file that is locked or cannot be read or written, and server errors of KV and R2. Any other error is
 * a fault of this service, such as a wrong statement or one that exceeds a limit: retrying it would only load the
 * database.
 *
 * Source: developers.cloudflare.com/d1/observability/debug-d1, "List of D1_ERRORs".
 */
const outages = [
  /Network connection lost/,
  /D1 DB reset because its code was updated/,
  /D1 DB storage caused object to be reset/,
  // Documented for writes of gigabytes, which this service never makes, so here it means slow storage.
  /D1 DB storage operation exceeded timeout which caused object to be reset/,
  /D1 DB is overloaded/,
  /Cannot resolve D1 DB due to transient issue on remote node/,
  /^D1_ERROR: internal error; reference/,
  /SQLITE_(BUSY|LOCKED|IOERR|PROTOCOL|FULL|READONLY|CANTOPEN)/,
  /^KV (GET|PUT|DELETE) failed: (429|5\d\d)/,
  // R2: internal error, service unavailable, too many requests (developers.cloudflare.com/r2/api/error-codes).
  /^(get|put|delete|list): .*\((10001|10043|10058)\)$/,
];

/** Whether an error is a temporary failure of D1, KV or R2. */
export function isOutage(error: unknown): boolean {
  return error instanceof Error && outages.some((outage) => outage.test(error.message));
}

/** Delays before each retry, in milliseconds. */
const retryDelays = [100, 1000, 5000];

/**
 * Retries work during an outage of the database or KV; only for work that may be done twice. Waits up to six seconds in
 * total, so a response should not wait for it.
 * @throws any error of the work except an outage, or the outage of the last attempt
 */
export async function retryOutages(work: () => Promise<void>): Promise<void> {
  for (const delay of retryDelays) {
    try {
      return await work();
    } catch (error) {
      if (!isOutage(error)) throw error;
      await new Promise((resolve) => setTimeout(resolve, delay));
    }
  }
  await work();
}

/** An opaque identifier such as `key_3f1c…`: a type prefix and 122 random bits. */
export function newId<Type extends string>(type: Type): `${Type}_${string}` {
  return `${type}_${crypto.randomUUID().replaceAll('-', '')}`;
}

/** The tables whose rows have the version of their last change, which meters compare. */
const versioned: readonly string[] = ['mailboxes', 'users', 'api_keys', 'payments', 'sites'];

/** More than any mailbox changes between a copy and its use, or two. */
const step = 1_000_000_000;

/** Whether a version is one of a restored database (`raisedVersions`), of which a meter has seen a later one before. */
export function isRaised(version: number, seen: number): boolean {
  return version - seen > step / 2;
}

/**
 * What has to be changed in a copy of the database, before it takes the place of the database: meters ignore whatever is
 * older than what they have seen, and have seen more than the copy.
 * @param tables of the copy, which may be older than this version
 */
export function raisedVersions(tables: readonly string[]): readonly string[] {
  return versioned
    .filter((table) => tables.includes(table))
    .map((table) => `UPDATE ${table} SET version = version + ${step}`);
}
