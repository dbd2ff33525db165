-- The whole schema of the D1 database (SQLite) as it stands. For reading: what is applied are the steps in migrations/,
-- and a test compares the outcome of both. Who writes each table, and how long rows live: src/store/README.md.
-- Times are milliseconds since 1970, UTC; days YYYY-MM-DD and months YYYY-MM are text, so comparing them compares dates.

-- An account. Rows stay when the account is deleted, without the address.
CREATE TABLE users (
  id              TEXT PRIMARY KEY,
  mailbox_id      TEXT NOT NULL,                                      -- mbx_…, random; keys and session cookies name it
  email           TEXT UNIQUE,                                        -- normalized; null: the account was deleted
  plan            TEXT NOT NULL DEFAULT 'free' CHECK (plan IN ('free', 'paid')), -- paid: since the first payment
  paid_files      INTEGER NOT NULL DEFAULT 0 CHECK (paid_files >= 0), -- bought and not used yet
  free_month      TEXT NOT NULL DEFAULT '',                           -- the month that free_used belongs to
  free_used       INTEGER NOT NULL DEFAULT 0 CHECK (free_used >= 0),
  uncharged_day   TEXT NOT NULL DEFAULT '',                           -- the day that uncharged_used belongs to
  uncharged_used  INTEGER NOT NULL DEFAULT 0,                         -- answers that cost work and were not charged
  uncharged_cpu   INTEGER NOT NULL DEFAULT 0,                         -- what they were predicted to take, in milliseconds
  former_address  TEXT,                                               -- HMAC of a deleted address, until its month is over
  epoch           INTEGER NOT NULL,                                   -- raised by signing out everywhere; devices of an earlier one are strangers
  created_at      INTEGER NOT NULL
) STRICT;
-- what a deleted account had used of the month; the hourly clearing
CREATE INDEX users_by_former_address ON users (former_address) WHERE former_address IS NOT NULL;
CREATE INDEX users_by_last_month ON users (free_month) WHERE former_address IS NOT NULL;

-- A request for a sign-in code. The HMAC of the code is in KV, too, under the same id.
CREATE TABLE challenges (
  id           TEXT PRIMARY KEY,                                      -- SHA-256 of the challenge cookie, hexadecimal
  address      TEXT NOT NULL,                                         -- HMAC of the normalized address
  network      TEXT NOT NULL,                                         -- who asked: HMAC of the IPv4 address or IPv6 /64
  site         TEXT,                                                  -- HMAC of the IPv6 /48; null: an IPv4 address
  device       TEXT,                                                  -- HMAC of the known device that asked; null: a stranger
  digits       INTEGER NOT NULL,                                      -- length of the code
  code         TEXT,                                                  -- HMAC of the code; null: not sent, or used
  created_at   INTEGER NOT NULL,
  expires_at   INTEGER NOT NULL,
  sent_at      INTEGER,                                               -- null: the mail has not gone out
  ended_at     INTEGER,                                               -- used, or replaced by a later one
  consumed_by  TEXT                                                   -- the try that used it
) STRICT;
-- the limits per address, network, site and device; the newest challenge of an address; the hourly clearing
CREATE INDEX challenges_by_address ON challenges (address, created_at);
CREATE INDEX challenges_by_network ON challenges (network, created_at);
CREATE INDEX challenges_by_site ON challenges (site, created_at) WHERE site IS NOT NULL;
CREATE INDEX challenges_by_device ON challenges (device, created_at) WHERE device IS NOT NULL;
CREATE INDEX challenges_by_time ON challenges (created_at);

-- A code that someone entered. Counted as a failure until it has proved right.
CREATE TABLE code_tries (
  id            TEXT PRIMARY KEY,
  challenge_id  TEXT REFERENCES challenges (id),                      -- null: there was nothing to compare with
  with_cookie   INTEGER NOT NULL,
  network       TEXT NOT NULL,                                        -- HMAC, as in challenges
  site          TEXT,                                                 -- HMAC, as in challenges
  tried_at      INTEGER NOT NULL
) STRICT;
-- the two budgets of a challenge; codes from one network or site; the hourly clearing
CREATE INDEX code_tries_by_challenge ON code_tries (challenge_id, with_cookie);
CREATE INDEX code_tries_by_network ON code_tries (network, tried_at);
CREATE INDEX code_tries_by_site ON code_tries (site, tried_at) WHERE site IS NOT NULL;
CREATE INDEX code_tries_by_time ON code_tries (tried_at);

-- Mails that have been sent, or are being sent, on a UTC day.
CREATE TABLE mail_days (
  day    TEXT PRIMARY KEY,
  mails  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- An image that someone has tried without an account, or is trying.
CREATE TABLE trials (
  id       TEXT PRIMARY KEY,
  day      TEXT NOT NULL,                                             -- UTC, YYYY-MM-DD
  network  TEXT NOT NULL,                                             -- HMAC of the IPv4 address, or of the /64 of IPv6
  site     TEXT                                                       -- HMAC of the /48 of IPv6
) STRICT, WITHOUT ROWID;
-- counting those of one network or site
CREATE INDEX trials_by_network ON trials (day, network);
CREATE INDEX trials_by_site ON trials (day, site) WHERE site IS NOT NULL;

-- How many there are on a UTC day.
CREATE TABLE trial_days (
  day    TEXT PRIMARY KEY,
  files  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- A session that nobody has ended. Each has an entry in KV, too.
CREATE TABLE sessions (
  hash        TEXT PRIMARY KEY,                                       -- SHA-256 of the cookie, hexadecimal
  user_id     TEXT NOT NULL REFERENCES users (id),
  created_at  INTEGER NOT NULL,
  expires_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
-- signing out everywhere; the hourly clearing
CREATE INDEX sessions_by_user ON sessions (user_id);
CREATE INDEX sessions_by_expiry ON sessions (expires_at);

CREATE TABLE api_keys (
  id              TEXT PRIMARY KEY,
  user_id         TEXT NOT NULL REFERENCES users (id),
  hash            TEXT NOT NULL UNIQUE,                               -- SHA-256 of the key, hexadecimal
  prefix          TEXT NOT NULL,                                      -- first 11 characters, to recognise the key by
  secret          TEXT,                                               -- the key, sealed: version.iv.ciphertext; null: not kept
  name            TEXT NOT NULL,
  comment         TEXT NOT NULL DEFAULT '',
  status          TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'revoked')),
  all_time_used   INTEGER NOT NULL DEFAULT 0,                         -- files
  last_used_at    INTEGER,
  created_at      INTEGER NOT NULL,
  revoked_at      INTEGER
) STRICT;
-- listing and counting a user's keys
CREATE INDEX api_keys_by_user ON api_keys (user_id, created_at);

-- One file promised to a request in flight. Counts against the quota until it is settled, returned or expired.
CREATE TABLE reservations (
  id          TEXT PRIMARY KEY,
  user_id     TEXT NOT NULL REFERENCES users (id),
  key_id      TEXT REFERENCES api_keys (id),                          -- null: an upload in the cabinet
  expires_at  INTEGER NOT NULL,
  cpu         INTEGER NOT NULL DEFAULT 0                               -- computing time reserved with it, in predicted milliseconds
) STRICT, WITHOUT ROWID;
-- counting what is open. None for the clearing: there are few rows at a time, and each request would write it
CREATE INDEX reservations_by_user ON reservations (user_id, expires_at);

-- Images of the cabinet that have been charged: for an hour the same image is not charged again.
CREATE TABLE charged_files (
  user_id         TEXT NOT NULL REFERENCES users (id),
  file            TEXT NOT NULL,                                      -- HMAC of the SHA-256 of its bytes
  charged_at      INTEGER NOT NULL,
  reservation_id  TEXT NOT NULL,                                      -- that of the request that was charged
  PRIMARY KEY (user_id, file)
) STRICT, WITHOUT ROWID;
-- the hourly clearing
CREATE INDEX charged_files_by_time ON charged_files (charged_at);

-- Files answered per key and UTC day. Days older than 13 months are added to usage_months.
CREATE TABLE usage_days (
  user_id      TEXT NOT NULL REFERENCES users (id),
  day          TEXT NOT NULL,
  key_id       TEXT NOT NULL,                                         -- empty: uploads in the cabinet
  files        INTEGER NOT NULL DEFAULT 0,
  bytes_in     INTEGER NOT NULL DEFAULT 0,
  bytes_out    INTEGER NOT NULL DEFAULT 0,
  bytes_saved  INTEGER NOT NULL DEFAULT 0,                            -- only where the answer was smaller
  PRIMARY KEY (user_id, day, key_id)
) STRICT, WITHOUT ROWID;
-- the roll-up; a booking writes it once a day and key
CREATE INDEX usage_days_by_day ON usage_days (day);

-- Files answered per key and UTC month: sums of the days that usage_days no longer has.
CREATE TABLE usage_months (
  user_id      TEXT NOT NULL REFERENCES users (id),
  month        TEXT NOT NULL,
  key_id       TEXT NOT NULL,                                         -- empty: uploads in the cabinet
  files        INTEGER NOT NULL,
  bytes_in     INTEGER NOT NULL,
  bytes_out    INTEGER NOT NULL,
  bytes_saved  INTEGER NOT NULL,
  PRIMARY KEY (user_id, month, key_id)
) STRICT, WITHOUT ROWID;

-- A pack of files that was to be bought.
CREATE TABLE payments (
  id              TEXT PRIMARY KEY,
  user_id         TEXT NOT NULL REFERENCES users (id),
  pack            TEXT NOT NULL,
  files           INTEGER NOT NULL CHECK (files > 0),
  amount          INTEGER NOT NULL CHECK (amount > 0),                -- in the minor unit of the currency
  currency        TEXT NOT NULL,                                      -- ISO 4217, lower case
  status          TEXT NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'paid', 'refunded', 'failed')),
  session_id      TEXT UNIQUE,                                        -- of Stripe Checkout; null: none is known
  payment_intent  TEXT UNIQUE,                                        -- of Stripe; null: not known yet
  paid_at         INTEGER,                                            -- null: no money has come
  granted         INTEGER NOT NULL DEFAULT 0,                         -- files that it entitles to, as last applied
  created_at      INTEGER NOT NULL
) STRICT;
-- listing a user's payments, counting the unpaid ones; the hourly clearing
CREATE INDEX payments_by_user ON payments (user_id, created_at);
CREATE INDEX payments_unopened ON payments (created_at) WHERE status = 'pending' AND session_id IS NULL;

-- What a payment did to its user's paid_files, one change a row. Files that had been used could not be taken back.
CREATE TABLE balance_changes (
  id          TEXT PRIMARY KEY,
  payment_id  TEXT NOT NULL REFERENCES payments (id),
  files       INTEGER NOT NULL,                                       -- negative: taken back
  created_at  INTEGER NOT NULL
) STRICT;
-- what the balance holds from a payment
CREATE INDEX balance_changes_by_payment ON balance_changes (payment_id);

-- Refunds and disputes are kept by payment intent: Stripe may report them before the payment that they belong to.
-- Nearly all rows are old, and stay.
CREATE TABLE payment_refunds (
  payment_intent  TEXT NOT NULL,
  currency        TEXT NOT NULL,
  refunded        INTEGER NOT NULL,                                   -- of the charge, all refunds together
  total           INTEGER NOT NULL,                                   -- of the charge
  is_full         INTEGER NOT NULL,                                   -- 1: Stripe says that it was refunded in full
  seen_at         INTEGER NOT NULL,
  PRIMARY KEY (payment_intent, currency)
) STRICT, WITHOUT ROWID;
-- the hourly clearing
CREATE INDEX payment_refunds_by_time ON payment_refunds (seen_at);

CREATE TABLE payment_disputes (
  id              TEXT PRIMARY KEY,                                   -- Stripe's
  payment_intent  TEXT NOT NULL,
  state           TEXT NOT NULL CHECK (state IN ('open', 'won', 'lost')), -- won: by this service
  seen_at         INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
-- whether a payment is disputed; the hourly clearing
CREATE INDEX payment_disputes_by_intent ON payment_disputes (payment_intent);
CREATE INDEX payment_disputes_by_time ON payment_disputes (seen_at);
