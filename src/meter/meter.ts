import { DurableObject } from 'cloudflare:workers';
import { type Config, readConfig } from '../config.ts';
import { type Balance, dayOf, monthOf, type QuotaTerms, quotaTerms } from '../policy/quota.ts';
import { changesSince, loadMailbox, writeFlush } from '../store/mailboxes.ts';
import type { Caller } from './accounts.ts';
import { Ledger } from './ledger.ts';
import {
  chargedFileLife,
  type KeyUse,
  type ReservationPurpose,
  type ReserveResult,
  reservedCpuMs,
  type Settlement,
} from './messages.ts';
import { sendQuotaMail } from './send-quota-mail.ts';
import { Tables } from './tables.ts';

/** How long figures wait until they are written to D1, in milliseconds: together with those that come meanwhile. */
const flushInterval = 60_000;

/** How long a flush that failed waits, at first and at most, in milliseconds. */
const retryDelays = { first: 2000, longest: 60_000 };

/** How long what takes away in D1 may take, in milliseconds: longer than any request does that. */
const doubtTimeout = 60_000;

/** How often D1 is asked for changes at most, in milliseconds. */
const lookInterval = 1000;

/** Who a balance is asked for, and the version of D1 that the caller has seen. */
export interface ReadRequest {
  readonly caller: Caller;
  readonly terms: QuotaTerms;
  readonly version: number;
}

/** What work on an image needs to know before it begins. */
export interface Preparation {
  readonly cpu: 'reserved' | 'too-much-in-flight' | 'too-much-today';
  /** The image was charged within the last hour, and will not be again. */
  readonly isFree: boolean;
}

/** Durable writes, all of which cost the same. */
export interface Writes {
  /** Of its own tables. */
  readonly rows: number;
  /** Each is a row, too. */
  readonly alarms: number;
  /** Of D1. */
  readonly databaseRows: number;
}

/** What others may ask a meter for. */
export type MeterCalls = Omit<Meter, 'alarm' | 'ctx' | 'env' | keyof DurableObject>;

/**
 * The meter of one mailbox: authorizes its callers, reserves and counts its files, in one place for all the world, and
 * tells D1 the sums from time to time. What D1 is needed for is little: to begin with, and when something is missing.
 */
export class Meter extends DurableObject<Env> {
  readonly #tables = new Tables(this.ctx.storage.sql);
  #ledger: Ledger | null = null;
  #loading: Promise<Ledger | null> | null = null;
  #lastLook = 0;
  #nextLook: Promise<void> | null = null;
  #flushing: Promise<void> | null = null;
  #retryDelay = retryDelays.first;
  /** Whether an alarm is set; null: not known yet. */
  #hasAlarm: boolean | null = null;
  #config: Config | null = null;
  /** Alarms that were set, and rows of D1 that were written, since the object came into memory. */
  #alarms = 0;
  #databaseRows = 0;

  /** Reserves a file for a caller, under the id of the request: once, however often that is repeated. */
  async reserve(
    id: string,
    caller: Caller,
    terms: QuotaTerms,
    purpose?: ReservationPurpose,
  ): Promise<ReserveResult> {
    const ledger = await this.#loaded();
    if (ledger?.accounts.isDoubtful(caller)) await this.#lookForDoubts();
    const first = await this.#reserve(id, caller, terms, purpose);
    switch (first.kind) {
      case 'unknown-caller':
        if ((await this.#loaded())?.accounts.isRefused(caller, terms.now)) return first;
        break;
      case 'exhausted':
      case 'key-limit':
        break;
      default:
        return first;
    }
    // a new key, a new account, a payment, a higher limit, which nobody has told of
    await this.#look();
    return this.#reserve(id, caller, terms, purpose);
  }

  async #reserve(
    id: string,
    caller: Caller,
    terms: QuotaTerms,
    purpose: ReservationPurpose | undefined,
  ): Promise<ReserveResult> {
    await this.#ensureAlarm();
    const ledger = await this.#loaded();
    if (ledger === null) return { kind: 'unknown-caller', isExpired: false };
    return this.#act(ledger, () => ledger.reserve(id, caller, terms, purpose));
  }

  /**
   * Makes sure that work on an image may begin.
   * @param cpuMs that it is predicted to take, in milliseconds
   * @param file a pseudonym of an image that is charged once in an hour; null: it is charged whenever it comes
   */
  async prepare(
    id: string,
    { cpuMs, file, terms }: { cpuMs: number; file: string | null; terms: QuotaTerms },
  ): Promise<Preparation> {
    const ledger = await this.#loaded();
    if (!ledger) return { cpu: 'too-much-in-flight', isFree: false };
    const isLittle = cpuMs <= reservedCpuMs;
    return {
      cpu: isLittle ? 'reserved' : this.#act(ledger, () => ledger.raise(id, cpuMs, terms)),
      isFree: file !== null && ledger.isCharged(id, file, terms.now),
    };
  }

  /**
   * Books the end of a request; repeating it books nothing twice.
   * @returns whether its reservation still stood
   */
  async settle(settlement: Settlement): Promise<boolean> {
    const ledger = await this.#loaded();
    const isBooked = ledger !== null && this.#act(ledger, () => ledger.settle(settlement));
    await this.#ensureAlarm();
    return isBooked;
  }

  /** Returns a reserved file: nothing was answered that counts. */
  async giveBack(id: string): Promise<void> {
    const ledger = await this.#loaded();
    if (ledger) this.#act(ledger, () => ledger.giveBack(id));
    await this.#ensureAlarm();
  }

  /** What a caller has left; null: there is no such caller. */
  async balance({ caller, terms, version }: ReadRequest): Promise<Balance | null> {
    const ledger = await this.#upToDate(version);
    return ledger?.balance(caller, terms) ?? null;
  }

  /** How much each key of a user has been used, and how much on this day. */
  async keyUses(userId: string, day: string): Promise<readonly KeyUse[]> {
    const ledger = await this.#loaded();
    return ledger?.keyUses(userId, day) ?? [];
  }

  /**
   * Refuses a key from now on, whatever D1 says of it.
   * @returns whether it was not refused already
   */
  async revoke(key: { id: string; userId: string; hash: string }): Promise<boolean> {
    const ledger = await this.#loaded();
    const isNew = ledger !== null && this.#act(ledger, () => ledger.accounts.revoke(key));
    await this.#ensureAlarm();
    return isNew;
  }

  /** Refuses an account and its keys from now on. What is in flight of it still counts. */
  async erase(userId: string): Promise<void> {
    const ledger = await this.#loaded();
    if (!ledger) return;
    this.#act(ledger, () => {
      ledger.accounts.erase(userId);
      this.#tables.forgetCharged(Date.now() - chargedFileLife);
    });
  }

  /**
   * Something is about to be taken away in D1: until `refresh` says that this is over, D1 is asked before a file is
   * reserved.
   * @param keyId of the key that it is taken from; null: of the mailbox
   * @returns what `refresh` is to be given
   */
  async distrust(keyId: string | null): Promise<number> {
    const ledger = await this.#loaded();
    if (!ledger) return 0;
    return this.#act(ledger, () => ledger.accounts.doubt(keyId, Date.now() + doubtTimeout));
  }

  /**
   * Takes over what has changed in D1.
   * @param doubt that is over with it; 0: there was none
   */
  async refresh(doubt: number): Promise<void> {
    await this.#takeChanges();
    const ledger = await this.#loaded();
    if (ledger) this.#act(ledger, () => ledger.accounts.endDoubt(doubt));
  }

  /** How many requests have a reservation that is neither settled nor expired. */
  async inFlight(): Promise<number> {
    const ledger = await this.#loaded();
    return ledger?.inFlight(Date.now()).count ?? 0;
  }

  /** What it has written since it came into memory, in rows as they are paid for. */
  async writes(): Promise<Writes> {
    return {
      rows: this.#tables.rowsWritten,
      alarms: this.#alarms,
      databaseRows: this.#databaseRows,
    };
  }

  /** Writes what has been counted so far to D1. */
  async flush(): Promise<void> {
    const ledger = await this.#loaded();
    if (!ledger) return;
    await this.#flushing?.catch(() => {});
    if (ledger.isUnflushed) await this.#flush(ledger);
  }

  /** Sends the mails that are due. Each is marked first: it is sent once, or, should the object end just then, never. */
  async sendMails(): Promise<void> {
    for (const mail of (await this.#loaded())?.mails.due ?? []) {
      this.#config ??= readConfig(this.env);
      const terms = quotaTerms(Date.now(), this.#config);
      const readers = (await this.#loaded())?.readersOf(mail, terms) ?? [];
      await sendQuotaMail(this.env, this.#config, { mail, readers }, async (userId) => {
        const ledger = await this.#loaded();
        return ledger && this.#act(ledger, () => ledger.beginMail(mail, userId, terms));
      });
    }
  }

  /** Never throws: the platform would give up after a few times. It sets its successor itself. */
  override async alarm(): Promise<void> {
    this.#hasAlarm = false;
    try {
      await this.#look();
      const ledger = await this.#loaded();
      if (ledger?.isUnflushed) await this.#flush(ledger);
      await this.sendMails().catch((error: unknown) => {
        console.error({ event: 'quota_mails_not_sent', error: String(error) });
      });
      // it may have joined a flush that was under way
      await this.#ensureAlarm();
      this.#retryDelay = retryDelays.first;
    } catch (error) {
      console.error({ event: 'not_flushed', error: String(error) });
      await this.#setAlarm(this.#retryDelay).catch(() => {});
      this.#retryDelay = Math.min(2 * this.#retryDelay, retryDelays.longest);
    }
  }

  /** Changes all that is to be changed, or nothing: what was not written is not in memory either. */
  #act<Result>(ledger: Ledger | null, act: () => Result): Result {
    if (ledger !== this.#ledger) throw new Error('Another change has failed meanwhile.');
    try {
      return this.ctx.storage.transactionSync(act);
    } catch (error) {
      this.#ledger = null;
      throw error;
    }
  }

  /** The ledger, as it was kept or as D1 has it at first; null: there is no such mailbox. */
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
    const found = await loadMailbox(this.env.DB, this.#mailboxId, Date.now());
    if (found === null) return null;
    this.#ledger ??= this.#act(null, () => Ledger.begin(this.#tables, found));
    return this.#ledger;
  }

  async #upToDate(version: number): Promise<Ledger | null> {
    const ledger = await this.#loaded();
    if (ledger === null || ledger.accounts.version >= version) return ledger;
    // something has changed for certain: there is no need to wait until D1 may be asked again
    await this.#takeChanges();
    return this.#loaded();
  }

  async #lookForDoubts(): Promise<void> {
    const began = Date.now();
    await this.#look();
    const ledger = await this.#loaded();
    if (ledger) this.#act(ledger, () => ledger.accounts.endDoubtsUntil(began));
  }

  /** Asks D1 for changes, not more often than it is good for. All who come before it is asked share the answer. */
  #look(): Promise<void> {
    this.#nextLook ??= this.#lookSoon();
    return this.#nextLook;
  }

  async #lookSoon(): Promise<void> {
    const wait = this.#lastLook + lookInterval - Date.now();
    if (wait > 0) await scheduler.wait(wait);
    else await null;
    this.#nextLook = null;
    await this.#takeChanges();
  }

  async #takeChanges(): Promise<void> {
    this.#lastLook = Date.now();
    const version = (await this.#loaded())?.accounts.version ?? 0;
    const changes = await changesSince(this.env.DB, this.#mailboxId, version);
    const ledger = await this.#loaded();
    if (changes && ledger) this.#act(ledger, () => ledger.accounts.apply(changes));
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
    const sums = this.#act(ledger, () => ledger.beginFlush({ day, month }));
    this.#databaseRows += await writeFlush(this.env.DB, this.#mailboxId, sums, now);
    // the one in memory is another one where something failed meanwhile: it will tell all of it again
    if (this.#ledger === ledger) this.#act(ledger, () => ledger.endFlush(sums, now));
  }

  /** Figures that D1 does not have, and mails that are due, are never without an alarm. */
  async #ensureAlarm(): Promise<void> {
    if (!this.#ledger?.hasWork || this.#hasAlarm) return;
    const isUnknown = this.#hasAlarm === null;
    // others need not set another one meanwhile
    this.#hasAlarm = true;
    try {
      if (isUnknown && (await this.ctx.storage.getAlarm()) !== null) return;
      await this.#setAlarm(flushInterval);
    } catch (error) {
      this.#hasAlarm = null;
      throw error;
    }
  }

  async #setAlarm(delay: number): Promise<void> {
    await this.ctx.storage.setAlarm(Date.now() + delay);
    this.#hasAlarm = true;
    this.#alarms += 1;
  }

  /** The name that it is found by. */
  get #mailboxId(): string {
    const { name } = this.ctx.id;
    if (name === undefined) throw new Error('A meter has the name of its mailbox.');
    return name;
  }
}
