/** A statement whose values stand in the places `?1`, `?2` and so on. */
export interface Statement {
  readonly sql: string;
  readonly values: readonly (string | number)[];
}

/**
 * Runs statements as one transaction; the rows that each gave. For commands,
 * which reach a deployment's database by other ways than the local one.
 */
export type Transaction = (
  statements: readonly Statement[],
) => Promise<readonly (readonly unknown[])[]>;

/** Through a binding. */
export function boundTransaction(db: D1Database): Transaction {
  return async (statements) => {
    const results = await db.batch(
      statements.map(({ sql, values }) => db.prepare(sql).bind(...values)),
    );
    return results.map((result) => result.results);
  };
}

/**
 * What D1 and KV say when it is they who do not answer, or not now: of D1's list of
 * errors those that pass by themselves, what SQLite says of a file that is locked or
 * cannot be read, and KV's own server errors. Whatever else they throw is a mistake
 * of ours, such as a statement that is wrong, or one that takes more time or memory
 * than there is: trying that again would only load the database.
 *
 * Source: developers.cloudflare.com/d1/observability/debug-d1, "List of D1_ERRORs".
 */
const outages = [
  /Network connection lost/,
  /D1 DB reset because its code was updated/,
  /D1 DB storage caused object to be reset/,
  // the list has it for writes of gigabytes: none of ours is, so the storage is slow
  /D1 DB storage operation exceeded timeout which caused object to be reset/,
  /D1 DB is overloaded/,
  /Cannot resolve D1 DB due to transient issue on remote node/,
  /^D1_ERROR: internal error; reference/,
  /SQLITE_(BUSY|LOCKED|IOERR|PROTOCOL)/,
  /^KV (GET|PUT|DELETE) failed: (429|5\d\d)/,
];

/** Whether an error says that D1 or KV does not answer at the moment. */
export function isOutage(error: unknown): boolean {
  return error instanceof Error && outages.some((outage) => outage.test(error.message));
}

/** Before each repetition, in milliseconds. */
const rests = [100, 1000, 5000];

/**
 * Repeats what the database or KV did not answer; only for work that takes no harm
 * from being done twice. May take more than six seconds: an answer should not wait for it.
 * @throws what the work throws that is no outage, or still is one at last
 */
export async function persistently(work: () => Promise<void>): Promise<void> {
  for (const rest of rests) {
    try {
      return await work();
    } catch (error) {
      if (!isOutage(error)) throw error;
      await scheduler.wait(rest);
    }
  }
  await work();
}

/** An opaque identifier such as `key_3f1c…`: a type prefix and 122 random bits. */
export function newId<Type extends string>(type: Type): `${Type}_${string}` {
  return `${type}_${crypto.randomUUID().replaceAll('-', '')}`;
}
