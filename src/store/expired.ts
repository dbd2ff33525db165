/** No limit looks further back than this, in milliseconds. */
const day = 24 * 60 * 60 * 1000;

/** How long refunds and disputes of unknown payments are kept, in days. */
const maxUnmatchedDays = 30;

/**
 * How many rows a statement changes at most. The database serves nobody else meanwhile, so it bounds how
 * long anyone waits: `npm run bench:clearing` measures it.
 */
export const maxSliceRows = 125;

/** How many statements a run executes at most: D1 allows 1,000 per invocation of a Worker. */
export const maxStatements = 900;

/** What counts as expired. */
export interface ClearingTerms {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Figures of days before this one, YYYY-MM-01, are rolled up into those of their months. */
  readonly firstDayKept: string;
}

/**
 * Clears a table slice by slice, each one transaction: a step clears a slice and returns how many
 * statements that took.
 */
type Clearing = AsyncGenerator<number, void>;

/**
 * Deletes expired rows and rolls up old statistics, slice by slice and the tables in turns, until nothing is
 * left or the statements of a run are used up: the next run continues. Runs may be repeated, interrupted, and
 * overlap. Nothing depends on them: every gate checks the time itself.
 */
export async function clearExpired(db: D1Database, terms: ClearingTerms): Promise<void> {
  let open = clearings(db, terms);
  let statements = 0;
  while (open.length > 0) {
    const unfinished: Clearing[] = [];
    for (const clearing of open) {
      if (statements >= maxStatements) return;
      const { value, done } = await clearing.next();
      if (done) continue;
      statements += value;
      unfinished.push(clearing);
    }
    open = unfinished;
  }
}

function clearings(db: D1Database, { now, firstDayKept }: ClearingTerms): Clearing[] {
  return [
    untilNoneIsLeft(db, [expiredSessions], now),
    signInCodes(db, now - day),
    untilNoneIsLeft(db, [mailDays], now - day),
    untilNoneIsLeft(db, [trials], now),
    untilNoneIsLeft(db, [trialDays], now - day),
    untilNoneIsLeft(db, [leftMailboxes], now),
    untilNoneIsLeft(db, [addToMonths, deleteDays], firstDayKept),
    unmatchedFacts(db, refunds, now - maxUnmatchedDays * day),
    unmatchedFacts(db, disputes, now - maxUnmatchedDays * day),
    untilNoneIsLeft(db, [unopenedPayments], now - day),
  ];
}

// In the statements below: ?1 what expired rows are compared with, ?2 the rows of a slice.

const expiredSessions = `
  DELETE FROM sessions WHERE hash IN (
    SELECT hash FROM sessions WHERE expires_at <= ?1 ORDER BY expires_at LIMIT ?2)`;

const codeTries = `
  DELETE FROM code_tries WHERE id IN (
    SELECT id FROM code_tries WHERE tried_at <= ?1 ORDER BY tried_at LIMIT ?2)`;

const challenges = `
  DELETE FROM challenges WHERE id IN (
    SELECT id FROM challenges WHERE created_at <= ?1
    AND NOT EXISTS (SELECT 1 FROM code_tries WHERE challenge_id = challenges.id)
    ORDER BY created_at LIMIT ?2)`;

const mailDays = `
  DELETE FROM mail_days WHERE day IN (
    SELECT day FROM mail_days WHERE day < strftime('%Y-%m-%d', ?1 / 1000, 'unixepoch')
    ORDER BY day LIMIT ?2)`;

const trials = `
  DELETE FROM trials WHERE id IN (
    SELECT id FROM trials WHERE day < strftime('%Y-%m-%d', ?1 / 1000, 'unixepoch')
    ORDER BY day LIMIT ?2)`;

const trialDays = `
  DELETE FROM trial_days WHERE day IN (
    SELECT day FROM trial_days WHERE day < strftime('%Y-%m-%d', ?1 / 1000, 'unixepoch')
    ORDER BY day LIMIT ?2)`;

const leftMailboxes = `
  UPDATE mailboxes SET name = NULL, left_at = NULL WHERE id IN (
    SELECT id FROM mailboxes
    WHERE left_at < unixepoch(strftime('%Y-%m-01', ?1 / 1000, 'unixepoch')) * 1000
    ORDER BY left_at LIMIT ?2)`;

// The Worker died before it knew the Checkout session; no customer was sent there. SQLite by itself would take
// the index of session ids, and sort all of those that are null.
const unopenedPayments = `
  UPDATE payments SET status = 'failed' WHERE id IN (
    SELECT id FROM payments INDEXED BY payments_unopened
    WHERE status = 'pending' AND session_id IS NULL AND created_at <= ?1
    ORDER BY created_at LIMIT ?2)`;

// Days are added to their month and deleted in one transaction, and both statements choose the same rows: no
// file is lost or counted twice, whenever a run ends and however many there are. A day that is booked later
// than its month was rolled up would be added to it by the next run.
const oldestDays = `
  SELECT * FROM usage_days WHERE day < ?1 ORDER BY day, user_id, key_id LIMIT ?2`;

const addToMonths = `
  INSERT INTO usage_months (user_id, month, key_id, files, bytes_in, bytes_out, bytes_saved)
  SELECT user_id, substr(day, 1, 7), key_id,
         sum(files), sum(bytes_in), sum(bytes_out), sum(bytes_saved)
  FROM (${oldestDays}) GROUP BY 1, 2, 3
  ON CONFLICT (user_id, month, key_id) DO UPDATE SET
    files = files + excluded.files,
    bytes_in = bytes_in + excluded.bytes_in,
    bytes_out = bytes_out + excluded.bytes_out,
    bytes_saved = bytes_saved + excluded.bytes_saved`;

const deleteDays = `
  DELETE FROM usage_days WHERE (user_id, day, key_id) IN (
    SELECT user_id, day, key_id FROM (${oldestDays}))`;

/** Clears rows of which the last statement changes a slice at a time, as long as there are some. */
async function* untilNoneIsLeft(
  db: D1Database,
  slice: readonly string[],
  expired: number | string,
): Clearing {
  for (;;) {
    const results = await db.batch(slice.map((sql) => db.prepare(sql).bind(expired, maxSliceRows)));
    yield results.length;
    if ((results.at(-1)?.meta.changes ?? 0) < maxSliceRows) return;
  }
}

/**
 * Deletes tries, and then the challenges that none points at any more. Challenges wait until all expired tries
 * have gone: each statement passes over those that still have tries, and by then these are few.
 */
async function* signInCodes(db: D1Database, expired: number): Clearing {
  yield* untilNoneIsLeft(db, [codeTries], expired);
  yield* untilNoneIsLeft(db, [challenges], expired);
}

/** A table of what Stripe reported about payment intents. */
interface Facts {
  readonly table: string;
  readonly primaryKey: string;
}

const refunds: Facts = { table: 'payment_refunds', primaryKey: 'payment_intent, currency' };
const disputes: Facts = { table: 'payment_disputes', primaryKey: 'id' };

/**
 * Deletes facts of payments that nobody knows. Nearly all facts are old and stay, so these are passed over,
 * the latest first: where there are more than a run gets through, the others were examined when they were younger.
 */
async function* unmatchedFacts(
  db: D1Database,
  { table, primaryKey }: Facts,
  expired: number,
): Clearing {
  const slice = `
    SELECT * FROM ${table} WHERE seen_at <= ?1 ORDER BY seen_at DESC LIMIT ?2 OFFSET ?3`;
  for (let passed = 0; ; ) {
    const [counted, deleted] = await db.batch<{ rows: number }>(
      [
        `SELECT count(*) AS rows FROM (${slice})`,
        `DELETE FROM ${table} WHERE (${primaryKey}) IN (
           SELECT ${primaryKey} FROM (${slice}) AS fact
           WHERE NOT EXISTS (SELECT 1 FROM payments WHERE payment_intent = fact.payment_intent))`,
      ].map((sql) => db.prepare(sql).bind(expired, maxSliceRows, passed)),
    );
    yield 2;
    const examined = counted?.results[0]?.rows ?? 0;
    if (examined < maxSliceRows) return;
    passed += examined - (deleted?.meta.changes ?? 0);
  }
}
