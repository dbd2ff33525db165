-- Images that are tried without an account, and images of the cabinet that are not charged twice. What each column means:
-- schema.sql.

CREATE TABLE trials (
  id       TEXT PRIMARY KEY,
  day      TEXT NOT NULL,
  network  TEXT NOT NULL,
  site     TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX trials_by_network ON trials (day, network);
CREATE INDEX trials_by_site ON trials (day, site) WHERE site IS NOT NULL;

CREATE TABLE trial_days (
  day    TEXT PRIMARY KEY,
  files  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE charged_files (
  user_id         TEXT NOT NULL REFERENCES users (id),
  file            TEXT NOT NULL,
  charged_at      INTEGER NOT NULL,
  reservation_id  TEXT NOT NULL,
  PRIMARY KEY (user_id, file)
) STRICT, WITHOUT ROWID;
CREATE INDEX charged_files_by_time ON charged_files (charged_at);
