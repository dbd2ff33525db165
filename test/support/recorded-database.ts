import type { DatabaseSync, SQLInputValue } from 'node:sqlite';

/** The part of D1 that transactions need. */
export type Batches = Pick<D1Database, 'prepare' | 'batch'>;

/** An in-process SQLite database behind the interface of D1; each batch is one transaction. */
export function inProcess(file: DatabaseSync): D1Database {
  const statements = new WeakMap<object, () => D1Result>();
  const prepare = (sql: string) => ({
    bind: (...values: SQLInputValue[]) => {
      const run = async () => {
        const [result] = await batch([bound]);
        return result;
      };
      const bound = { run, first: async () => (await run())?.results[0] ?? null };
      statements.set(bound, () => {
        const prepared = file.prepare(sql);
        const isQuery = prepared.columns().length > 0;
        const results = isQuery ? prepared.all(...values) : [];
        const changes = isQuery ? 0 : Number(prepared.run(...values).changes);
        return { success: true, results, meta: { changes } } as unknown as D1Result;
      });
      return bound;
    },
  });
  const batch = async (bound: object[]) => {
    file.exec('BEGIN');
    try {
      const results = bound.map((one) => statements.get(one)?.());
      file.exec('COMMIT');
      return results;
    } catch (error) {
      file.exec('ROLLBACK');
      throw error;
    }
  };
  return { prepare, batch } as unknown as D1Database;
}

/** A statement that was executed. */
export interface Executed {
  readonly sql: string;
  /** Number of changed rows. */
  readonly changed: number;
  /** As measured by the database; NaN if it was not. */
  readonly milliseconds: number;
}

/** A database that passes the statements of each batch to `note` after execution. */
export function recorded(db: Batches, note: (batch: readonly Executed[]) => void): D1Database {
  const texts = new WeakMap<D1PreparedStatement, string>();
  const prepare = (sql: string) => ({
    bind: (...values: unknown[]) => {
      const bound = db.prepare(sql).bind(...values);
      texts.set(bound, sql);
      return bound;
    },
  });
  const batch = async (statements: D1PreparedStatement[]) => {
    const results = await db.batch(statements);
    note(
      results.map(({ meta }, i) => ({
        sql: texts.get(statements[i] as D1PreparedStatement) ?? '',
        changed: meta.changes,
        milliseconds: meta.duration ?? Number.NaN,
      })),
    );
    return results;
  };
  return { prepare, batch } as unknown as D1Database;
}
