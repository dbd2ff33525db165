-- Every statement may run again: applying the schema is also how it is upgraded.

CREATE TABLE IF NOT EXISTS users (
  id          TEXT PRIMARY KEY,
  email       TEXT NOT NULL UNIQUE,                             -- normalized
  paid_files  INTEGER NOT NULL DEFAULT 0 CHECK (paid_files >= 0), -- bought and not used yet
  free_month  TEXT NOT NULL DEFAULT '',                         -- the month that free_used belongs to, YYYY-MM
  free_used   INTEGER NOT NULL DEFAULT 0 CHECK (free_used >= 0),
  created_at  INTEGER NOT NULL                                  -- all times: milliseconds since 1970, UTC
) STRICT;

CREATE TABLE IF NOT EXISTS api_keys (
  id              TEXT PRIMARY KEY,
  user_id         TEXT NOT NULL REFERENCES users (id),
  hash            TEXT NOT NULL UNIQUE,                         -- SHA-256 of the key, hexadecimal
  prefix          TEXT NOT NULL,                                -- first 11 characters, to recognise it by
  secret          TEXT,                                         -- the key, sealed: version.iv.ciphertext; null: not kept
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
  key_id      TEXT NOT NULL REFERENCES api_keys (id),
  expires_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS reservations_by_user ON reservations (user_id, expires_at);

-- Files answered per key and UTC day.
CREATE TABLE IF NOT EXISTS usage_days (
  user_id      TEXT NOT NULL REFERENCES users (id),
  day          TEXT NOT NULL,                                   -- YYYY-MM-DD
  key_id       TEXT NOT NULL REFERENCES api_keys (id),
  files        INTEGER NOT NULL DEFAULT 0,
  bytes_in     INTEGER NOT NULL DEFAULT 0,
  bytes_out    INTEGER NOT NULL DEFAULT 0,
  bytes_saved  INTEGER NOT NULL DEFAULT 0,                      -- only where the answer was smaller
  PRIMARY KEY (user_id, day, key_id)
) STRICT, WITHOUT ROWID;
