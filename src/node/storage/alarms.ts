import { logFault } from '../../telemetry/log.ts';
import { SqliteFile } from './sqlite-file.ts';

const schema = `
  CREATE TABLE IF NOT EXISTS alarms (
    name  TEXT PRIMARY KEY,
    at    INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS alarms_by_time ON alarms (at);`;

/** A step of its own, because there are files without it. */
const timeOfSetting = `
  ALTER TABLE alarms ADD COLUMN set_at INTEGER NOT NULL DEFAULT 0;  -- an alarm of before the clock was put back is due
  CREATE INDEX alarms_by_setting ON alarms (set_at);`;

/** How often due alarms are looked for, in milliseconds; not counted from their time, because the clock may be set. */
const interval = 1000;

/** Alarms that run at the same time: after a restart, many may be due. */
const maxAtOnce = 4;

/** After a failure of one that should not fail, in milliseconds. */
const retryDelay = 5000;

/**
 * Alarms by name, one each, in a file of their own. An alarm is kept until what it calls has ended, so that it is called
 * again, twice at worst, after the process was killed meanwhile.
 */
export class Alarms {
  readonly #file: SqliteFile;
  /** Those that are running. */
  readonly #running = new Map<string, Promise<void>>();
  /** Those that are running and have not been set again. */
  readonly #called = new Set<string>();
  #timer: NodeJS.Timeout | null = null;

  constructor(path: string) {
    this.#file = new SqliteFile(path, false);
    this.#file.script(schema);
    const { rows } = this.#file.run("SELECT name FROM pragma_table_info('alarms')");
    if (!rows.some(({ name }) => name === 'set_at')) this.#file.script(timeOfSetting);
  }

  /** In milliseconds since 1970; null if none is set, or it is running. */
  get(name: string): number | null {
    if (this.#called.has(name)) return null;
    const { rows } = this.#file.run('SELECT at FROM alarms WHERE name = ?1', name);
    return rows[0] === undefined ? null : Number(rows[0].at);
  }

  set(name: string, at: number): void {
    this.#file.run(
      'INSERT OR REPLACE INTO alarms (name, at, set_at) VALUES (?1, ?2, ?3)',
      ...[name, at, Date.now()],
    );
    this.#called.delete(name);
  }

  /** The names of those that are set up to this time, in milliseconds since 1970. */
  names(until = Number.MAX_SAFE_INTEGER): string[] {
    const { rows } = this.#file.run('SELECT name FROM alarms WHERE at <= ?1', until);
    return rows.map(({ name }) => String(name));
  }

  /** Calls those that are due, from now on. */
  start(call: (name: string) => Promise<void>): void {
    this.#timer = setInterval(() => this.#callDue(call), interval);
    this.#timer.unref();
  }

  /** Calls no more, and waits for those that are running. */
  async stop(): Promise<void> {
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
    await Promise.all(this.#running.values());
  }

  close(): void {
    this.#file.close();
  }

  #callDue(call: (name: string) => Promise<void>): void {
    if (this.#running.size >= maxAtOnce) return;
    for (const name of this.#due()) {
      if (this.#running.has(name) || this.#running.size >= maxAtOnce) continue;
      const running = this.#run(name, call).then((isDone) => {
        this.#running.delete(name);
        // Of many, the next one need not wait, but others have their turns between them. One that could not be kept is due
        // again at once: it waits for the interval.
        if (isDone) setImmediate(() => this.#timer && this.#callDue(call));
      });
      this.#running.set(name, running);
    }
  }

  #due(): string[] {
    const now = Date.now();
    try {
      const { rows } = this.#file.run(
        'SELECT name FROM alarms WHERE at <= ?1 OR set_at > ?1 LIMIT ?2',
        ...[now, 2 * maxAtOnce],
      );
      return rows.map(({ name }) => String(name));
    } catch (error) {
      logFault('alarms_not_read', { error: String(error) });
      return [];
    }
  }

  /** Never rejects. @returns whether the alarm is gone, or set to another time */
  async #run(name: string, call: (name: string) => Promise<void>): Promise<boolean> {
    this.#called.add(name);
    try {
      await call(name).catch((error: unknown) => {
        logFault('alarm_failed', { error: String(error) });
        if (this.#called.has(name)) this.set(name, Date.now() + retryDelay);
      });
      // Not set again meanwhile.
      if (this.#called.has(name)) this.#file.run('DELETE FROM alarms WHERE name = ?1', name);
      return true;
    } catch (error) {
      // It stays, and is called again.
      logFault('alarm_not_kept', { error: String(error) });
      return false;
    } finally {
      this.#called.delete(name);
    }
  }
}
