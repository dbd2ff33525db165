import { type Config, readConfig } from '../config.ts';
import type { ObjectContext, Platform } from '../platform.ts';
import { type Balance, dayOf, monthOf, type QuotaTerms, quotaTerms } from '../policy/quota.ts';
import { changesSince, loadMailbox, writeFlush } from '../store/mailboxes.ts';
import { logFault } from '../telemetry/log.ts';
import type { Caller } from './accounts.ts';
import { Alarm } from './alarm.ts';
import { Ledger } from './ledger.ts';
import type {
  KeyUse,
  PartOfSet,
  RaiseResult,
  ReservationPurpose,
  ReserveOfSite,
  ReserveResult,
  ResultRequest,
  Settlement,
} from './messages.ts';
import { sendQuotaMail } from './quota-mails.ts';
import { Tables } from './tables.ts';

/** How long figures wait before they are written to D1 together, in milliseconds. */
const flushInterval = 60_000;

/** Initial and maximum delay after a failed flush, in milliseconds. */
const retryDelays = { first: 2000, longest: 60_000 };

/** Maximum duration of a removal in D1, in milliseconds: longer than any such request runs. */
const doubtTimeout = 60_000;

/** Minimum interval between polls of D1 for changes, in milliseconds. */
const pollInterval = 1000;

/** The caller whose balance is requested, and the version that the requester has seen in D1. */
export interface ReadRequest {
  readonly caller: Caller;
  readonly terms: QuotaTerms;
  readonly version: number;
}

/** Numbers of durable writes, which all cost the same. */
export interface Writes {
  /** Rows of the meter's own tables. */
  readonly rows: number;
  /** Alarms set; each also counts as a row. */
  readonly alarms: number;
  /** Rows written in D1. */
  readonly databaseRows: number;
}

type UnknownKey = Extract<ReserveResult, { kind: 'unknown-key' }>;

/** What a meter needs of the platform: a way to send mails, the database of accounts, and the settings. */
export type MeterPlatform = Pick<Platform, 'DB' | 'EMAIL'>;

/** The methods of a meter that others may call. */
export type MeterCalls = Omit<InstanceType<ReturnType<typeof meterOn>>, 'alarm'>;

/**
 * The meter of one mailbox: authorizes its callers, and reserves and counts its files, in a single place worldwide. It
 * periodically writes sums to D1, and needs D1 only for initial data and when something is missing.
 * @param Home the class that makes it an object of the place where it lives
 */
export function meterOn<Context extends ObjectContext, Env extends MeterPlatform>(
  Home: abstract new (context: Context, env: Env) => object,
) {
  return class Meter extends Home {
    readonly #context: ObjectContext;
    readonly #env: MeterPlatform;
    readonly #tables: Tables;
    #ledger: Ledger | null = null;
    #loading: Promise<Ledger | null> | null = null;
    #lastPoll = 0;
    #nextPoll: Promise<void> | null = null;
    #flushing: Promise<void> | null = null;
    #retryDelay = retryDelays.first;
    readonly #alarm: Alarm;
    #config: Config | null = null;
    /** Rows written in D1 since the object was loaded. */
    #databaseRows = 0;

    constructor(context: Context, env: Env) {
      super(context, env);
      this.#context = context;
      this.#env = env;
      this.#tables = new Tables(context.storage.sql);
      this.#alarm = new Alarm(context.storage);
    }

    /** Reserves a file for a key, given by its hash, under the id of the request; repeated calls reserve nothing more. */
    async reserve(
      id: string,
      keyHash: string,
      terms: QuotaTerms,
      purpose?: ReservationPurpose,
    ): Promise<ReserveResult> {
      return this.#reserved(keyHash, terms, (ledger) =>
        ledger.reserve(id, keyHash, terms, purpose),
      );
    }

    /**
     * Reserves files for the other results of a request that has reserved the first, all of them or none, and the CPU time
     * of all; repeated calls reserve nothing more.
     */
    async reserveOthers(
      first: PartOfSet,
      others: readonly PartOfSet[],
      keyHash: string,
      terms: QuotaTerms,
    ): Promise<ReserveResult> {
      return this.#reserved(keyHash, terms, (ledger) =>
        ledger.reserveOthers(first, others, keyHash, terms),
      );
    }

    /**
     * Reserves a file for a result that a site is about to make, under the id of the request; repeated calls reserve
     * nothing more. It is settled or given back as those of keys are.
     */
    async reserveOfSite(
      id: string,
      result: ResultRequest,
      terms: QuotaTerms,
    ): Promise<ReserveOfSite> {
      return this.#reserved(result.siteId, terms, (ledger) =>
        ledger.reserveOfSite(id, result, terms),
      );
    }

    async #reserved<Result extends ReserveOfSite>(
      keyHash: string,
      { now }: QuotaTerms,
      reserve: (ledger: Ledger) => Result,
    ): Promise<Result | UnknownKey> {
      const ledger = await this.#loaded();
      if (ledger?.accounts.isDoubtful(keyHash)) await this.#resolveDoubts();
      const first = await this.#reserveOnce(reserve);
      switch (first.kind) {
        case 'unknown-key':
          if ((await this.#loaded())?.accounts.isRefused(keyHash, now)) return first;
          break;
        case 'exhausted':
        case 'key-limit':
          break;
        default:
          return first;
      }
      // D1 may have a new key, account, payment or higher limit of which the meter was not notified.
      await this.#poll();
      return this.#reserveOnce(reserve);
    }

    async #reserveOnce<Result extends ReserveOfSite>(
      reserve: (ledger: Ledger) => Result,
    ): Promise<Result | UnknownKey> {
      await this.#ensureAlarm();
      const ledger = await this.#loaded();
      if (ledger === null) return { kind: 'unknown-key', isExpired: false };
      return this.#transact(ledger, () => reserve(ledger));
    }

    /**
     * Raises the CPU time of a reservation before work on its image begins.
     * @param cpuMs predicted CPU time in milliseconds
     */
    async raise(id: string, cpuMs: number, terms: QuotaTerms): Promise<RaiseResult> {
      const ledger = await this.#loaded();
      if (!ledger) return 'too-much-in-flight';
      return this.#transact(ledger, () => ledger.raise(id, cpuMs, terms));
    }

    /**
     * Books the end of a request; repeated calls book nothing twice.
     * @returns whether its reservation still existed
     */
    async settle(settlement: Settlement): Promise<boolean> {
      const ledger = await this.#loaded();
      const isBooked = ledger !== null && this.#transact(ledger, () => ledger.settle(settlement));
      await this.#ensureAlarm();
      return isBooked;
    }

    /**
     * Books the end of a request that made several results, and gives the files of those back that it did not make;
     * repeated calls book nothing twice.
     */
    async settleSet(made: readonly Settlement[], notMade: readonly string[]): Promise<boolean> {
      const ledger = await this.#loaded();
      if (ledger) {
        this.#transact(ledger, () => {
          for (const settlement of made) ledger.settle(settlement);
          for (const id of notMade) ledger.giveBack(id);
        });
      }
      await this.#ensureAlarm();
      return ledger !== null;
    }

    /** Gives a reserved file back, because no response counts. */
    async giveBack(id: string): Promise<void> {
      await this.settleSet([], [id]);
    }

    /** The balance of a caller; null if there is no such caller. */
    async balance({ caller, terms, version }: ReadRequest): Promise<Balance | null> {
      const ledger = await this.#upToDate(version);
      return ledger?.balance(caller, terms) ?? null;
    }

    /** The usage of each key of a user, in total and on this day. */
    async keyUses(userId: string, day: string): Promise<readonly KeyUse[]> {
      const ledger = await this.#loaded();
      return ledger?.keyUses(userId, day) ?? [];
    }

    /**
     * Revokes a key permanently, whatever D1 says.
     * @returns whether the key was not revoked before
     */
    async revoke(key: { id: string; userId: string; hash: string }): Promise<boolean> {
      const ledger = await this.#loaded();
      const isNew = ledger !== null && this.#transact(ledger, () => ledger.accounts.revoke(key));
      await this.#ensureAlarm();
      return isNew;
    }

    /** Refuses an account and its keys from now on. Its requests in flight still count. */
    async erase(userId: string): Promise<void> {
      const ledger = await this.#loaded();
      if (!ledger) return;
      this.#transact(ledger, () => {
        ledger.accounts.erase(userId);
        ledger.forget(Date.now());
      });
    }

    /**
     * Announces that something is about to be taken away in D1: until `refresh` ends this doubt, D1 is asked before each
     * reservation.
     * @param keyId the affected key; null for the whole mailbox
     * @returns the id of the doubt, for `refresh`
     */
    async distrust(keyId: string | null): Promise<number> {
      const ledger = await this.#loaded();
      if (!ledger) return 0;
      return this.#transact(ledger, () => ledger.accounts.doubt(keyId, Date.now() + doubtTimeout));
    }

    /**
     * Applies changes from D1.
     * @param doubt id of the doubt that this ends; 0 if there is none
     */
    async refresh(doubt: number): Promise<void> {
      await this.#applyChanges();
      const ledger = await this.#loaded();
      if (ledger) this.#transact(ledger, () => ledger.accounts.endDoubt(doubt));
    }

    /** The number of reservations that are neither settled nor expired. */
    async inFlight(): Promise<number> {
      const ledger = await this.#loaded();
      return ledger?.inFlight(Date.now()).count ?? 0;
    }

    /** The numbers of writes since the object was loaded, in billed rows. */
    async writes(): Promise<Writes> {
      return {
        rows: this.#tables.rowsWritten,
        alarms: this.#alarm.timesSet,
        databaseRows: this.#databaseRows,
      };
    }

    /** Writes the figures counted so far to D1. */
    async flush(): Promise<void> {
      const ledger = await this.#loaded();
      if (!ledger) return;
      await this.#flushing?.catch(() => {});
      if (ledger.isUnflushed) await this.#flush(ledger);
    }

    /** Sends the due mails. Each is marked first, so it is sent once, or never if the object stops at that moment. */
    async sendMails(): Promise<void> {
      for (const mail of (await this.#loaded())?.mails.due ?? []) {
        this.#config ??= readConfig(this.#env);
        const terms = quotaTerms(Date.now(), this.#config);
        const readers = (await this.#loaded())?.mails.readersOf(mail, terms) ?? [];
        await sendQuotaMail(this.#env, this.#config, { mail, readers }, async (userId) => {
          const ledger = await this.#loaded();
          return ledger && this.#transact(ledger, () => ledger.mails.begin(mail, userId, terms));
        });
      }
    }

    /** Never throws, because the platform would give up after a few retries; it sets the next alarm itself. */
    async alarm(): Promise<void> {
      this.#alarm.wasCalled();
      try {
        await this.#poll();
        const ledger = await this.#loaded();
        if (ledger?.isUnflushed) await this.#flush(ledger);
        else if (ledger) this.#transact(ledger, () => ledger.forget(Date.now()));
        await this.sendMails().catch((error: unknown) => {
          logFault('quota_mails_not_sent', { error: String(error) });
        });
        // It may have joined a flush that was already running.
        await this.#ensureAlarm();
        await this.#ensureForgetting();
        this.#retryDelay = retryDelays.first;
      } catch (error) {
        logFault('not_flushed', { error: String(error) });
        await this.#alarm.set(Date.now() + this.#retryDelay).catch(() => {});
        this.#retryDelay = Math.min(2 * this.#retryDelay, retryDelays.longest);
      }
    }

    /** Runs a change as a transaction: if writing fails, the state in memory is discarded as well. */
    #transact<Result>(ledger: Ledger | null, act: () => Result): Result {
      if (ledger !== this.#ledger) throw new Error('Another change has failed meanwhile.');
      try {
        return this.#context.storage.transactionSync(act);
      } catch (error) {
        this.#ledger = null;
        throw error;
      }
    }

    /** The ledger, loaded from the tables or, at first, from D1; null if there is no such mailbox. */
    #loaded(): Ledger | Promise<Ledger | null> {
      if (this.#ledger) return this.#ledger;
      const kept = this.#tables.read();
      if (kept) {
        this.#ledger = new Ledger(this.#tables, kept);
        return this.#ledger;
      }
      this.#loading ??= this.#load().finally(() => {
        this.#loading = null;
      });
      return this.#loading;
    }

    async #load(): Promise<Ledger | null> {
      const found = await loadMailbox(this.#env.DB, this.#mailboxId, Date.now());
      if (found === null) return null;
      this.#ledger ??= this.#transact(null, () => Ledger.begin(this.#tables, found));
      return this.#ledger;
    }

    async #upToDate(version: number): Promise<Ledger | null> {
      const ledger = await this.#loaded();
      if (ledger === null || ledger.accounts.version >= version) return ledger;
      // There certainly is a change, so the minimum interval between polls does not apply.
      await this.#applyChanges();
      return this.#loaded();
    }

    async #resolveDoubts(): Promise<void> {
      const began = Date.now();
      await this.#poll();
      const ledger = await this.#loaded();
      if (ledger) this.#transact(ledger, () => ledger.accounts.endDoubtsUntil(began));
    }

    /** Polls D1 for changes, at a limited rate. All callers that arrive before the query share it. */
    #poll(): Promise<void> {
      this.#nextPoll ??= this.#pollSoon();
      return this.#nextPoll;
    }

    async #pollSoon(): Promise<void> {
      // Not longer, where the clock has been put back meanwhile.
      const wait = Math.min(pollInterval, this.#lastPoll + pollInterval - Date.now());
      if (wait > 0) await scheduler.wait(wait);
      else await null;
      this.#nextPoll = null;
      await this.#applyChanges();
    }

    async #applyChanges(): Promise<void> {
      this.#lastPoll = Date.now();
      const version = (await this.#loaded())?.accounts.version ?? 0;
      const changes = await changesSince(this.#env.DB, this.#mailboxId, version);
      const ledger = await this.#loaded();
      if (!ledger) return;
      this.#transact(ledger, () => {
        if (changes) ledger.accounts.apply(changes);
        // The database was restored to a time before there was this mailbox.
        else ledger.accounts.loseMailbox();
      });
    }

    #flush(ledger: Ledger): Promise<void> {
      this.#flushing ??= this.#writeSums(ledger).finally(() => {
        this.#flushing = null;
      });
      return this.#flushing;
    }

    async #writeSums(ledger: Ledger): Promise<void> {
      const now = Date.now();
      const [day, month] = [dayOf(now), monthOf(now)];
      const sums = this.#transact(ledger, () => ledger.beginFlush({ day, month }));
      const rows = await writeFlush(this.#env.DB, this.#mailboxId, sums, now);
      if (rows === null) logFault('mailbox_lost', {});
      this.#databaseRows += rows ?? 0;
      // If a change failed meanwhile, the ledger was replaced, and the new one writes all of this again.
      if (this.#ledger === ledger) this.#transact(ledger, () => ledger.endFlush(sums, now));
    }

    /** Ensures that an alarm is set whenever there is work for it. */
    async #ensureAlarm(): Promise<void> {
      if (this.#ledger?.hasWork) await this.#alarm.ensureBy(Date.now() + flushInterval);
    }

    /** Ensures that there will be an alarm when something is to be forgotten, even if nobody calls the meter again. */
    async #ensureForgetting(): Promise<void> {
      const lapse = this.#ledger?.nextLapse() ?? null;
      if (lapse !== null) await this.#alarm.ensureAny(Math.max(lapse, Date.now() + flushInterval));
    }

    /** The name of the Durable Object. */
    get #mailboxId(): string {
      const { name } = this.#context.id;
      if (name === undefined) throw new Error('A meter has the name of its mailbox.');
      return name;
    }
  };
}
