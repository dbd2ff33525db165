import type { D1Database } from '../platform.ts';

/** The longest window of any limit, in milliseconds. */
const day = 24 * 60 * 60 * 1000;

/** How long refunds and disputes of unknown payments are kept, in days. */
const maxUnmatchedDays = 30;

/**
 * Maximum number of rows that a statement changes. The database serves nobody else meanwhile, so this bounds how long
 * other queries wait; measured with `npm run bench:clearing`.
 */
export const maxSliceRows = 125;

/**
 * Maximum number of statements per run, and one more. D1 allows 1,000 per invocation of a Worker, and upkeep of sites in the
 * same one takes up to 550 (`site-upkeep.ts`).
 */
export const maxStatements = 440;

/** What counts as expired. */
export interface ClearingTerms {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Figures of days before this one, YYYY-MM-01, are rolled up into months. */
  readonly firstDayKept: string;
  /** Slugs of sites that were deleted at this time or before are free, in milliseconds since 1970. */
  readonly slugsFreeSince: number;
}

/**
 * Clears a table slice by slice, each slice in one transaction: each step clears a slice and yields the number of
 * statements it took.
 */
type Clearing = AsyncGenerator<number, void>;

/**
 * Deletes expired rows and rolls up old statistics, slice by slice and alternating between tables, until nothing is
 * left or the maximum number of statements is reached; the next run continues. Runs may be repeated, interrupted, and
 * overlap. Nothing depends on them, because every check looks at the time itself.
 */
export async function clearExpired(db: D1Database, terms: ClearingTerms): Promise<void> {
  let pending = clearings(db, terms);
  let statements = 0;
  while (pending.length > 0) {
    const unfinished: Clearing[] = [];
    for (const clearing of pending) {
      if (statements >= maxStatements) return;
      const { value, done } = await clearing.next();
      if (done) continue;
      statements += value;
      unfinished.push(clearing);
    }
    pending = unfinished;
  }
}

function clearings(
  db: D1Database,
  { now, firstDayKept, slugsFreeSince }: ClearingTerms,
): Clearing[] {
  return [
    clearSlices(db, [expiredSessions], now),
    signInCodes(db, now - day),
    clearSlices(db, [mailDays], now - day),
    clearSlices(db, [leftMailboxes], now),
    clearSlices(db, [addToMonths, deleteDays], firstDayKept),
    unmatchedFacts(db, refunds, now - maxUnmatchedDays * day),
    unmatchedFacts(db, disputes, now - maxUnmatchedDays * day),
    clearSlices(db, [unopenedPayments], now - day),
    clearSlices(db, [freeSlugs], slugsFreeSince),
  ];
}

// In the statements below: ?1 is the value that expired rows are compared with, ?2 the number of rows per slice.

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

const leftMailboxes = `
  UPDATE mailboxes SET name = NULL, left_at = NULL WHERE id IN (
    SELECT id FROM mailboxes
    WHERE left_at < unixepoch(strftime('%Y-%m-01', ?1 / 1000, 'unixepoch')) * 1000
    ORDER BY left_at LIMIT ?2)`;

// The Worker died before it knew the Checkout session, so no customer was sent there. Without the hint, SQLite would
// use the index of session ids, and sort all rows in which that is null.
const unopenedPayments = `
  UPDATE payments SET status = 'failed' WHERE id IN (
    SELECT id FROM payments INDEXED BY payments_unopened
    WHERE status = 'pending' AND session_id IS NULL AND created_at <= ?1
    ORDER BY created_at LIMIT ?2)`;

const freeSlugs = `
  DELETE FROM sites WHERE id IN (
    SELECT id FROM sites WHERE deleted_at <= ?1 ORDER BY deleted_at LIMIT ?2)`;

// Days are added to their month and deleted in one transaction, and both statements select the same rows, so no file is
// lost or counted twice, whenever a run ends and however many runs there are. A day that is booked after its month was
// rolled up is added to it by the next run.
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

/** Clears a table until no expired rows are left, in slices that the last statement changes. */
async function* clearSlices(
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
 * Deletes tries, and then the challenges without tries. Challenges come after all expired tries, because each statement
 * skips over those that still have tries, and by then these are few.
 */
async function* signInCodes(db: D1Database, expired: number): Clearing {
  yield* clearSlices(db, [codeTries], expired);
  yield* clearSlices(db, [challenges], expired);
}

/** A table of facts that Stripe reported about payment intents. */
interface Facts {
  readonly table: string;
  readonly primaryKey: string;
}

const refunds: Facts = { table: 'payment_refunds', primaryKey: 'payment_intent, currency' };
const disputes: Facts = { table: 'payment_disputes', primaryKey: 'id' };

/**
 * Deletes facts about unknown payments. Nearly all facts are old and stay, so they are skipped, latest first: if there
 * are more than one run can examine, the remaining ones were examined when they were newer.
 */
async function* unmatchedFacts(
  db: D1Database,
  { table, primaryKey }: Facts,
  expired: number,
): Clearing {
  const slice = `
    SELECT * FROM ${table} WHERE seen_at <= ?1 ORDER BY seen_at DESC LIMIT ?2 OFFSET ?3`;
  for (let skipped = 0; ; ) {
    const [counted, deleted] = await db.batch<{ rows: number }>(
      [
        `SELECT count(*) AS rows FROM (${slice})`,
        `DELETE FROM ${table} WHERE (${primaryKey}) IN (
           SELECT ${primaryKey} FROM (${slice}) AS fact
           WHERE NOT EXISTS (SELECT 1 FROM payments WHERE payment_intent = fact.payment_intent))`,
      ].map((sql) => db.prepare(sql).bind(expired, maxSliceRows, skipped)),
    );
    yield 2;
    const examined = counted?.results[0]?.rows ?? 0;
    if (examined < maxSliceRows) return;
    skipped += examined - (deleted?.meta.changes ?? 0);
  }
}
