-- The first numbered version. A database from shortly before has these tables, all of them or without those of
-- payments: hence IF NOT EXISTS. One that lacks a column, such as users.former_address, is older: this fails at its
-- index then, and nothing is applied.

CREATE TABLE IF NOT EXISTS users (
  id              TEXT PRIMARY KEY,
  email           TEXT UNIQUE,                                      -- normalized; null: the account was deleted
  plan            TEXT NOT NULL DEFAULT 'free' CHECK (plan IN ('free', 'paid')), -- paid: since the first payment
  paid_files      INTEGER NOT NULL DEFAULT 0 CHECK (paid_files >= 0), -- bought and not used yet
  free_month      TEXT NOT NULL DEFAULT '',                         -- the month that free_used belongs to, YYYY-MM
  free_used       INTEGER NOT NULL DEFAULT 0 CHECK (free_used >= 0),
  uncharged_day   TEXT NOT NULL DEFAULT '',                         -- the day that uncharged_used belongs to, YYYY-MM-DD
  uncharged_used  INTEGER NOT NULL DEFAULT 0,                       -- answers that cost work and were not charged
  former_address  TEXT,                                             -- of a deleted account: HMAC, until its month is over
  created_at      INTEGER NOT NULL                                  -- all times: milliseconds since 1970, UTC
) STRICT;
CREATE INDEX IF NOT EXISTS users_by_former_address ON users (former_address) WHERE former_address IS NOT NULL;

-- A sign-in code that was asked for. The code itself is in KV, as an HMAC, under the same id.
CREATE TABLE IF NOT EXISTS challenges (
  id           TEXT PRIMARY KEY,                                    -- SHA-256 of the challenge cookie, hexadecimal
  address      TEXT NOT NULL,                                       -- for whom: HMAC of the normalized address
  network      TEXT NOT NULL,                                       -- who asked: HMAC of the IPv4 address or IPv6 /64
  digits       INTEGER NOT NULL,                                    -- length of the code
  created_at   INTEGER NOT NULL,
  expires_at   INTEGER NOT NULL,
  sent_at      INTEGER,                                             -- null: the mail has not gone out
  ended_at     INTEGER,                                             -- used, or replaced by a later one
  consumed_by  TEXT                                                 -- the try that used it
) STRICT;
CREATE INDEX IF NOT EXISTS challenges_by_address ON challenges (address, created_at);
CREATE INDEX IF NOT EXISTS challenges_by_network ON challenges (network, created_at);

-- One code that someone entered. Counted as a failure until it has proved right.
CREATE TABLE IF NOT EXISTS code_tries (
  id            TEXT PRIMARY KEY,
  challenge_id  TEXT REFERENCES challenges (id),                    -- null: nothing was there to compare with
  with_cookie   INTEGER NOT NULL,
  network       TEXT NOT NULL,                                      -- HMAC, as in challenges
  tried_at      INTEGER NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS code_tries_by_challenge ON code_tries (challenge_id, with_cookie);
CREATE INDEX IF NOT EXISTS code_tries_by_network ON code_tries (network, tried_at) WHERE challenge_id IS NOT NULL;

-- Sessions that have not been ended; each has an entry in KV besides.
CREATE TABLE IF NOT EXISTS sessions (
  hash        TEXT PRIMARY KEY,                                     -- SHA-256 of the cookie, hexadecimal
  user_id     TEXT NOT NULL REFERENCES users (id),
  created_at  INTEGER NOT NULL,
  expires_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS sessions_by_user ON sessions (user_id);

CREATE TABLE IF NOT EXISTS api_keys (
  id              TEXT PRIMARY KEY,
  user_id         TEXT NOT NULL REFERENCES users (id),
  hash            TEXT NOT NULL UNIQUE,                             -- SHA-256 of the key, hexadecimal
  prefix          TEXT NOT NULL,                                    -- first 11 characters, to recognise it by
  secret          TEXT,                                             -- the key, sealed: version.iv.ciphertext; null: not kept
  name            TEXT NOT NULL,
  comment         TEXT NOT NULL DEFAULT '',
  status          TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'revoked')),
  all_time_used   INTEGER NOT NULL DEFAULT 0,
  last_used_at    INTEGER,
  created_at      INTEGER NOT NULL,
  revoked_at      INTEGER
) STRICT;
CREATE INDEX IF NOT EXISTS api_keys_by_user ON api_keys (user_id, created_at);

-- One file promised to a request in flight; counts against the quota until it
-- is settled, returned, or past its time.
CREATE TABLE IF NOT EXISTS reservations (
  id          TEXT PRIMARY KEY,
  user_id     TEXT NOT NULL REFERENCES users (id),
  key_id      TEXT REFERENCES api_keys (id),                        -- null: the cabinet's own upload
  expires_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS reservations_by_user ON reservations (user_id, expires_at);

-- Files answered per key and UTC day.
CREATE TABLE IF NOT EXISTS usage_days (
  user_id      TEXT NOT NULL REFERENCES users (id),
  day          TEXT NOT NULL,                                       -- YYYY-MM-DD
  key_id       TEXT NOT NULL,                                       -- empty: the cabinet's own uploads
  files        INTEGER NOT NULL DEFAULT 0,
  bytes_in     INTEGER NOT NULL DEFAULT 0,
  bytes_out    INTEGER NOT NULL DEFAULT 0,
  bytes_saved  INTEGER NOT NULL DEFAULT 0,                          -- only where the answer was smaller
  PRIMARY KEY (user_id, day, key_id)
) STRICT, WITHOUT ROWID;

-- A pack that was to be bought.
CREATE TABLE IF NOT EXISTS payments (
  id              TEXT PRIMARY KEY,
  user_id         TEXT NOT NULL REFERENCES users (id),
  pack            TEXT NOT NULL,
  files           INTEGER NOT NULL CHECK (files > 0),
  amount          INTEGER NOT NULL CHECK (amount > 0),              -- in the minor unit of the currency
  currency        TEXT NOT NULL,                                    -- ISO 4217, lower case
  status          TEXT NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'paid', 'refunded', 'failed')),
  session_id      TEXT UNIQUE,                                      -- of Stripe Checkout; null: none is known
  payment_intent  TEXT UNIQUE,                                      -- of Stripe; null: not told of yet
  paid_at         INTEGER,                                          -- null: no money has come
  granted         INTEGER NOT NULL DEFAULT 0,                       -- files that it entitles to, as last applied
  created_at      INTEGER NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS payments_by_user ON payments (user_id, created_at);

-- What a payment did to its user's paid_files, one row a time; what had been
-- used already could not be taken back.
CREATE TABLE IF NOT EXISTS balance_changes (
  id          TEXT PRIMARY KEY,
  payment_id  TEXT NOT NULL REFERENCES payments (id),
  files       INTEGER NOT NULL,                                     -- negative: taken back
  created_at  INTEGER NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS balance_changes_by_payment ON balance_changes (payment_id);

-- Refunds and disputes are kept by payment intent: Stripe may tell of them
-- before it tells which payment of ours that belongs to.
CREATE TABLE IF NOT EXISTS payment_refunds (
  payment_intent  TEXT NOT NULL,
  currency        TEXT NOT NULL,
  refunded        INTEGER NOT NULL,                                 -- of the charge, all refunds together
  total           INTEGER NOT NULL,                                 -- of the charge
  is_full         INTEGER NOT NULL,                                 -- 1: Stripe says that nothing is left of it
  seen_at         INTEGER NOT NULL,
  PRIMARY KEY (payment_intent, currency)
) STRICT, WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS payment_disputes (
  id              TEXT PRIMARY KEY,                                 -- Stripe's
  payment_intent  TEXT NOT NULL,
  state           TEXT NOT NULL CHECK (state IN ('open', 'won', 'lost')), -- won: by us
  seen_at         INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS payment_disputes_by_intent ON payment_disputes (payment_intent);
