import type { Changes } from '../store/mailboxes.ts';
import type { AccountRow, Doubt, Kept, KeyRow, MailboxRow, PaymentRow } from './rows.ts';
import type { Tables } from './tables.ts';

/** The caller: a key by its hash, or a user in the cabinet. */
export type Caller = { readonly keyHash: string } | { readonly userId: string };

/**
 * The accounts of a mailbox with their keys and payments: copies of what D1 has, and what has been taken away before D1
 * knew. In memory, with every change written to the tables.
 */
export class Accounts {
  readonly #tables: Tables;
  readonly #takeableOf: (account: AccountRow) => number;
  readonly #mailbox: MailboxRow;
  readonly #accounts: Map<string, AccountRow>;
  readonly #payments: Map<string, PaymentRow>;
  readonly #keys: Map<string, KeyRow>;
  readonly #keysByHash: Map<string, KeyRow>;
  readonly #doubts: Map<number, Doubt>;
  /** Keys that are revoked here, and perhaps not in D1. */
  readonly #untold: Map<string, KeyRow>;

  /** @param takeableOf what can be taken back of an account's given and bought files: neither used nor in flight */
  constructor(tables: Tables, kept: Kept, takeableOf: (account: AccountRow) => number) {
    this.#tables = tables;
    this.#takeableOf = takeableOf;
    this.#mailbox = kept.mailbox;
    this.#accounts = new Map(kept.accounts.map((row) => [row.userId, row]));
    this.#payments = new Map(kept.payments.map((row) => [row.id, row]));
    this.#keys = new Map(kept.keys.map((row) => [row.id, row]));
    this.#keysByHash = new Map(kept.keys.map((row) => [row.hash, row]));
    this.#doubts = new Map(kept.doubts.map((doubt) => [doubt.id, doubt]));
    const untold = kept.keys.filter(({ isRevoked, isTold }) => isRevoked && !isTold);
    this.#untold = new Map(untold.map((row) => [row.id, row]));
  }

  get all(): readonly AccountRow[] {
    return [...this.#accounts.values()];
  }

  get keys(): readonly KeyRow[] {
    return [...this.#keys.values()];
  }

  find(userId: string): AccountRow | undefined {
    return this.#accounts.get(userId);
  }

  findKey(id: string): KeyRow | undefined {
    return this.#keys.get(id);
  }

  /** Of D1, up to which everything has been applied. */
  get version(): number {
    return this.#mailbox.version;
  }

  /**
   * Something is about to be taken away in D1, from the mailbox or from a key: until that is over, D1 is asked before a
   * file is reserved.
   * @param keyId null: of the whole mailbox
   * @param until milliseconds since 1970, by when it is over for certain
   * @returns what ends it
   */
  doubt(keyId: string | null, until: number): number {
    const id = 1 + Math.max(0, ...this.#doubts.keys());
    const doubt = { id, keyId, until };
    this.#doubts.set(id, doubt);
    this.#tables.saveDoubt(doubt);
    return id;
  }

  /** Whether D1 has to be asked before a file is reserved for a caller. */
  isDoubtful(caller: Caller): boolean {
    if (this.#doubts.size === 0) return false;
    const key = 'keyHash' in caller ? this.#keysByHash.get(caller.keyHash) : undefined;
    return [...this.#doubts.values()].some(({ keyId }) => keyId === null || keyId === key?.id);
  }

  /** What there was doubt about is over, and D1 has been asked since. */
  endDoubt(id: number): void {
    if (this.#doubts.delete(id)) this.#tables.deleteDoubt(id);
  }

  /** D1 has been asked at this time: whatever had to be over by then is. */
  endDoubtsUntil(at: number): void {
    for (const { id, until } of this.#doubts.values()) if (until <= at) this.endDoubt(id);
  }

  /**
   * Takes over what D1 says. Of each row the higher version stands, so what comes late undoes nothing; and what has been
   * revoked or deleted stays so.
   */
  apply({ version, accounts, keys, payments }: Changes): void {
    for (const found of accounts) this.#applyAccount(found);
    for (const found of keys) this.#applyKey(found);
    for (const found of payments) this.#applyPayment(found);
    if (version <= this.#mailbox.version) return;
    this.#mailbox.version = version;
    this.#tables.saveMailbox(this.#mailbox);
  }

  #applyAccount(found: Changes['accounts'][number]): void {
    const { userId, version, isDeleted, granted, used } = found;
    const known = this.#accounts.get(userId);
    if (known && known.version >= version) return;
    const account = known ?? {
      userId,
      version,
      isDeleted: false,
      granted: 0,
      credited: 0,
      used,
    };
    account.credited += granted - account.granted;
    account.granted = granted;
    account.isDeleted ||= isDeleted;
    account.version = version;
    this.#accounts.set(userId, account);
    this.#tables.saveAccount(account);
  }

  #applyKey(found: Changes['keys'][number]): void {
    const known = this.#keys.get(found.id);
    if (known && known.version >= found.version) return;
    const isRevoked = found.isRevoked || (known?.isRevoked ?? false);
    const { allTime, lastUsedAt, month, monthUsed } = known ?? found;
    const figures = { allTime, lastUsedAt, month, monthUsed };
    const key: KeyRow = { ...found, ...figures, isRevoked, isTold: found.isRevoked };
    this.#keys.set(key.id, key);
    this.#keysByHash.set(key.hash, key);
    if (key.isTold) this.#untold.delete(key.id);
    else if (key.isRevoked) this.#untold.set(key.id, key);
    this.#tables.saveKey(key);
  }

  /**
   * Adjusts a balance to what a payment entitles to now. Taking back stops at what is used or in flight, so `standing`
   * may be more than it entitles to; what could not be taken, because it was used, is not given a second time.
   */
  #applyPayment(found: Changes['payments'][number]): void {
    const { id, userId, version, granted } = found;
    const payment = this.#payments.get(id) ?? {
      ...{ id, userId, version: 0, granted: 0, standing: 0 },
      paidAt: found.paidAt,
    };
    const account = this.#accounts.get(userId);
    if (payment.version >= version || !account) return;
    const change =
      granted < payment.granted
        ? -Math.min(Math.max(0, this.#takeableOf(account)), payment.granted - granted)
        : Math.max(payment.standing, granted) - payment.standing;
    const isChanged = granted !== payment.granted && change !== 0;
    payment.version = version;
    payment.granted = granted;
    payment.paidAt = found.paidAt;
    if (isChanged) {
      payment.standing += change;
      account.credited += change;
      this.#tables.saveAccount(account);
    }
    this.#payments.set(id, payment);
    this.#tables.savePayment(payment);
  }

  /** The pack that an account has paid for last, of those that entitle it to something; null: none. */
  latestPack(userId: string): PaymentRow | null {
    const packs = [...this.#payments.values()].filter(
      (payment) => payment.userId === userId && payment.granted > 0,
    );
    packs.sort((one, other) => (other.paidAt ?? 0) - (one.paidAt ?? 0));
    return packs[0] ?? null;
  }

  /**
   * Whether a caller is refused without asking D1 again. That goes for expired keys, too: whoever extends one has the meter
   * take the change over, or leaves it in doubt.
   */
  isRefused(caller: Caller, now: number): boolean {
    if ('keyHash' in caller) {
      const key = this.#keysByHash.get(caller.keyHash);
      return key !== undefined && (isRevoked(key, now) || isExpired(key, now));
    }
    return this.#accounts.get(caller.userId)?.isDeleted ?? false;
  }

  /**
   * Refuses a key from now on, whatever D1 says of it: nothing undoes that, and D1 is told with the next flush.
   * @returns whether it was not refused already
   */
  revoke(key: { readonly id: string; readonly userId: string; readonly hash: string }): boolean {
    const known = this.#keys.get(key.id);
    if (known?.isRevoked) return false;
    const revoked = { ...(known ?? unknownKey), ...key, isRevoked: true, isTold: false };
    this.#keys.set(key.id, revoked);
    this.#keysByHash.set(revoked.hash, revoked);
    this.#untold.set(key.id, revoked);
    this.#tables.saveKey(revoked);
    return true;
  }

  /** Refuses an account and its keys from now on. What is in flight of it still counts. */
  erase(userId: string): void {
    const account = this.#accounts.get(userId) ?? {
      ...{ userId, version: 0, isDeleted: false },
      ...{ granted: 0, credited: 0, used: 0 },
    };
    if (account.isDeleted) return;
    account.isDeleted = true;
    this.#accounts.set(userId, account);
    this.#tables.saveAccount(account);
  }

  /** Who calls; null: nobody that is known here and may. */
  identify(caller: Caller, now: number): { account: AccountRow; key: KeyRow | null } | null {
    const key = 'keyHash' in caller ? this.#keysByHash.get(caller.keyHash) : null;
    if (key === undefined) return null;
    if (key && (isRevoked(key, now) || isExpired(key, now))) return null;
    const account = this.#accounts.get('userId' in caller ? caller.userId : (key?.userId ?? ''));
    if (!account || account.isDeleted) return null;
    return { account, key };
  }

  /** Whether a caller has a key that was good, and may be again when it is extended. */
  isExpired(caller: Caller, now: number): boolean {
    const key = 'keyHash' in caller ? this.#keysByHash.get(caller.keyHash) : undefined;
    return key !== undefined && isExpired(key, now) && !isRevoked(key, now);
  }

  /** Ids of keys that are revoked here, and perhaps not in D1. */
  get untold(): readonly string[] {
    return [...this.#untold.keys()];
  }

  /**
   * Forgets keys that are revoked for good, once D1 has their revocation and all their figures. D1 keeps a thousand records
   * of a user; nobody would ever look at more of them here. A call with such a key is a call with one that is not known.
   * @param isCounted whether there are figures of a key that D1 may not have
   */
  forgetEndedKeys(isCounted: (keyId: string) => boolean, now: number): void {
    for (const key of this.#keys.values()) {
      const isEnded = isRevoked(key, now) && (key.isTold || !key.isRevoked);
      if (!isEnded || isCounted(key.id)) continue;
      this.#keys.delete(key.id);
      this.#keysByHash.delete(key.hash);
      this.#tables.deleteKey(key.id);
    }
  }

  /** D1 knows of these revocations. */
  told(ids: readonly string[]): void {
    for (const id of ids) {
      const key = this.#keys.get(id);
      if (!key) continue;
      key.isTold = true;
      this.#untold.delete(id);
      this.#tables.saveKey(key);
    }
  }
}

/** What is kept of a key that nothing is known of yet. */
const unknownKey = {
  ...{ version: 0, allTime: 0, lastUsedAt: null, month: '', monthUsed: 0 },
  ...{ monthlyLimit: null, expiresAt: null, revokesAt: null },
};

function isRevoked(key: KeyRow, now: number): boolean {
  return key.isRevoked || (key.revokesAt !== null && key.revokesAt <= now);
}

function isExpired({ expiresAt }: KeyRow, now: number): boolean {
  return expiresAt !== null && expiresAt <= now;
}
