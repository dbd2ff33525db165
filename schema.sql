-- The whole schema of the D1 database (SQLite) as it stands. For reading: what is applied are the steps in migrations/,
-- and a test compares the outcome of both. Who writes each table, and how long rows live: src/store/README.md.
-- Times are milliseconds since 1970, UTC; days YYYY-MM-DD and months YYYY-MM are text, so comparing them compares dates.

-- Whoever reads the mail of one or more accounts: the free files are theirs together. Figures are what the mailbox's
-- meter (src/meter) has told last; before there is one, nothing has been used.
CREATE TABLE mailboxes (
  id              TEXT PRIMARY KEY,                                   -- mbx_…, random; keys and session cookies name it
  name            TEXT UNIQUE,                                        -- HMAC of the mailbox's own address; null: not known, or forgotten
  version         INTEGER NOT NULL DEFAULT 0,                         -- rises with all that the meter has a copy of: triggers below
  metered_at      INTEGER,                                            -- since when there is a meter; null: there is none
  flush           INTEGER NOT NULL DEFAULT 0,                         -- number of the latest flush
  free_month      TEXT NOT NULL DEFAULT '',                           -- the month that free_used belongs to
  free_used       INTEGER NOT NULL DEFAULT 0,
  uncharged_day   TEXT NOT NULL DEFAULT '',                           -- the day that the next two belong to
  uncharged_used  INTEGER NOT NULL DEFAULT 0,                         -- answers that cost work and were not charged
  uncharged_cpu   INTEGER NOT NULL DEFAULT 0,                         -- what they were predicted to take, in milliseconds
  left_at         INTEGER                                             -- when its last account was deleted; null: there is one
) STRICT;
-- names are forgotten when the month of leaving is over; the hourly clearing
CREATE INDEX mailboxes_by_leaving ON mailboxes (left_at) WHERE left_at IS NOT NULL;

-- An account. Rows stay when the account is deleted, without the address.
CREATE TABLE users (
  id              TEXT PRIMARY KEY,
  mailbox_id      TEXT NOT NULL,
  email           TEXT UNIQUE,                                        -- normalized; null: the account was deleted
  plan            TEXT NOT NULL DEFAULT 'free' CHECK (plan IN ('free', 'paid')), -- paid: since the first payment
  epoch           INTEGER NOT NULL,                                   -- raised by signing out everywhere; devices of an earlier one are strangers
  created_at      INTEGER NOT NULL,
  version         INTEGER NOT NULL DEFAULT 1,                         -- of the mailbox, at the last change
  granted_files   INTEGER NOT NULL DEFAULT 0,                         -- given by the operator
  paid_used       INTEGER NOT NULL DEFAULT 0,                         -- of those given and bought, as the meter has told last
  quota_mails     INTEGER NOT NULL DEFAULT 1,                         -- 1: mails about quota are wanted
  mail_epoch      INTEGER NOT NULL DEFAULT 0                          -- raised by each change of that: links of an earlier one have been used
) STRICT;
-- the accounts of a mailbox, for its meter
CREATE INDEX users_by_mailbox ON users (mailbox_id);

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
  revoked_at      INTEGER,
  version         INTEGER NOT NULL DEFAULT 1,                         -- of the mailbox, at the last change
  monthly_limit   INTEGER,                                            -- charged files per UTC month; null: no limit
  expires_at      INTEGER,                                            -- refused from then on, until it is extended; null: never
  revokes_at      INTEGER,                                            -- replaced, and revoked from then on, whatever status says; null: not replaced
  month           TEXT NOT NULL DEFAULT '',                           -- the month that month_used belongs to
  month_used      INTEGER NOT NULL DEFAULT 0                          -- charged files
) STRICT;
-- listing and counting a user's keys
CREATE INDEX api_keys_by_user ON api_keys (user_id, created_at);

-- Images below one address, which are answered by URL. The row of a deleted site reserves its slug for 90 days.
CREATE TABLE sites (
  id              TEXT PRIMARY KEY,
  user_id         TEXT NOT NULL REFERENCES users (id),
  slug            TEXT NOT NULL UNIQUE,                               -- in its URLs
  name            TEXT NOT NULL,
  source          TEXT NOT NULL,                                      -- an https URL that ends in /, before the paths of images
  signed          INTEGER NOT NULL CHECK (signed IN (0, 1)),          -- 1: only signed URLs are answered
  secrets         TEXT NOT NULL,                                      -- JSON, newest first: [{ sealed, until }]; sealed as keys are; until null: no end
  presets         TEXT NOT NULL,                                      -- JSON: options of a URL by name
  presets_only    INTEGER NOT NULL CHECK (presets_only IN (0, 1)),
  cache_seconds   INTEGER NOT NULL,                                   -- how long a result is fresh
  on_error        TEXT NOT NULL CHECK (on_error IN ('original', 'error')),
  status          TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'paused', 'deleted')),
  purges          INTEGER NOT NULL DEFAULT 0,                         -- raised by purging the site, and by another source
  path_purges     TEXT NOT NULL DEFAULT '{}',                         -- JSON: the revision of its purge by the hash of a path
  revision        INTEGER NOT NULL DEFAULT 1,                         -- rises with every change by the owner
  published       INTEGER NOT NULL DEFAULT 0,                         -- the revision that KV has
  unswept_since   INTEGER,                                            -- results from before are to be deleted; null: none are
  checks_hour     INTEGER NOT NULL DEFAULT 0,                         -- hours since 1970 that the next one belongs to
  checks          INTEGER NOT NULL DEFAULT 0,                         -- images that the owner had checked
  created_at      INTEGER NOT NULL,
  deleted_at      INTEGER,
  version         INTEGER NOT NULL DEFAULT 1,                         -- of the mailbox, at the last change
  monthly_limit   INTEGER,                                            -- results made per UTC month; null: no limit
  all_time_used   INTEGER NOT NULL DEFAULT 0,                         -- results
  last_used_at    INTEGER,
  month           TEXT NOT NULL DEFAULT '',                           -- the month that month_used belongs to
  month_used      INTEGER NOT NULL DEFAULT 0                          -- results made
) STRICT;
-- listing and counting a user's sites; slugs that are free again; KV to be written and results to be deleted, hourly
CREATE INDEX sites_by_user ON sites (user_id, created_at);
CREATE INDEX sites_by_deletion ON sites (deleted_at) WHERE deleted_at IS NOT NULL;
CREATE INDEX sites_unpublished ON sites (id) WHERE published <> revision;
CREATE INDEX sites_unswept ON sites (unswept_since) WHERE unswept_since IS NOT NULL;

-- Files answered per key and UTC day. Days older than 13 months are added to usage_months.
CREATE TABLE usage_days (
  user_id      TEXT NOT NULL REFERENCES users (id),
  day          TEXT NOT NULL,
  key_id       TEXT NOT NULL,
  files        INTEGER NOT NULL DEFAULT 0,
  bytes_in     INTEGER NOT NULL DEFAULT 0,
  bytes_out    INTEGER NOT NULL DEFAULT 0,
  bytes_saved  INTEGER NOT NULL DEFAULT 0,                            -- only where the answer was smaller
  PRIMARY KEY (user_id, day, key_id)
) STRICT, WITHOUT ROWID;
-- the roll-up
CREATE INDEX usage_days_by_day ON usage_days (day);

-- Files answered per key and UTC month: sums of the days that usage_days no longer has.
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
  granted         INTEGER NOT NULL DEFAULT 0,                         -- files that it entitles to
  created_at      INTEGER NOT NULL,
  version         INTEGER NOT NULL DEFAULT 1,                         -- of the mailbox, at the last change
  receipt_url     TEXT                                                -- where Stripe shows it; null: not known
) STRICT;
-- listing a user's payments, counting the unpaid ones; the hourly clearing
CREATE INDEX payments_by_user ON payments (user_id, created_at);
CREATE INDEX payments_unopened ON payments (created_at) WHERE status = 'pending' AND session_id IS NULL;

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

-- A change to anything that a meter copies increments the version of its mailbox, and stamps the row with it: so the meter
-- finds what is new, and never mistakes an old row for a newer one.
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
CREATE TRIGGER api_keys_changed AFTER UPDATE OF status, monthly_limit, expires_at, revokes_at ON api_keys
WHEN new.status <> old.status OR new.monthly_limit IS NOT old.monthly_limit
  OR new.expires_at IS NOT old.expires_at OR new.revokes_at IS NOT old.revokes_at BEGIN
  UPDATE mailboxes SET version = version + 1 WHERE id = (SELECT mailbox_id FROM users WHERE id = new.user_id);
  UPDATE api_keys SET version = (SELECT m.version FROM mailboxes m JOIN users u ON u.mailbox_id = m.id WHERE u.id = new.user_id)
  WHERE id = new.id;
END;
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
CREATE TRIGGER payments_changed AFTER UPDATE OF granted ON payments WHEN new.granted <> old.granted BEGIN
  UPDATE mailboxes SET version = version + 1 WHERE id = (SELECT mailbox_id FROM users WHERE id = new.user_id);
  UPDATE payments SET version = (SELECT m.version FROM mailboxes m JOIN users u ON u.mailbox_id = m.id WHERE u.id = new.user_id)
  WHERE id = new.id;
END;
