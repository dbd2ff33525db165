-- The first tables. What each column means: schema.sql.

CREATE TABLE users (
  id              TEXT PRIMARY KEY,
  mailbox_id      TEXT NOT NULL,
  email           TEXT UNIQUE,
  plan            TEXT NOT NULL DEFAULT 'free' CHECK (plan IN ('free', 'paid')),
  paid_files      INTEGER NOT NULL DEFAULT 0 CHECK (paid_files >= 0),
  free_month      TEXT NOT NULL DEFAULT '',
  free_used       INTEGER NOT NULL DEFAULT 0 CHECK (free_used >= 0),
  uncharged_day   TEXT NOT NULL DEFAULT '',
  uncharged_used  INTEGER NOT NULL DEFAULT 0,
  uncharged_cpu   INTEGER NOT NULL DEFAULT 0,
  former_address  TEXT,
  epoch           INTEGER NOT NULL,
  created_at      INTEGER NOT NULL
) STRICT;
CREATE INDEX users_by_former_address ON users (former_address) WHERE former_address IS NOT NULL;
CREATE INDEX users_by_last_month ON users (free_month) WHERE former_address IS NOT NULL;

CREATE TABLE challenges (
  id           TEXT PRIMARY KEY,
  address      TEXT NOT NULL,
  network      TEXT NOT NULL,
  site         TEXT,
  device       TEXT,
  digits       INTEGER NOT NULL,
  code         TEXT,
  created_at   INTEGER NOT NULL,
  expires_at   INTEGER NOT NULL,
  sent_at      INTEGER,
  ended_at     INTEGER,
  consumed_by  TEXT
) STRICT;
CREATE INDEX challenges_by_address ON challenges (address, created_at);
CREATE INDEX challenges_by_network ON challenges (network, created_at);
CREATE INDEX challenges_by_site ON challenges (site, created_at) WHERE site IS NOT NULL;
CREATE INDEX challenges_by_device ON challenges (device, created_at) WHERE device IS NOT NULL;
CREATE INDEX challenges_by_time ON challenges (created_at);

CREATE TABLE code_tries (
  id            TEXT PRIMARY KEY,
  challenge_id  TEXT REFERENCES challenges (id),
  with_cookie   INTEGER NOT NULL,
  network       TEXT NOT NULL,
  site          TEXT,
  tried_at      INTEGER NOT NULL
) STRICT;
CREATE INDEX code_tries_by_challenge ON code_tries (challenge_id, with_cookie);
CREATE INDEX code_tries_by_network ON code_tries (network, tried_at);
CREATE INDEX code_tries_by_site ON code_tries (site, tried_at) WHERE site IS NOT NULL;
CREATE INDEX code_tries_by_time ON code_tries (tried_at);

CREATE TABLE mail_days (
  day    TEXT PRIMARY KEY,
  mails  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE sessions (
  hash        TEXT PRIMARY KEY,
  user_id     TEXT NOT NULL REFERENCES users (id),
  created_at  INTEGER NOT NULL,
  expires_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_by_user ON sessions (user_id);
CREATE INDEX sessions_by_expiry ON sessions (expires_at);

CREATE TABLE api_keys (
  id              TEXT PRIMARY KEY,
  user_id         TEXT NOT NULL REFERENCES users (id),
  hash            TEXT NOT NULL UNIQUE,
  prefix          TEXT NOT NULL,
  secret          TEXT,
  name            TEXT NOT NULL,
  comment         TEXT NOT NULL DEFAULT '',
  status          TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'revoked')),
  all_time_used   INTEGER NOT NULL DEFAULT 0,
  last_used_at    INTEGER,
  created_at      INTEGER NOT NULL,
  revoked_at      INTEGER
) STRICT;
CREATE INDEX api_keys_by_user ON api_keys (user_id, created_at);

CREATE TABLE reservations (
  id          TEXT PRIMARY KEY,
  user_id     TEXT NOT NULL REFERENCES users (id),
  key_id      TEXT REFERENCES api_keys (id),
  expires_at  INTEGER NOT NULL,
  cpu         INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE INDEX reservations_by_user ON reservations (user_id, expires_at);

CREATE TABLE usage_days (
  user_id      TEXT NOT NULL REFERENCES users (id),
  day          TEXT NOT NULL,
  key_id       TEXT NOT NULL,
  files        INTEGER NOT NULL DEFAULT 0,
  bytes_in     INTEGER NOT NULL DEFAULT 0,
  bytes_out    INTEGER NOT NULL DEFAULT 0,
  bytes_saved  INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (user_id, day, key_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX usage_days_by_day ON usage_days (day);

CREATE TABLE usage_months (
  user_id      TEXT NOT NULL REFERENCES users (id),
  month        TEXT NOT NULL,
  key_id       TEXT NOT NULL,
  files        INTEGER NOT NULL,
  bytes_in     INTEGER NOT NULL,
  bytes_out    INTEGER NOT NULL,
  bytes_saved  INTEGER NOT NULL,
  PRIMARY KEY (user_id, month, key_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE payments (
  id              TEXT PRIMARY KEY,
  user_id         TEXT NOT NULL REFERENCES users (id),
  pack            TEXT NOT NULL,
  files           INTEGER NOT NULL CHECK (files > 0),
  amount          INTEGER NOT NULL CHECK (amount > 0),
  currency        TEXT NOT NULL,
  status          TEXT NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'paid', 'refunded', 'failed')),
  session_id      TEXT UNIQUE,
  payment_intent  TEXT UNIQUE,
  paid_at         INTEGER,
  granted         INTEGER NOT NULL DEFAULT 0,
  created_at      INTEGER NOT NULL
) STRICT;
CREATE INDEX payments_by_user ON payments (user_id, created_at);
CREATE INDEX payments_unopened ON payments (created_at) WHERE status = 'pending' AND session_id IS NULL;

CREATE TABLE balance_changes (
  id          TEXT PRIMARY KEY,
  payment_id  TEXT NOT NULL REFERENCES payments (id),
  files       INTEGER NOT NULL,
  created_at  INTEGER NOT NULL
) STRICT;
CREATE INDEX balance_changes_by_payment ON balance_changes (payment_id);

CREATE TABLE payment_refunds (
  payment_intent  TEXT NOT NULL,
  currency        TEXT NOT NULL,
  refunded        INTEGER NOT NULL,
  total           INTEGER NOT NULL,
  is_full         INTEGER NOT NULL,
  seen_at         INTEGER NOT NULL,
  PRIMARY KEY (payment_intent, currency)
) STRICT, WITHOUT ROWID;
CREATE INDEX payment_refunds_by_time ON payment_refunds (seen_at);

CREATE TABLE payment_disputes (
  id              TEXT PRIMARY KEY,
  payment_intent  TEXT NOT NULL,
  state           TEXT NOT NULL CHECK (state IN ('open', 'won', 'lost')),
  seen_at         INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX payment_disputes_by_intent ON payment_disputes (payment_intent);
CREATE INDEX payment_disputes_by_time ON payment_disputes (seen_at);
