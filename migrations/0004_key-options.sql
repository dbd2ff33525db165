-- Caps, expiry and overlapping replacement of keys; quota mails; receipts of payments. What each column means: schema.sql.

ALTER TABLE users ADD COLUMN quota_mails INTEGER NOT NULL DEFAULT 1;
ALTER TABLE users ADD COLUMN mail_epoch INTEGER NOT NULL DEFAULT 0;
ALTER TABLE api_keys ADD COLUMN monthly_limit INTEGER;
ALTER TABLE api_keys ADD COLUMN expires_at INTEGER;
ALTER TABLE api_keys ADD COLUMN revokes_at INTEGER;
ALTER TABLE api_keys ADD COLUMN month TEXT NOT NULL DEFAULT '';
ALTER TABLE api_keys ADD COLUMN month_used INTEGER NOT NULL DEFAULT 0;
ALTER TABLE payments ADD COLUMN receipt_url TEXT;

DROP TRIGGER api_keys_changed;
CREATE TRIGGER api_keys_changed AFTER UPDATE OF status, monthly_limit, expires_at, revokes_at ON api_keys
WHEN new.status <> old.status OR new.monthly_limit IS NOT old.monthly_limit
  OR new.expires_at IS NOT old.expires_at OR new.revokes_at IS NOT old.revokes_at BEGIN
  UPDATE mailboxes SET version = version + 1 WHERE id = (SELECT mailbox_id FROM users WHERE id = new.user_id);
  UPDATE api_keys SET version = (SELECT m.version FROM mailboxes m JOIN users u ON u.mailbox_id = m.id WHERE u.id = new.user_id)
  WHERE id = new.id;
END;
