-- Sites: images are answered by URL. What each column means: schema.sql.

CREATE TABLE sites (
  id              TEXT PRIMARY KEY,
  user_id         TEXT NOT NULL REFERENCES users (id),
  slug            TEXT NOT NULL UNIQUE,
  name            TEXT NOT NULL,
  source          TEXT NOT NULL,
  signed          INTEGER NOT NULL CHECK (signed IN (0, 1)),
  secrets         TEXT NOT NULL,
  presets         TEXT NOT NULL,
  presets_only    INTEGER NOT NULL CHECK (presets_only IN (0, 1)),
  cache_seconds   INTEGER NOT NULL,
  on_error        TEXT NOT NULL CHECK (on_error IN ('original', 'error')),
  status          TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'paused', 'deleted')),
  purges          INTEGER NOT NULL DEFAULT 0,
  path_purges     TEXT NOT NULL DEFAULT '{}',
  revision        INTEGER NOT NULL DEFAULT 1,
  published       INTEGER NOT NULL DEFAULT 0,
  unswept_since   INTEGER,
  checks_hour     INTEGER NOT NULL DEFAULT 0,
  checks          INTEGER NOT NULL DEFAULT 0,
  created_at      INTEGER NOT NULL,
  deleted_at      INTEGER,
  version         INTEGER NOT NULL DEFAULT 1,
  monthly_limit   INTEGER,
  all_time_used   INTEGER NOT NULL DEFAULT 0,
  last_used_at    INTEGER,
  month           TEXT NOT NULL DEFAULT '',
  month_used      INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX sites_by_user ON sites (user_id, created_at);
CREATE INDEX sites_by_deletion ON sites (deleted_at) WHERE deleted_at IS NOT NULL;
CREATE INDEX sites_unpublished ON sites (id) WHERE published <> revision;
CREATE INDEX sites_unswept ON sites (unswept_since) WHERE unswept_since IS NOT NULL;

CREATE TRIGGER sites_added AFTER INSERT ON sites BEGIN
  UPDATE mailboxes SET version = version + 1 WHERE id = (SELECT mailbox_id FROM users WHERE id = new.user_id);
  UPDATE sites SET version = (SELECT m.version FROM mailboxes m JOIN users u ON u.mailbox_id = m.id WHERE u.id = new.user_id)
  WHERE id = new.id;
END;
CREATE TRIGGER sites_changed AFTER UPDATE OF status, monthly_limit ON sites
WHEN new.status <> old.status OR new.monthly_limit IS NOT old.monthly_limit BEGIN
  UPDATE mailboxes SET version = version + 1 WHERE id = (SELECT mailbox_id FROM users WHERE id = new.user_id);
  UPDATE sites SET version = (SELECT m.version FROM mailboxes m JOIN users u ON u.mailbox_id = m.id WHERE u.id = new.user_id)
  WHERE id = new.id;
END;
