import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  type MeterCalls,
  type MeterContext,
  type MeterPlatform,
  meterOn,
} from '../../meter/meter.ts';
import type { MeterSql } from '../../meter/tables.ts';
import type { Named } from '../../platform.ts';
import { Alarms } from './alarms.ts';
import { SqliteFile } from './sqlite-file.ts';

/** Meters that stay open; each holds three files and up to a quarter of a MiB of pages. */
const maxOpen = 128;

/** Alarms of meters that have figures to write come within this time, in milliseconds. */
const soon = 5 * 60_000;

const Meter = meterOn(class {});
type Meter = InstanceType<typeof Meter>;

interface OpenMeter {
  readonly meter: Meter;
  readonly file: SqliteFile;
  /** Calls in progress: until they end, it stays in memory, because they share what it remembers. */
  calls: number;
}

/**
 * The meters of all mailboxes, each with a file of its own. As in Durable Objects, a meter is opened when it is called, and
 * closed when others are called more: its tables are all that it relies on. Calls run on one thread and wait only for the
 * database of accounts, so each change is whole before another call sees it.
 */
export class Meters implements Named {
  readonly #folder: string;
  readonly #platform: MeterPlatform;
  readonly #alarms: Alarms;
  /** Those called last come last. */
  readonly #open = new Map<string, OpenMeter>();
  readonly #limit: number;
  #isClosed = false;

  /** @param limit meters that stay open */
  constructor(folder: string, platform: MeterPlatform, limit = maxOpen) {
    this.#folder = folder;
    this.#platform = platform;
    this.#limit = limit;
    mkdirSync(folder, { recursive: true });
    this.#alarms = new Alarms(join(folder, 'alarms.sqlite'));
    this.#wakeInterrupted();
    this.#alarms.start((name) => this.#call(name, (meter) => meter.alarm()));
  }

  getByName(name: string): MeterCalls {
    return new Proxy({} as MeterCalls, {
      get: (_, method) => {
        if (!isCall(method)) return undefined;
        // Copies, as calls of Durable Objects get them.
        return async (...values: unknown[]) => {
          const given = structuredClone(values);
          return structuredClone(
            await this.#call(name, (meter) => Reflect.apply(meter[method], meter, given)),
          );
        };
      },
    });
  }

  /** Writes what the database of accounts lacks, and closes all files, once calls in progress have ended. */
  async close(): Promise<void> {
    await this.#alarms.stop();
    for (const name of this.#alarms.names(Date.now() + soon)) {
      // It keeps its alarm, which comes after the next start.
      await this.#call(name, (meter) => meter.flush()).catch(() => {});
    }
    this.#isClosed = true;
    for (const [name, { calls }] of this.#open) if (calls === 0) this.#drop(name);
    if (this.#open.size === 0) this.#alarms.close();
  }

  async #call<Result>(name: string, act: (meter: Meter) => Promise<Result>): Promise<Result> {
    const open = this.#opened(name);
    open.calls += 1;
    try {
      return await act(open.meter);
    } finally {
      open.calls -= 1;
      if (open.calls === 0 && (open.file.isBroken || this.#isClosed)) this.#drop(name);
      this.#closeOthers();
    }
  }

  #opened(name: string): OpenMeter {
    if (this.#isClosed) throw new Error('The meters are closed.');
    const open = this.#open.get(name) ?? this.#opening(name);
    this.#open.delete(name);
    this.#open.set(name, open);
    return open;
  }

  #opening(name: string): OpenMeter {
    // Names of mailboxes are made by this service.
    if (!/^mbx_[\da-z]{1,64}$/i.test(name)) throw new RangeError('Not the name of a mailbox.');
    const file = new SqliteFile(join(this.#folder, `${name}.sqlite`), false);
    try {
      const context = contextOf(name, file, this.#alarms);
      // Its tables are made at once or not at all.
      const meter = file.transaction(() => new Meter(context, this.#platform));
      return { meter, file, calls: 0 };
    } catch (error) {
      file.close();
      throw error;
    }
  }

  /** Closes meters until there are no more than may stay open, those first that were called least recently. */
  #closeOthers(): void {
    for (const [name, { calls }] of this.#open) {
      if (this.#open.size <= this.#limit) return;
      if (calls === 0) this.#drop(name);
    }
  }

  #drop(name: string): void {
    const open = this.#open.get(name);
    this.#open.delete(name);
    open?.file.close();
  }

  /**
   * A process that was killed between a change and its alarm leaves a meter without one. Such a meter was open, and SQLite
   * deletes the log beside a file when it is closed: so all meters that were open are due.
   */
  #wakeInterrupted(): void {
    for (const entry of readdirSync(this.#folder)) {
      const [, name] = /^(mbx_\w+)\.sqlite-wal$/.exec(entry) ?? [];
      if (name !== undefined) this.#alarms.set(name, Date.now());
    }
  }
}

function isCall(name: string | symbol): name is keyof MeterCalls {
  return typeof name === 'string' && name !== 'constructor' && Object.hasOwn(Meter.prototype, name);
}

function contextOf(name: string, file: SqliteFile, alarms: Alarms): MeterContext {
  return {
    id: { name },
    storage: {
      sql: sqlOver(file),
      transactionSync: (change) => file.transaction(change),
      getAlarm: async () => alarms.get(name),
      setAlarm: async (time) => alarms.set(name, time),
    },
  };
}

/** The statements of a meter over a file. */
function sqlOver(file: SqliteFile): MeterSql {
  return {
    exec(sql, ...values) {
      const { rows, changes } = file.run(sql, ...values);
      return { toArray: () => rows, rowsWritten: changes };
    },
  };
}
