import { setImmediate as turnOfEventLoop } from 'node:timers/promises';
import type { D1Database, D1PreparedStatement, D1Result } from '../../platform.ts';
import { SqliteError, type SqliteFile, type SqliteValue } from './sqlite-file.ts';

// D1's interface over a file of SQLite, with the answers and errors that workerd gives; a test compares the two. Statements
// run at once, so that nothing of this process comes between those of a batch. Billed rows are not counted.

/** A database like D1. */
export function d1Over(file: SqliteFile): D1Database {
  return {
    prepare: (sql) => new Statement(file, sql, []),
    async batch<Row>(statements: D1PreparedStatement[]) {
      const own = statements.map(demandOwn);
      const isReading = own.every(({ isReading }) => isReading);
      return told(file, isReading, () =>
        file.transaction(() => own.map((one) => one.execute<Row>()), isReading),
      );
    },
  };
}

function demandOwn(statement: D1PreparedStatement): Statement {
  if (statement instanceof Statement) return statement;
  throw new TypeError('A batch takes what `prepare` and `bind` return.');
}

class Statement implements D1PreparedStatement {
  readonly #file: SqliteFile;
  readonly #sql: string;
  readonly #values: readonly SqliteValue[];

  constructor(file: SqliteFile, sql: string, values: readonly SqliteValue[]) {
    this.#file = file;
    this.#sql = sql;
    this.#values = values;
  }

  get isReading(): boolean {
    return /^\s*SELECT\b/i.test(this.#sql);
  }

  bind(...values: unknown[]): D1PreparedStatement {
    return new Statement(this.#file, this.#sql, values.map(bindable));
  }

  async first<Row>(): Promise<Row | null> {
    const { results } = await this.run<Row>();
    return results[0] ?? null;
  }

  run<Row>(): Promise<D1Result<Row>> {
    return told(this.#file, this.isReading, () => this.execute<Row>());
  }

  all<Row>(): Promise<D1Result<Row>> {
    return this.run<Row>();
  }

  execute<Row>(): D1Result<Row> {
    // SQLite takes what is missing for null.
    if (placesIn(this.#sql) !== this.#values.length) {
      throw new RangeError('Wrong number of parameter bindings for SQL query.');
    }
    const { rows, changes } = this.#file.run(this.#sql, ...this.#values);
    return { results: rows as Row[], meta: { changes, rows_written: 0 } };
  }
}

async function told<Result>(
  file: SqliteFile,
  isReading: boolean,
  work: () => Result,
): Promise<Result> {
  try {
    const result = await file.patiently(work);
    // Promises alone let no request in between, however many changes follow each other.
    if (!isReading) await turnOfEventLoop();
    return result;
  } catch (error) {
    const isKnown = error instanceof SqliteError || error instanceof RangeError;
    throw isKnown ? new Error(`D1_ERROR: ${error.message}`, { cause: error }) : error;
  }
}

function bindable(value: unknown): SqliteValue {
  switch (typeof value) {
    case 'string':
    case 'number':
      return value;
    case 'boolean':
      return value ? 1 : 0;
  }
  if (value === null || value instanceof Uint8Array) return value;
  throw new TypeError(
    `D1_TYPE_ERROR: Type '${typeof value}' not supported for value '${String(value)}'`,
  );
}

/** Numbers of values by text; as many as a file keeps prepared. */
const places = new Map<string, number>();
const maxPlaces = 1000;

/** How many values a text needs, ignoring what is quoted or a comment. */
function placesIn(sql: string): number {
  const known = places.get(sql);
  if (known !== undefined) return known;
  const bare = sql.replaceAll(/'[^']*'|"[^"]*"|--.*|\/\*[\s\S]*?\*\//g, '');
  const found = [...bare.matchAll(/\?(\d*)/g)];
  const count = found.reduce((most, [, n]) => Math.max(n ? Number(n) : most + 1, most), 0);
  if (places.size >= maxPlaces) places.clear();
  places.set(sql, count);
  return count;
}
