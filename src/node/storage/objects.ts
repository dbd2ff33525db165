import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { keyLogOn } from '../../key-log/key-log.ts';
import { type MeterPlatform, meterOn } from '../../meter/meter.ts';
import type { Named, ObjectContext, ObjectSql, Platform } from '../../platform.ts';
import { Alarms } from './alarms.ts';
import { SqliteFile } from './sqlite-file.ts';

/** An object that lives in a file. */
interface Living {
  alarm(): Promise<void>;
}

/** Where objects live, and how. */
interface ObjectPlace<Needs, It extends Living> {
  /** Its methods are what others may call, except `alarm`. */
  readonly Class: new (
    context: ObjectContext,
    platform: Needs,
  ) => It;
  readonly folder: string;
  readonly platform: Needs;
  /** Objects that stay open; each holds three files and up to a quarter of a MiB of pages. */
  readonly limit: number;
}

interface Open<It> {
  readonly object: It;
  readonly file: SqliteFile;
  /** Calls in progress: until they end, it stays in memory, because they share what it remembers. */
  calls: number;
}

/**
 * The objects of one class, one for each mailbox, each with a file of its own. As Durable Objects, one is opened when it is
 * called, and closed when others are called more: its tables are all that it relies on. Calls run on one thread and wait only
 * for the database of accounts, so each change is whole before another call sees it.
 */
class Objects<Needs, It extends Living> implements Named {
  readonly #place: ObjectPlace<Needs, It>;
  readonly #alarms: Alarms;
  /** Those called last come last. */
  readonly #open = new Map<string, Open<It>>();
  #isClosed = false;

  constructor(place: ObjectPlace<Needs, It>) {
    this.#place = place;
    mkdirSync(place.folder, { recursive: true });
    this.#alarms = new Alarms(join(place.folder, 'alarms.sqlite'));
    this.#wakeInterrupted();
    this.#alarms.start((name) => this.#call(name, (object) => object.alarm()));
  }

  getByName(name: string): Omit<It, 'alarm'> {
    return new Proxy({} as It, {
      get: (_, method) => {
        if (!this.#isCall(method)) return undefined;
        // Copies, as calls of Durable Objects get them.
        return async (...values: unknown[]) => {
          const given = structuredClone(values);
          const answer = await this.#call(name, (object) =>
            Reflect.apply(object[method] as (...all: unknown[]) => unknown, object, given),
          );
          return structuredClone(answer);
        };
      },
    });
  }

  /**
   * Closes all files, once calls in progress have ended.
   * @param due objects with an alarm up to this time, in milliseconds since 1970, get a last call; they keep their alarm, which
   *   comes after the next start
   */
  async close(due = 0, last: (object: It) => Promise<void> = async () => {}): Promise<void> {
    await this.#alarms.stop();
    for (const name of this.#alarms.names(due)) await this.#call(name, last).catch(() => {});
    this.#isClosed = true;
    for (const [name, { calls }] of this.#open) if (calls === 0) this.#drop(name);
    if (this.#open.size === 0) this.#alarms.close();
  }

  async #call<Result>(name: string, act: (object: It) => Promise<Result> | Result) {
    const open = this.#opened(name);
    open.calls += 1;
    try {
      return await act(open.object);
    } finally {
      open.calls -= 1;
      if (open.calls === 0 && (open.file.isBroken || this.#isClosed)) this.#drop(name);
      this.#closeOthers();
    }
  }

  #opened(name: string): Open<It> {
    if (this.#isClosed) throw new Error('The objects are closed.');
    const open = this.#open.get(name) ?? this.#opening(name);
    this.#open.delete(name);
    this.#open.set(name, open);
    return open;
  }

  #opening(name: string): Open<It> {
    // Names of mailboxes are made by this service.
    if (!/^mbx_[\da-z]{1,64}$/i.test(name)) throw new RangeError('Not the name of a mailbox.');
    const { Class, folder, platform } = this.#place;
    const file = new SqliteFile(join(folder, `${name}.sqlite`), false);
    try {
      const context = contextOf(name, file, this.#alarms);
      // Its tables are made at once or not at all.
      const object = file.transaction(() => new Class(context, platform));
      return { object, file, calls: 0 };
    } catch (error) {
      file.close();
      throw error;
    }
  }

  /** Closes objects until there are no more than may stay open, those first that were called least recently. */
  #closeOthers(): void {
    for (const [name, { calls }] of this.#open) {
      if (this.#open.size <= this.#place.limit) return;
      if (calls === 0) this.#drop(name);
    }
  }

  #drop(name: string): void {
    const open = this.#open.get(name);
    this.#open.delete(name);
    open?.file.close();
  }

  /**
   * A process that was killed between a change and its alarm leaves an object without one. Such an object was open, and SQLite
   * deletes the log beside a file when it is closed: so all objects that were open are due.
   */
  #wakeInterrupted(): void {
    for (const entry of readdirSync(this.#place.folder)) {
      const [, name] = /^(mbx_\w+)\.sqlite-wal$/.exec(entry) ?? [];
      if (name !== undefined) this.#alarms.set(name, Date.now());
    }
  }

  #isCall(name: string | symbol): name is keyof It & string {
    const { prototype } = this.#place.Class;
    return typeof name === 'string' && name !== 'constructor' && Object.hasOwn(prototype, name);
  }
}

/** How many of each stay open. */
const maxOpen = { meters: 128, keyLogs: 32 };

/** Alarms of meters that have figures to write come within this time, in milliseconds. */
const soon = 5 * 60_000;

const Meter = meterOn(class {});
const KeyLog = keyLogOn(class {});

/** The meters of all mailboxes. */
export class Meters extends Objects<MeterPlatform, InstanceType<typeof Meter>> {
  /** @param limit meters that stay open */
  constructor(folder: string, platform: MeterPlatform, limit = maxOpen.meters) {
    super({ Class: Meter, folder, platform, limit });
  }

  /** Writes what the database of accounts lacks, and closes all files, once calls in progress have ended. */
  override close(): Promise<void> {
    return super.close(Date.now() + soon, (meter) => meter.flush());
  }
}

/** The logs of the keys of all mailboxes. */
export class KeyLogs extends Objects<Pick<Platform, 'DB'>, InstanceType<typeof KeyLog>> {
  constructor(folder: string, platform: Pick<Platform, 'DB'>) {
    super({ Class: KeyLog, folder, platform, limit: maxOpen.keyLogs });
  }
}

function contextOf(name: string, file: SqliteFile, alarms: Alarms): ObjectContext {
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

/** The statements of an object over a file. */
function sqlOver(file: SqliteFile): ObjectSql {
  return {
    exec(sql, ...values) {
      const { rows, changes } = file.run(sql, ...values);
      return { toArray: () => rows, rowsWritten: changes };
    },
  };
}
