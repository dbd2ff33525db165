import { accessSync, constants, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { logFault } from '../../telemetry/log.ts';

/** A value of a row or of a statement. */
export type SqliteValue = string | number | null | Uint8Array;

type SqliteRow = Record<string, SqliteValue>;

/** What a statement has returned and changed. */
export interface Executed {
  readonly rows: SqliteRow[];
  /** Rows inserted, updated and deleted, without those of triggers. */
  readonly changes: number;
}

interface Prepared {
  readonly statement: StatementSync;
  readonly hasRows: boolean;
  /** Whether the text goes on behind the first statement. */
  readonly goesOn: boolean;
}

/** Prepared statements kept of a file; the service has fewer. */
const maxStatements = 200;

/** How long a statement waits for another process while everything else stands still, in milliseconds. */
const blockingWait = 20;

/** How long work waits for other processes altogether, in milliseconds. */
const longestWait = 5000;

/** Names of SQLite's primary result codes that may appear. */
const names: Readonly<Record<number, string>> = {
  ...{ 1: 'ERROR', 5: 'BUSY', 6: 'LOCKED', 7: 'NOMEM', 8: 'READONLY', 10: 'IOERR', 11: 'CORRUPT' },
  ...{ 13: 'FULL', 14: 'CANTOPEN', 15: 'PROTOCOL', 18: 'TOOBIG', 19: 'CONSTRAINT', 20: 'MISMATCH' },
  ...{ 25: 'RANGE', 26: 'NOTADB' },
};

/** An error of SQLite, which its message names as D1 does: `UNIQUE constraint failed: users.email: SQLITE_CONSTRAINT`. */
export class SqliteError extends Error {
  /** Such as `BUSY`. */
  readonly reason: string;

  constructor(message: string, reason: string, cause: unknown) {
    super(`${message}: SQLITE_${reason}`, { cause });
    this.reason = reason;
  }
}

/**
 * A database in a file, in WAL mode: a process that is killed loses nothing that it has committed. What is deleted is
 * overwritten, in the file at once and in the log beside it by later changes or by `emptyLog`.
 * @throws SqliteError from all methods
 */
export class SqliteFile {
  readonly #path: string;
  readonly #file: DatabaseSync;
  readonly #statements = new Map<string, Prepared>();
  #depth = 0;
  #isBroken = false;

  /** @param survivesPowerCuts whether also a power cut loses nothing; otherwise it may lose the last moments */
  constructor(path: string, survivesPowerCuts: boolean) {
    this.#path = path;
    this.#file = this.#told(() => new DatabaseSync(path, { timeout: blockingWait }));
    try {
      this.script(`
        PRAGMA journal_mode = WAL;
        PRAGMA synchronous = ${survivesPowerCuts ? 'FULL' : 'NORMAL'};
        PRAGMA cache_size = ${survivesPowerCuts ? -8192 : -256};
        PRAGMA wal_autocheckpoint = ${survivesPowerCuts ? 1000 : 250};
        PRAGMA journal_size_limit = 4194304;
        PRAGMA secure_delete = ON;
        PRAGMA foreign_keys = ON;`);
    } catch (error) {
      this.#file.close();
      throw error;
    }
  }

  /** Whether reading or writing has failed in a way that opening it anew may mend. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  /** Runs a statement, or several without values. */
  run(sql: string, ...values: SQLInputValue[]): Executed {
    return this.#told(() => {
      const before = this.#totalChanges();
      const { statement, hasRows, goesOn } = this.#prepared(sql);
      if (goesOn && values.length === 0) {
        this.#file.exec(sql);
        return { rows: [], changes: this.#totalChanges() - before };
      }
      // node:sqlite has no columns of other types
      const rows = hasRows ? (statement.all(...values) as SqliteRow[]) : [];
      if (!hasRows) statement.run(...values);
      const hasChanged = this.#totalChanges() !== before;
      return { rows, changes: hasChanged ? this.#number('SELECT changes() AS n') : 0 };
    });
  }

  /** Runs several statements without values. */
  script(sql: string): void {
    this.#told(() => this.#file.exec(sql));
  }

  /**
   * Runs work as one transaction, which an exception undoes; within another, as a part of it that can be undone alone.
   * @param isReading takes no lock that others would wait for
   */
  transaction<Result>(work: () => Result, isReading = false): Result {
    const isInner = this.#file.isTransaction;
    const name = `part_${this.#depth}`;
    this.script(isInner ? `SAVEPOINT ${name}` : isReading ? 'BEGIN' : 'BEGIN IMMEDIATE');
    this.#depth += 1;
    try {
      const result = work();
      if (!this.#file.isTransaction) throw new Error('The transaction was undone meanwhile.');
      this.script(isInner ? `RELEASE ${name}` : 'COMMIT');
      return result;
    } catch (error) {
      // SQLite undoes the whole itself if, say, the disk is full.
      if (this.#file.isTransaction) {
        this.#file.exec(isInner ? `ROLLBACK TO ${name}; RELEASE ${name}` : 'ROLLBACK');
      }
      throw error;
    } finally {
      this.#depth -= 1;
    }
  }

  /** Repeats work while another process has locked the file: work that changes all or nothing. */
  async patiently<Result>(work: () => Result): Promise<Result> {
    const deadline = Date.now() + longestWait;
    for (let wait = 5; ; wait = Math.min(2 * wait, 100)) {
      try {
        return work();
      } catch (error) {
        const isBusy = error instanceof SqliteError && error.reason === 'BUSY';
        if (!isBusy || Date.now() + wait > deadline) throw error;
      }
      await pause(wait);
    }
  }

  /** Empties the log beside the file, unless another process is reading. */
  emptyLog(): void {
    this.script('PRAGMA wal_checkpoint(TRUNCATE)');
  }

  close(): void {
    this.#statements.clear();
    this.#file.close();
  }

  #prepared(sql: string): Prepared {
    const known = this.#statements.get(sql);
    if (known) return known;
    const statement = this.#file.prepare(sql);
    const prepared = {
      statement,
      hasRows: statement.columns().length > 0,
      goesOn: !/^([\s;]|--.*)*$/.test(sql.slice(statement.sourceSQL.length)),
    };
    this.#statements.set(sql, prepared);
    const [oldest = sql] = this.#statements.keys();
    if (this.#statements.size > maxStatements) this.#statements.delete(oldest);
    return prepared;
  }

  #totalChanges(): number {
    return this.#number('SELECT total_changes() AS n');
  }

  #number(sql: string): number {
    return Number(this.#prepared(sql).statement.get()?.n);
  }

  #told<Result>(work: () => Result): Result {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof Error) || !('errcode' in error)) throw error;
      const reason = names[Number(error.errcode) & 0xff] ?? String(error.errcode);
      if (reason === 'IOERR' || reason === 'CANTOPEN') this.#isBroken = true;
      tellFault(reason, this.#path);
      throw new SqliteError(error.message, reason, error);
    }
  }
}

type DiskFault = 'disk_full' | 'disk_read_only' | 'disk_failed' | 'too_many_open_files';

/** What keeps the service from writing, by SQLite's or the system's name for it. */
const faults: Readonly<Record<string, DiskFault>> = {
  ...{ FULL: 'disk_full', ENOSPC: 'disk_full', EDQUOT: 'disk_full' },
  ...{ READONLY: 'disk_read_only', EROFS: 'disk_read_only', EACCES: 'disk_read_only' },
  ...{ IOERR: 'disk_failed', CANTOPEN: 'disk_failed', EIO: 'disk_failed' },
  ...{ EMFILE: 'too_many_open_files', ENFILE: 'too_many_open_files' },
};

/** Every request may meet the same fault: how often it is told, in milliseconds. */
const toldEvery = 60_000;

const lastTold = new Map<string, number>();

/** A disk with less room than this is full, in bytes: changes begin to fail, some of them with unspecific errors. */
const noRoom = 256 * 1024;

/**
 * Logs a fault of the disk.
 * @param reason SQLite's or the system's name for an error; other errors than faults of the disk are not logged
 * @returns whether it is one
 */
export function tellFault(reason: string, path: string): boolean {
  const named = faults[reason];
  if (named === undefined) return false;
  const event = named === 'disk_failed' && isFull(dirname(path)) ? 'disk_full' : named;
  const now = Date.now();
  if (Math.abs(now - (lastTold.get(event) ?? 0)) >= toldEvery) {
    lastTold.set(event, now);
    logFault(event, { reason, file: path });
  }
  return true;
}

/** Whether a folder takes changes: its disk has room, and is not read-only, as systems make one that has failed. */
export function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return !isFull(folder);
  } catch {
    return false;
  }
}

/** Whether the disk of a folder has no room for a change. */
function isFull(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize < noRoom;
  } catch {
    return false;
  }
}
