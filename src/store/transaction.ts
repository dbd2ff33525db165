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
