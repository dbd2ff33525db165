import type { Changes } from '../store/mailboxes.ts';
import type { AccountRow, Doubt, KeyRow, MailboxRow, PaymentRow, StoredState } from './rows.ts';
import type { Tables } from './tables.ts';

/** Whose balance is asked for: an API key, given by its hash, or a signed-in user. */
export type Caller = { readonly keyHash: string } | { readonly userId: string };

/**
 * The accounts of a mailbox with their keys and payments: copies of the data in D1, plus removals that D1 may not have
 * yet. Held in memory, with every change written to the tables.
 */
export class Accounts {
  readonly #tables: Tables;
  readonly #removableFilesOf: (account: AccountRow) => number;
  readonly #mailbox: MailboxRow;
  readonly #accounts: Map<string, AccountRow>;
  readonly #payments: Map<string, PaymentRow>;
  readonly #keys: Map<string, KeyRow>;
  readonly #keysByHash: Map<string, KeyRow>;
  readonly #doubts: Map<number, Doubt>;
  /** Keys that are revoked here, but perhaps not yet in D1. */
  readonly #unreported: Map<string, KeyRow>;

  /**
   * @param removableFilesOf number of an account's granted and bought files that can be taken back, because they are
   *   neither used nor in flight
   */
  constructor(
    tables: Tables,
    kept: StoredState,
    removableFilesOf: (account: AccountRow) => number,
  ) {
    this.#tables = tables;
    this.#removableFilesOf = removableFilesOf;
    this.#mailbox = kept.mailbox;
    this.#accounts = new Map(kept.accounts.map((row) => [row.userId, row]));
    this.#payments = new Map(kept.payments.map((row) => [row.id, row]));
    this.#keys = new Map(kept.keys.map((row) => [row.id, row]));
    this.#keysByHash = new Map(kept.keys.map((row) => [row.hash, row]));
    this.#doubts = new Map(kept.doubts.map((doubt) => [doubt.id, doubt]));
    const unreported = kept.keys.filter(({ isRevoked, isReported }) => isRevoked && !isReported);
    this.#unreported = new Map(unreported.map((row) => [row.id, row]));
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

  /** The version of D1 up to which all changes have been applied. */
  get version(): number {
    return this.#mailbox.version;
  }

  /**
   * Records a doubt: D1 is about to take something away from the mailbox or a key, so it is asked before each
   * reservation until that is over.
   * @param keyId the affected key; null for the whole mailbox
   * @param until milliseconds since 1970 at which the change has certainly ended
   * @returns the id with which `endDoubt` ends the doubt
   */
  doubt(keyId: string | null, until: number): number {
    const id = 1 + Math.max(0, ...this.#doubts.keys());
    const doubt = { id, keyId, until };
    this.#doubts.set(id, doubt);
    this.#tables.saveDoubt(doubt);
    return id;
  }

  /** Whether D1 has to be asked before a file is reserved for a key, given by its hash. */
  isDoubtful(hash: string): boolean {
    if (this.#doubts.size === 0) return false;
    const key = this.#keysByHash.get(hash);
    return [...this.#doubts.values()].some(({ keyId }) => keyId === null || keyId === key?.id);
  }

  /** Ends a doubt: the change is complete, and D1 has been asked since. */
  endDoubt(id: number): void {
    if (this.#doubts.delete(id)) this.#tables.deleteDoubt(id);
  }

  /** Ends the doubts that had certainly expired when D1 was asked at this time. */
  endDoubtsUntil(at: number): void {
    for (const { id, until } of this.#doubts.values()) if (until <= at) this.endDoubt(id);
  }

  /**
   * Applies changes from D1. For each row the higher version wins, so late changes undo nothing, and revocations and
   * deletions are permanent.
   */
  apply({ version, accounts, keys, payments, isWhole = false }: Changes): void {
    for (const found of accounts) this.#applyAccount(found);
    for (const found of keys) this.#applyKey(found);
    for (const found of payments) this.#applyPayment(found);
    if (version < this.#mailbox.version) return;
    if (isWhole) this.#loseKeys(new Set(keys.map(({ id }) => id)));
    if (version === this.#mailbox.version) return;
    this.#mailbox.version = version;
    this.#tables.saveMailbox(this.#mailbox);
  }

  /**
   * Loses all keys and sites of a mailbox that D1 lacks, and forgets what it has seen of D1: if D1 has the mailbox again, they
   * come back.
   */
  loseMailbox(): void {
    this.#loseKeys(new Set());
    if (this.#mailbox.version === 0) return;
    this.#mailbox.version = 0;
    this.#tables.saveMailbox(this.#mailbox);
  }

  /**
   * Loses the keys and sites that a restored D1 lacks, which nobody could revoke any more. They are refused as unknown ones
   * are: until D1 has them again.
   * @param known the ids of those that it has
   */
  #loseKeys(known: ReadonlySet<string>): void {
    for (const key of this.#keys.values()) {
      const hash = `lost ${key.id}`;
      // One that was revoked is refused anyway.
      if (known.has(key.id) || key.isRevoked || key.hash === hash) continue;
      this.#keysByHash.delete(key.hash);
      // Its figures stay: those of D1 have some of what the lanes have, too.
      const lost = { ...key, hash, version: 0 };
      this.#keys.set(key.id, lost);
      this.#keysByHash.set(lost.hash, lost);
      this.#tables.saveKey(lost);
    }
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
    const key: KeyRow = { ...found, ...figures, isRevoked, isReported: found.isRevoked };
    this.#keys.set(key.id, key);
    if (known) this.#keysByHash.delete(known.hash);
    this.#keysByHash.set(key.hash, key);
    if (key.isReported) this.#unreported.delete(key.id);
    else if (key.isRevoked) this.#unreported.set(key.id, key);
    this.#tables.saveKey(key);
  }

  /**
   * Adjusts a balance to what a payment entitles to now. Only files that are neither used nor in flight are taken back,
   * so `standing` may exceed the entitlement; files that could not be taken back are not credited a second time.
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
        ? -Math.min(Math.max(0, this.#removableFilesOf(account)), payment.granted - granted)
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

  /** The latest paid pack of an account that still entitles it to files; null if there is none. */
  latestPack(userId: string): PaymentRow | null {
    const packs = [...this.#payments.values()].filter(
      (payment) => payment.userId === userId && payment.granted > 0,
    );
    packs.sort((one, other) => (other.paidAt ?? 0) - (one.paidAt ?? 0));
    return packs[0] ?? null;
  }

  /**
   * Whether a key can be refused without asking D1 again. This includes expired keys: extending a key makes the meter
   * apply the change, or leaves a doubt.
   */
  isRefused(hash: string, now: number): boolean {
    const key = this.#keysByHash.get(hash);
    return key !== undefined && (isRevoked(key, now) || isExpired(key, now));
  }

  /**
   * Revokes a key permanently, whatever D1 says; D1 gets the revocation with the next flush.
   * @returns whether the key was not revoked before
   */
  revoke(key: { readonly id: string; readonly userId: string; readonly hash: string }): boolean {
    const known = this.#keys.get(key.id);
    if (known?.isRevoked) return false;
    const revoked = { ...(known ?? unknownKey), ...key, isRevoked: true, isReported: false };
    this.#keys.set(key.id, revoked);
    this.#keysByHash.set(revoked.hash, revoked);
    this.#unreported.set(key.id, revoked);
    this.#tables.saveKey(revoked);
    return true;
  }

  /** Refuses an account and its keys from now on. Its requests in flight still count. */
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

  /** The key with a hash, and its account; null if it is unknown here or not allowed. */
  identify(hash: string, now: number): { account: AccountRow; key: KeyRow } | null {
    const key = this.#keysByHash.get(hash);
    if (!key || isRevoked(key, now) || isExpired(key, now)) return null;
    const account = this.find(key.userId);
    return account && !account.isDeleted ? { account, key } : null;
  }

  /** The account whose balance is asked for; null if it is unknown here, or its key is not allowed. */
  accountOf(caller: Caller, now: number): AccountRow | null {
    if ('keyHash' in caller) return this.identify(caller.keyHash, now)?.account ?? null;
    const account = this.find(caller.userId);
    return account && !account.isDeleted ? account : null;
  }

  /** Whether a key has expired and would work again if it were extended. */
  isExpired(hash: string, now: number): boolean {
    const key = this.#keysByHash.get(hash);
    return key !== undefined && isExpired(key, now) && !isRevoked(key, now);
  }

  /** Ids of keys that are revoked here, but perhaps not yet in D1. */
  get unreported(): readonly string[] {
    return [...this.#unreported.keys()];
  }

  /**
   * Removes permanently revoked keys, once D1 has their revocation and all their figures. D1 keeps a thousand records
   * per user; nothing ever reads older ones here. Calls with such a key are treated as calls with an unknown key.
   * @param isCounted whether there are figures of a key that D1 may not have
   */
  forgetEndedKeys(isCounted: (keyId: string) => boolean, now: number): void {
    for (const key of this.#keys.values()) {
      const isEnded = isRevoked(key, now) && (key.isReported || !key.isRevoked);
      if (!isEnded || isCounted(key.id)) continue;
      this.#keys.delete(key.id);
      this.#keysByHash.delete(key.hash);
      this.#tables.deleteKey(key.id);
    }
  }

  /** Records that D1 has these revocations. */
  markReported(ids: readonly string[]): void {
    for (const id of ids) {
      const key = this.#keys.get(id);
      if (!key) continue;
      key.isReported = true;
      this.#unreported.delete(id);
      this.#tables.saveKey(key);
    }
  }
}

/** Default values of a key about which nothing is known yet. */
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
