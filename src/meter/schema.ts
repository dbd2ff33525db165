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
export const steps = [initialSchema, keyOptions];
