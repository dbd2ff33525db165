-- The hourly tidying finds what it deletes, instead of reading whole tables while D1's one writer waits.
-- Reservations get none: few rows are there at a time, and each request would have one more index to
-- write. Refunds and disputes neither: nearly all of their rows are old, and stay.

CREATE INDEX sessions_by_expiry ON sessions (expires_at);
CREATE INDEX code_tries_by_time ON code_tries (tried_at);
CREATE INDEX challenges_by_time ON challenges (created_at);
CREATE INDEX payments_unopened ON payments (created_at) WHERE status = 'pending' AND session_id IS NULL;
