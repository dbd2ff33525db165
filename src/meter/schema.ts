import type { Erasure } from '../store/accounts.ts';

/**
 * The tables of a meter's own database (SQLite in the Durable Object), which is its only durable state. Every changed
 * row is billed, so a request changes two: its lane when it reserves, and the same lane when it settles. Files that are
 * fetched later and results of sites take two more.
 */
const initialSchema = `
  CREATE TABLE IF NOT EXISTS mailbox (
    one            INTEGER PRIMARY KEY CHECK (one = 1),
    version        INTEGER NOT NULL,  -- highest version seen in D1
    free_month     TEXT NOT NULL,     -- the month that free_used belongs to
    free_used      INTEGER NOT NULL,  -- not counting the lanes
    uncharged_day  TEXT NOT NULL,     -- day of the next two columns, as first loaded from D1
    uncharged      INTEGER NOT NULL,
    uncharged_cpu  INTEGER NOT NULL,
    flush          INTEGER NOT NULL,  -- number of the latest flush begun
    flushed_seq    INTEGER NOT NULL   -- D1 has all lanes up to this seq
  ) STRICT;
  CREATE TABLE IF NOT EXISTS accounts (
    user_id     TEXT PRIMARY KEY,
    version     INTEGER NOT NULL,
    is_deleted  INTEGER NOT NULL,
    granted     INTEGER NOT NULL,     -- files granted by the operator so far
    credited    INTEGER NOT NULL,     -- files granted and bought, less those taken back
    used        INTEGER NOT NULL      -- used ones of these, not counting the lanes
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS payments (
    id        TEXT PRIMARY KEY,
    user_id   TEXT NOT NULL,
    version   INTEGER NOT NULL,
    granted   INTEGER NOT NULL,       -- files it entitled to when last applied
    standing  INTEGER NOT NULL        -- files the account actually received for it
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS keys (
    id            TEXT PRIMARY KEY,
    user_id       TEXT NOT NULL,
    hash          TEXT NOT NULL,
    version       INTEGER NOT NULL,
    is_revoked    INTEGER NOT NULL,
    is_told       INTEGER NOT NULL,   -- 1: D1 has the revocation, if there is one
    all_time      INTEGER NOT NULL,   -- files, not counting the lanes
    last_used_at  INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS lanes (
    id             INTEGER PRIMARY KEY,
    user_id        TEXT NOT NULL,
    key_id         TEXT NOT NULL,
    day            TEXT NOT NULL,
    seq            INTEGER NOT NULL,  -- increases with every changed figure
    files          INTEGER NOT NULL,
    bytes_in       INTEGER NOT NULL,
    bytes_out      INTEGER NOT NULL,
    bytes_saved    INTEGER NOT NULL,
    free           INTEGER NOT NULL,
    paid           INTEGER NOT NULL,
    uncharged      INTEGER NOT NULL,
    uncharged_cpu  INTEGER NOT NULL,
    last_used_at   INTEGER,
    reservation    TEXT,              -- request in flight, and its purpose; null: none
    pool           TEXT,              -- none: it is not charged again
    cpu            INTEGER NOT NULL,
    expires_at     INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS doubts (
    id      INTEGER PRIMARY KEY,
    key_id  TEXT,                     -- null: the whole mailbox
    until   INTEGER NOT NULL          -- when it has certainly ended
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
  ALTER TABLE keys ADD COLUMN month_used INTEGER NOT NULL DEFAULT 0; -- charged files, not counting the lanes
  ALTER TABLE payments ADD COLUMN paid_at INTEGER;
  CREATE TABLE quota_mails (
    kind     TEXT NOT NULL,
    period   TEXT NOT NULL,     -- month of the free files, or id of the payment
    user_id  TEXT NOT NULL,     -- user whose file made it due
    origin   TEXT NOT NULL,     -- origin of its links
    is_done  INTEGER NOT NULL,  -- 1: sent, being sent, or dropped
    PRIMARY KEY (kind, period)
  ) STRICT, WITHOUT ROWID`;

/** Files without a key, of before, become those of a key whose record is gone, as in migrations/0005. */
const noUploadsFromPages = `
  UPDATE lanes SET key_id = 'key_0000000000000000' WHERE key_id = ''`;

/**
 * A table of its own, and no column of another one: a Worker of before writes whole rows, and deletes what was charged
 * an hour ago. The key is the order in which rows are counted and deleted.
 */
const madeResults = `
  CREATE TABLE made_results (
    user_id     TEXT NOT NULL,
    month       TEXT NOT NULL,     -- of the reservation; cleared once it is over
    site_id     TEXT NOT NULL,
    file        TEXT NOT NULL,     -- begins with the pseudonym of the image
    is_charged  INTEGER NOT NULL,  -- 1: not charged again in this month
    PRIMARY KEY (user_id, month, site_id, file)
  ) STRICT, WITHOUT ROWID`;

const identity = ['id', 'user_id', 'version'];

/**
 * What becomes of the rows of an account that is deleted. A meter knows no address, label or secret, so nothing of a
 * person is in it.
 * @internal
 */
export const meterErasures: Readonly<Record<string, Erasure>> = {
  accounts: {
    erased: [],
    kept: {
      'refuse the account': ['user_id', 'version', 'is_deleted'],
      'the balance that late refunds change': ['granted', 'credited', 'used'],
    },
  },
  payments: {
    erased: [],
    kept: {
      'the balance that late refunds change': [...identity, 'granted', 'standing', 'paid_at'],
    },
  },
  keys: {
    erased: [],
    kept: {
      'refuse the key, until D1 has its figures and the row is removed': [
        ...[...identity, 'hash', 'is_revoked', 'is_told', 'expires_at', 'revokes_at'],
        ...['all_time', 'last_used_at', 'monthly_limit', 'month', 'month_used'],
      ],
    },
  },
  lanes: {
    erased: [],
    kept: {
      'anonymous figures, until D1 has them and the next day is over': [
        ...[
          'id',
          'user_id',
          'key_id',
          'day',
          'seq',
          'files',
          'bytes_in',
          'bytes_out',
          'bytes_saved',
        ],
        ...['free', 'paid', 'uncharged', 'uncharged_cpu', 'last_used_at'],
      ],
      'a request in flight, which ends as if the account were there': [
        ...['reservation', 'pool', 'cpu', 'expires_at'],
      ],
    },
  },
  charged_files: {
    erased: [],
    kept: { 'a pseudonym that nothing else has, for an hour': ['user_id', 'file', 'charged_at'] },
  },
  made_results: { erased: 'rows', kept: {} },
  quota_mails: {
    erased: [],
    kept: {
      'the mail is dropped, and is not due again': ['kind', 'period', 'user_id', 'is_done'],
      'the address of the service itself': ['origin'],
    },
  },
};

/** The steps that create the tables; each is applied once to the database of each meter. */
export const schemaSteps = [initialSchema, keyOptions, noUploadsFromPages, madeResults];

/**
 * What has to be changed in a copy of a meter’s database that was made after a copy of D1, which is attached as `d1`. D1 lacks
 * what the meter has told it since, so the copy tells it again: sums are absolute and numbered, so telling them twice changes
 * nothing. Accounts that began since do not exist there, and have no figures.
 * @param firstDay the day before that of the copy of D1, as `2026-11-30`; sums of earlier days are in it
 */
export function toldAgain(firstDay: string): readonly string[] {
  return [
    `UPDATE mailbox SET flushed_seq = min(flushed_seq, coalesce(
       (SELECT min(seq) - 1 FROM lanes WHERE day >= '${firstDay}'), flushed_seq))`,
    'DELETE FROM lanes WHERE NOT EXISTS (SELECT 1 FROM d1.users WHERE id = lanes.user_id)',
    'UPDATE keys SET is_told = 0 WHERE is_revoked = 1',
  ];
}
