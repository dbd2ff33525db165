import { Alarm } from '../meter/alarm.ts';
import type { ObjectContext, Platform } from '../platform.ts';
import { ownersOfKeys } from '../store/api-keys.ts';
import { logFault } from '../telemetry/log.ts';
import { type KeyRequest, Rings } from './rings.ts';

/** Requests that a Worker has collected for the logs of the keys of a mailbox. */
export interface RequestBatch {
  /** Repeated calls with the same id record nothing more, as long as the object stays in memory. */
  readonly id: string;
  /** In the order in which they ended. */
  readonly requests: readonly (KeyRequest & { readonly keyHash: string })[];
}

/** Numbers of durable writes since the object was loaded, which all cost the same. */
interface LogWrites {
  readonly rows: number;
  /** Alarms set; each also counts as a row. */
  readonly alarms: number;
}

/** What the object needs of the platform. */
type KeyLogPlatform = Pick<Platform, 'DB'>;

/** The methods that others may call. */
export type KeyLogCalls = Omit<InstanceType<ReturnType<typeof keyLogOn>>, 'alarm'>;

/** Batches that are remembered because a call may be repeated. */
const maxBatches = 100;

/** After a failed deletion, in milliseconds. */
const retryDelay = 60_000;

/**
 * The logs of the keys of one mailbox: an object of its own, because an object has a single alarm, which costs as much as a
 * row each time it is set. That of the meter is set with each flush; this one is set when there is none, for the day on which
 * the oldest requests are deleted.
 * @param Home the class that makes it an object of the place where it lives
 */
export function keyLogOn<Context extends ObjectContext, Env extends KeyLogPlatform>(
  Home: abstract new (context: Context, env: Env) => object,
) {
  return class KeyLog extends Home {
    readonly #context: ObjectContext;
    readonly #env: KeyLogPlatform;
    readonly #alarm: Alarm;
    #rings: Rings;
    /** The ids of the latest batches, oldest first. In memory alone: a row for each would double what a lone request costs. */
    readonly #batches = new Set<string>();

    constructor(context: Context, env: Env) {
      super(context, env);
      this.#context = context;
      this.#env = env;
      this.#rings = new Rings(context.storage.sql);
      this.#alarm = new Alarm(context.storage);
    }

    /**
     * Records requests, except those with a key that never existed, or of a deleted account; a repeated call records nothing
     * more, unless the object was reset between the commit and the answer of the first. Writes at most one row for each.
     */
    async record({ id, requests }: RequestBatch): Promise<void> {
      const byKey = Map.groupBy(requests, ({ keyHash }) => keyHash);
      const owners = await this.#ownersOf(byKey.keys());
      if (owners.size === 0) return;
      await this.#ensureAlarm();
      if (this.#batches.has(id)) return;
      this.#transact(() => {
        for (const [hash, userId] of owners) {
          this.#rings.append(hash, userId, byKey.get(hash) ?? [], Date.now());
        }
      });
      this.#batches.add(id);
      const [oldest] = this.#batches;
      if (this.#batches.size > maxBatches && oldest !== undefined) this.#batches.delete(oldest);
      await this.#ensureAlarm();
    }

    /** The latest requests with a key, given by its hash, newest first. */
    async requests(keyHash: string): Promise<readonly KeyRequest[]> {
      return this.#rings.of(keyHash, Date.now());
    }

    /** Deletes the logs of a user's keys for good: requests that end later are not recorded. */
    async erase(userId: string): Promise<void> {
      await this.#ensureAlarm();
      this.#transact(() => this.#rings.erase(userId, Date.now()));
      await this.#ensureAlarm();
    }

    async writes(): Promise<LogWrites> {
      return { rows: this.#rings.rowsWritten, alarms: this.#alarm.timesSet };
    }

    /** Never throws, because the platform would give up after a few retries; it sets the next alarm itself. */
    async alarm(): Promise<void> {
      this.#alarm.wasCalled();
      try {
        this.#transact(() => this.#rings.forget(Date.now()));
        if (!this.#rings.isEmpty) await this.#ensureAlarm();
      } catch (error) {
        logFault('requests_not_deleted', { error: String(error) });
        await this.#alarm.set(Date.now() + retryDelay).catch(() => {});
      }
    }

    /** The users of those keys that exist: only the first request with a key asks the database. */
    async #ownersOf(hashes: Iterable<string>): Promise<ReadonlyMap<string, string>> {
      const owners = new Map<string, string>();
      const unknown: string[] = [];
      for (const hash of hashes) {
        const userId = this.#rings.ownerOf(hash);
        if (userId === null) unknown.push(hash);
        else owners.set(hash, userId);
      }
      if (unknown.length === 0) return owners;
      return new Map([...owners, ...(await ownersOfKeys(this.#env.DB, unknown))]);
    }

    /**
     * To be called before rows are written, so that none is without an alarm that deletes it, and after that, because it may
     * have come meanwhile.
     */
    async #ensureAlarm(): Promise<void> {
      await this.#alarm.ensureAny(this.#rings.nextDeletion(Date.now()));
    }

    /** Runs a change as a transaction: if writing fails, what is remembered of the rows is discarded as well. */
    #transact(change: () => void): void {
      try {
        this.#context.storage.transactionSync(change);
      } catch (error) {
        this.#rings = new Rings(this.#context.storage.sql);
        throw error;
      }
    }
  };
}
