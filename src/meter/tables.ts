import type { QuotaMailKind } from '../policy/quota-mails.ts';

/**
 * The tables of a meter's own database (SQLite within the Durable Object), which is all that lasts of it. Every changed
 * row is paid for, so a request changes two: its lane when it reserves, and the same lane when it settles. What is charged
 * once in an hour, and what is fetched later, takes a few more.
 */
const initialSchema = `
  CREATE TABLE IF NOT EXISTS mailbox (
    one            INTEGER PRIMARY KEY CHECK (one = 1),
    version        INTEGER NOT NULL,  -- the highest that was seen in D1
    free_month     TEXT NOT NULL,     -- the month that free_used belongs to
    free_used      INTEGER NOT NULL,  -- without what the lanes have
    uncharged_day  TEXT NOT NULL,     -- the day that the next two belong to, as D1 had them at first
    uncharged      INTEGER NOT NULL,
    uncharged_cpu  INTEGER NOT NULL,
    flush          INTEGER NOT NULL,  -- number of the latest flush that was begun
    flushed_seq    INTEGER NOT NULL   -- lanes up to this one are in D1
  ) STRICT;
  CREATE TABLE IF NOT EXISTS accounts (
    user_id     TEXT PRIMARY KEY,
    version     INTEGER NOT NULL,
    is_deleted  INTEGER NOT NULL,
    granted     INTEGER NOT NULL,     -- files given by the operator so far
    credited    INTEGER NOT NULL,     -- files given and bought, less those that were taken back
    used        INTEGER NOT NULL      -- of these, without what the lanes have
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS payments (
    id        TEXT PRIMARY KEY,
    user_id   TEXT NOT NULL,
    version   INTEGER NOT NULL,
    granted   INTEGER NOT NULL,       -- what it entitled to when that was applied last
    standing  INTEGER NOT NULL        -- what the account has really got of it
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS keys (
    id            TEXT PRIMARY KEY,
    user_id       TEXT NOT NULL,
    hash          TEXT NOT NULL,
    version       INTEGER NOT NULL,
    is_revoked    INTEGER NOT NULL,
    is_told       INTEGER NOT NULL,   -- 1: D1 knows that it is revoked, if it is
    all_time      INTEGER NOT NULL,   -- files, without those of the lanes
    last_used_at  INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS lanes (
    id             INTEGER PRIMARY KEY,
    user_id        TEXT NOT NULL,
    key_id         TEXT NOT NULL,     -- empty: the cabinet
    day            TEXT NOT NULL,
    seq            INTEGER NOT NULL,  -- rises with every change of a figure
    files          INTEGER NOT NULL,
    bytes_in       INTEGER NOT NULL,
    bytes_out      INTEGER NOT NULL,
    bytes_saved    INTEGER NOT NULL,
    free           INTEGER NOT NULL,
    paid           INTEGER NOT NULL,
    uncharged      INTEGER NOT NULL,
    uncharged_cpu  INTEGER NOT NULL,
    last_used_at   INTEGER,
    reservation    TEXT,              -- the request in flight, and what its result is for; null: none
    pool           TEXT,              -- none: it is not charged again
    cpu            INTEGER NOT NULL,
    expires_at     INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS doubts (
    id      INTEGER PRIMARY KEY,
    key_id  TEXT,                     -- null: of the whole mailbox
    until   INTEGER NOT NULL          -- by then it is over for certain
  ) STRICT;
  CREATE TABLE IF NOT EXISTS charged_files (
    user_id     TEXT NOT NULL,
    file        TEXT NOT NULL,
    charged_at  INTEGER NOT NULL,
    PRIMARY KEY (user_id, file)
  ) STRICT, WITHOUT ROWID`;

const keyOptions = `
  ALTER TABLE keys ADD COLUMN monthly_limit INTEGER;           -- charged files; null: no limit
  ALTER TABLE keys ADD COLUMN expires_at INTEGER;              -- refused from then on; null: never
  ALTER TABLE keys ADD COLUMN revokes_at INTEGER;              -- replaced, and revoked from then on; null: not replaced
  ALTER TABLE keys ADD COLUMN month TEXT NOT NULL DEFAULT '';  -- the month that month_used belongs to
  ALTER TABLE keys ADD COLUMN month_used INTEGER NOT NULL DEFAULT 0; -- charged files, without what the lanes have
  ALTER TABLE payments ADD COLUMN paid_at INTEGER;
  CREATE TABLE quota_mails (
    kind     TEXT NOT NULL,
    period   TEXT NOT NULL,     -- the month whose free files it is about, or the id of the payment
    user_id  TEXT NOT NULL,     -- whose file made it due
    origin   TEXT NOT NULL,     -- of the links in it
    is_done  INTEGER NOT NULL,  -- 1: it has been sent, or is being sent, or never will be
    PRIMARY KEY (kind, period)
  ) STRICT, WITHOUT ROWID`;

/** What leads to the tables, step by step; each is applied once to the tables of each meter. */
const steps = [initialSchema, keyOptions];

/** What is kept of the mailbox as a whole. Figures are those before the lanes'. */
export interface MailboxRow {
  version: number;
  freeMonth: string;
  freeUsed: number;
  unchargedDay: string;
  uncharged: number;
  unchargedCpu: number;
  flush: number;
  flushedSeq: number;
}

export interface AccountRow {
  readonly userId: string;
  version: number;
  isDeleted: boolean;
  granted: number;
  credited: number;
  used: number;
}

export interface PaymentRow {
  readonly id: string;
  readonly userId: string;
  version: number;
  granted: number;
  standing: number;
  /** Milliseconds since 1970; null: no money has come. */
  paidAt: number | null;
}

export interface KeyRow {
  readonly id: string;
  readonly userId: string;
  hash: string;
  version: number;
  isRevoked: boolean;
  isTold: boolean;
  allTime: number;
  lastUsedAt: number | null;
  /** Charged files of a month that it may use; null: no limit. */
  monthlyLimit: number | null;
  /** Milliseconds since 1970, from when it is refused until it is extended; null: never. */
  expiresAt: number | null;
  /** Milliseconds since 1970, from when it is revoked, since it has been replaced; null: it has not. */
  revokesAt: number | null;
  /** The month that `monthUsed` belongs to, YYYY-MM. */
  month: string;
  /** Charged files. */
  monthUsed: number;
}

/** A mail that is due, or has been: each is sent at most once. */
export interface QuotaMailRow {
  readonly kind: QuotaMailKind;
  /** The month whose free files it is about, or the id of the payment. */
  readonly period: string;
  /** Whose file made it due. */
  readonly userId: string;
  /** Of the links in it. */
  readonly origin: string;
  isDone: boolean;
}

/** What a file is taken from; `none`: it has been charged before, and is not charged again. */
export type Pool = 'free' | 'paid' | 'none';

/** A file that is promised to a request in flight. */
export interface Reservation {
  readonly id: string;
  readonly pool: Pool;
  /** Milliseconds of computing time that are set aside for it. */
  readonly cpu: number;
  readonly expiresAt: number;
  /** A result is made for a later request, which takes over the reservation. Where none does, it lapses as uncharged work. */
  readonly awaitsFetch: boolean;
  /** The reservation that was taken over with what it was for; null: none. Where it is given back, that one stands again. */
  readonly takenOver: TakenOver | null;
}

/** Part of a reservation for a result that was made for a later request. */
export type TakenOver = Pick<Reservation, 'id' | 'cpu' | 'expiresAt'>;

/**
 * What one key (or the cabinet) has used on a day, and one request in flight of it: as many lanes as there were requests
 * at the same time. The figures of the day are the sums over its lanes.
 */
export interface LaneRow {
  readonly id: number;
  readonly userId: string;
  readonly keyId: string;
  readonly day: string;
  seq: number;
  files: number;
  bytesIn: number;
  bytesOut: number;
  bytesSaved: number;
  free: number;
  paid: number;
  uncharged: number;
  unchargedCpu: number;
  lastUsedAt: number | null;
  reservation: Reservation | null;
}

/** Something is being taken away in D1: until that is over, what is known here may be out of date. */
export interface Doubt {
  readonly id: number;
  /** Of the key that it is taken from; null: of the whole mailbox. */
  readonly keyId: string | null;
  /** Milliseconds since 1970, by when it is over for certain. */
  readonly until: number;
}

/** All that lasts, as it is read when a meter wakes up; null: it has never been loaded. */
export interface Kept {
  readonly mailbox: MailboxRow;
  readonly accounts: readonly AccountRow[];
  readonly payments: readonly PaymentRow[];
  readonly keys: readonly KeyRow[];
  readonly lanes: readonly LaneRow[];
  readonly doubts: readonly Doubt[];
  readonly quotaMails: readonly QuotaMailRow[];
}

type Row = Record<string, SqlStorageValue>;

/** Reads and writes the tables; every call is a transaction with those around it that nothing is awaited between. */
export class Tables {
  readonly #sql: SqlStorage;

  /** Rows that were written since the object came into memory, as they are paid for. */
  rowsWritten = 0;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    sql.exec('CREATE TABLE IF NOT EXISTS schema_steps (step INTEGER PRIMARY KEY) STRICT');
    const applied = this.#rows('SELECT step FROM schema_steps').length;
    for (const [step, statements] of steps.entries()) {
      if (step < applied) continue;
      sql.exec(statements);
      sql.exec('INSERT INTO schema_steps VALUES (?)', step);
    }
  }

  read(): Kept | null {
    const [mailbox] = this.#rows('SELECT * FROM mailbox');
    if (mailbox === undefined) return null;
    return {
      mailbox: {
        version: number(mailbox.version),
        freeMonth: text(mailbox.free_month),
        freeUsed: number(mailbox.free_used),
        unchargedDay: text(mailbox.uncharged_day),
        uncharged: number(mailbox.uncharged),
        unchargedCpu: number(mailbox.uncharged_cpu),
        flush: number(mailbox.flush),
        flushedSeq: number(mailbox.flushed_seq),
      },
      accounts: this.#rows('SELECT * FROM accounts').map((row) => ({
        userId: text(row.user_id),
        version: number(row.version),
        isDeleted: row.is_deleted === 1,
        granted: number(row.granted),
        credited: number(row.credited),
        used: number(row.used),
      })),
      payments: this.#rows('SELECT * FROM payments').map((row) => ({
        id: text(row.id),
        userId: text(row.user_id),
        version: number(row.version),
        granted: number(row.granted),
        standing: number(row.standing),
        paidAt: numberOrNull(row.paid_at),
      })),
      keys: this.#rows('SELECT * FROM keys').map((row) => ({
        id: text(row.id),
        userId: text(row.user_id),
        hash: text(row.hash),
        version: number(row.version),
        isRevoked: row.is_revoked === 1,
        isTold: row.is_told === 1,
        allTime: number(row.all_time),
        lastUsedAt: numberOrNull(row.last_used_at),
        monthlyLimit: numberOrNull(row.monthly_limit),
        expiresAt: numberOrNull(row.expires_at),
        revokesAt: numberOrNull(row.revokes_at),
        month: text(row.month),
        monthUsed: number(row.month_used),
      })),
      lanes: this.#rows('SELECT * FROM lanes ORDER BY id').map(laneOf),
      doubts: this.#rows('SELECT * FROM doubts').map((row) => ({
        id: number(row.id),
        keyId: row.key_id === null ? null : text(row.key_id),
        until: number(row.until),
      })),
      quotaMails: this.#rows('SELECT * FROM quota_mails').map((row) => ({
        kind: text(row.kind) as QuotaMailKind,
        period: text(row.period),
        userId: text(row.user_id),
        origin: text(row.origin),
        isDone: row.is_done === 1,
      })),
    };
  }

  saveMailbox(row: MailboxRow): void {
    this.#write(
      'INSERT OR REPLACE INTO mailbox VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?)',
      ...[row.version, row.freeMonth, row.freeUsed],
      ...[row.unchargedDay, row.uncharged, row.unchargedCpu, row.flush, row.flushedSeq],
    );
  }

  saveAccount({ userId, version, isDeleted, granted, credited, used }: AccountRow): void {
    const values = [userId, version, isDeleted ? 1 : 0, granted, credited, used];
    this.#write('INSERT OR REPLACE INTO accounts VALUES (?, ?, ?, ?, ?, ?)', ...values);
  }

  savePayment({ id, userId, version, granted, standing, paidAt }: PaymentRow): void {
    const values = [id, userId, version, granted, standing, paidAt];
    this.#write('INSERT OR REPLACE INTO payments VALUES (?, ?, ?, ?, ?, ?)', ...values);
  }

  saveKey(row: KeyRow): void {
    this.#write(
      'INSERT OR REPLACE INTO keys VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
      ...[row.id, row.userId, row.hash, row.version, row.isRevoked ? 1 : 0, row.isTold ? 1 : 0],
      ...[row.allTime, row.lastUsedAt, row.monthlyLimit, row.expiresAt, row.revokesAt],
      ...[row.month, row.monthUsed],
    );
  }

  deleteKey(id: string): void {
    this.#write('DELETE FROM keys WHERE id = ?', id);
  }

  saveLane(lane: LaneRow): void {
    const { reservation } = lane;
    this.#write(
      'INSERT OR REPLACE INTO lanes VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
      ...[lane.id, lane.userId, lane.keyId, lane.day, lane.seq],
      ...[lane.files, lane.bytesIn, lane.bytesOut, lane.bytesSaved, lane.free, lane.paid],
      ...[lane.uncharged, lane.unchargedCpu, lane.lastUsedAt],
      ...(reservation === null
        ? [null, null, 0, 0]
        : [idText(reservation), reservation.pool, reservation.cpu, reservation.expiresAt]),
    );
  }

  saveQuotaMail({ kind, period, userId, origin, isDone }: QuotaMailRow): void {
    const values = [kind, period, userId, origin, isDone ? 1 : 0];
    this.#write('INSERT OR REPLACE INTO quota_mails VALUES (?, ?, ?, ?, ?)', ...values);
  }

  saveDoubt({ id, keyId, until }: Doubt): void {
    this.#write('INSERT INTO doubts VALUES (?, ?, ?)', id, keyId, until);
  }

  deleteDoubt(id: number): void {
    this.#write('DELETE FROM doubts WHERE id = ?', id);
  }

  deleteLane(id: number): void {
    this.#write('DELETE FROM lanes WHERE id = ?', id);
  }

  /** When a file that is charged once in an hour was charged; null: never, as far as that is still known. */
  chargedAt(userId: string, file: string): number | null {
    const [row] = this.#rows(
      'SELECT charged_at FROM charged_files WHERE user_id = ? AND file = ?',
      userId,
      file,
    );
    return row === undefined ? null : number(row.charged_at);
  }

  markCharged(userId: string, file: string, now: number): void {
    this.#write('INSERT OR REPLACE INTO charged_files VALUES (?, ?, ?)', userId, file, now);
  }

  /** Forgets the files that were charged until then, and all files of accounts that are gone. */
  forgetCharged(until: number): void {
    this.#write(
      `DELETE FROM charged_files WHERE charged_at <= ?
       OR user_id IN (SELECT user_id FROM accounts WHERE is_deleted = 1)`,
      until,
    );
  }

  #write(sql: string, ...values: SqlStorageValue[]): void {
    this.rowsWritten += this.#sql.exec(sql, ...values).rowsWritten;
  }

  #rows(sql: string, ...values: SqlStorageValue[]): Row[] {
    return this.#sql.exec(sql, ...values).toArray();
  }
}

function laneOf(row: Row): LaneRow {
  return {
    id: number(row.id),
    userId: text(row.user_id),
    keyId: text(row.key_id),
    day: text(row.day),
    seq: number(row.seq),
    files: number(row.files),
    bytesIn: number(row.bytes_in),
    bytesOut: number(row.bytes_out),
    bytesSaved: number(row.bytes_saved),
    free: number(row.free),
    paid: number(row.paid),
    uncharged: number(row.uncharged),
    unchargedCpu: number(row.uncharged_cpu),
    lastUsedAt: numberOrNull(row.last_used_at),
    reservation:
      row.reservation === null
        ? null
        : {
            ...idsIn(text(row.reservation)),
            pool: row.pool === 'paid' || row.pool === 'none' ? row.pool : 'free',
            cpu: number(row.cpu),
            expiresAt: number(row.expires_at),
          },
  };
}

type Ids = Pick<Reservation, 'id' | 'awaitsFetch' | 'takenOver'>;

/** All of it in one column, so that a Worker of an earlier version reads and writes the row as well. */
function idText({ id, awaitsFetch, takenOver }: Ids): string {
  if (awaitsFetch) return `${id} awaits`;
  return takenOver ? `${id} for ${takenOver.id} ${takenOver.cpu} ${takenOver.expiresAt}` : id;
}

function idsIn(column: string): Ids {
  const [id = '', word, from = '', cpu, expiresAt] = column.split(' ');
  const takenOver =
    word === 'for' ? { id: from, cpu: Number(cpu), expiresAt: Number(expiresAt) } : null;
  return { id, awaitsFetch: word === 'awaits', takenOver };
}

const number = (value: SqlStorageValue | undefined): number => Number(value);
const text = (value: SqlStorageValue | undefined): string => String(value);
const numberOrNull = (value: SqlStorageValue | undefined): number | null =>
  value === null || value === undefined ? null : Number(value);
