-- Quota and counts are kept by the meter of each mailbox; D1 has their sums, and a version of all that a meter copies.
-- What each column means: schema.sql.

CREATE TABLE mailboxes (
  id              TEXT PRIMARY KEY,
  name            TEXT UNIQUE,
  version         INTEGER NOT NULL DEFAULT 0,
  metered_at      INTEGER,
  flush           INTEGER NOT NULL DEFAULT 0,
  free_month      TEXT NOT NULL DEFAULT '',
  free_used       INTEGER NOT NULL DEFAULT 0,
  uncharged_day   TEXT NOT NULL DEFAULT '',
  uncharged_used  INTEGER NOT NULL DEFAULT 0,
  uncharged_cpu   INTEGER NOT NULL DEFAULT 0,
  left_at         INTEGER
) STRICT;
CREATE INDEX mailboxes_by_leaving ON mailboxes (left_at) WHERE left_at IS NOT NULL;

INSERT INTO mailboxes (id, version, free_month, free_used, uncharged_day, uncharged_used, uncharged_cpu)
SELECT mailbox_id, 1, max(free_month), max(free_used), max(uncharged_day), max(uncharged_used), max(uncharged_cpu)
FROM users GROUP BY mailbox_id;

ALTER TABLE users ADD COLUMN version INTEGER NOT NULL DEFAULT 1;
ALTER TABLE users ADD COLUMN granted_files INTEGER NOT NULL DEFAULT 0;
ALTER TABLE users ADD COLUMN paid_used INTEGER NOT NULL DEFAULT 0;
ALTER TABLE api_keys ADD COLUMN version INTEGER NOT NULL DEFAULT 1;
ALTER TABLE payments ADD COLUMN version INTEGER NOT NULL DEFAULT 1;
UPDATE users SET granted_files = max(0, paid_files - (SELECT coalesce(sum(granted), 0) FROM payments WHERE user_id = users.id)),
                 paid_used = max(0, (SELECT coalesce(sum(granted), 0) FROM payments WHERE user_id = users.id) - paid_files);
CREATE INDEX users_by_mailbox ON users (mailbox_id);

-- before the first release nothing else uses them
DROP INDEX users_by_former_address;
DROP INDEX users_by_last_month;
ALTER TABLE users DROP COLUMN paid_files;
ALTER TABLE users DROP COLUMN free_month;
ALTER TABLE users DROP COLUMN free_used;
ALTER TABLE users DROP COLUMN uncharged_day;
ALTER TABLE users DROP COLUMN uncharged_used;
ALTER TABLE users DROP COLUMN uncharged_cpu;
ALTER TABLE users DROP COLUMN former_address;
DROP TABLE reservations;
DROP TABLE charged_files;
DROP TABLE balance_changes;

CREATE TRIGGER users_added AFTER INSERT ON users BEGIN
  UPDATE mailboxes SET version = version + 1, left_at = NULL WHERE id = new.mailbox_id;
  UPDATE users SET version = (SELECT version FROM mailboxes WHERE id = new.mailbox_id) WHERE id = new.id;
END;
CREATE TRIGGER users_changed AFTER UPDATE OF email, granted_files ON users
WHEN new.email IS NOT old.email OR new.granted_files <> old.granted_files BEGIN
  UPDATE mailboxes SET version = version + 1 WHERE id = new.mailbox_id;
  UPDATE users SET version = (SELECT version FROM mailboxes WHERE id = new.mailbox_id) WHERE id = new.id;
END;
CREATE TRIGGER api_keys_added AFTER INSERT ON api_keys BEGIN
  UPDATE mailboxes SET version = version + 1 WHERE id = (SELECT mailbox_id FROM users WHERE id = new.user_id);
  UPDATE api_keys SET version = (SELECT m.version FROM mailboxes m JOIN users u ON u.mailbox_id = m.id WHERE u.id = new.user_id)
  WHERE id = new.id;
END;
CREATE TRIGGER api_keys_changed AFTER UPDATE OF status ON api_keys WHEN new.status <> old.status BEGIN
  UPDATE mailboxes SET version = version + 1 WHERE id = (SELECT mailbox_id FROM users WHERE id = new.user_id);
  UPDATE api_keys SET version = (SELECT m.version FROM mailboxes m JOIN users u ON u.mailbox_id = m.id WHERE u.id = new.user_id)
  WHERE id = new.id;
END;
CREATE TRIGGER payments_changed AFTER UPDATE OF granted ON payments WHEN new.granted <> old.granted BEGIN
  UPDATE mailboxes SET version = version + 1 WHERE id = (SELECT mailbox_id FROM users WHERE id = new.user_id);
  UPDATE payments SET version = (SELECT m.version FROM mailboxes m JOIN users u ON u.mailbox_id = m.id WHERE u.id = new.user_id)
  WHERE id = new.id;
END;
