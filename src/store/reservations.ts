import { z } from 'zod';
import type { QuotaTerms } from '../policy/quota.ts';
import { newId } from './database.ts';

/**
 * How long an unsettled reservation counts, in milliseconds: longer than the slowest answer takes to leave, which is
 * 32 MiB at 16 KiB a second, with all that comes before it.
 */
export const reservationLife = 45 * 60 * 1000;

/** For how long after it was charged an image of the cabinet is not charged again, in milliseconds. */
export const chargedFileLife = 60 * 60 * 1000;

/** The caller: a key by its hash, or a user in the cabinet. */
export type Caller = { readonly keyHash: string } | { readonly userId: string };

/**
 * Computing time that every reservation includes, in predicted milliseconds. Most work takes less; what takes more is
 * raised to it (`reserveCpu`) once that is known.
 */
export const reservedCpuMs = 500;

export interface Reservation {
  readonly id: string;
  readonly userId: string;
  /** Files left after this one, free and paid. */
  readonly remaining: number;
}

export type ReserveResult =
  | { readonly kind: 'unknown-caller' }
  /** `keyId` is that of the caller's key; null: the caller is a user at the cabinet. */
  | ({ readonly keyId: string | null } & Verdict);

type Verdict =
  | { readonly kind: 'reserved'; readonly reservation: Reservation }
  | { readonly kind: 'exhausted' }
  /** The day's uncharged answers or their computing time are used up, or would be if every request in flight ended as one. */
  | { readonly kind: 'too-many-uncharged'; readonly forToday: boolean };

// Numbered alike in both statements: ?1 key hash or user, ?2 reservation, ?3 now,
// ?4 free files per month, ?5 the month, ?6 uncharged answers per day, ?7 the day,
// ?8 their milliseconds per day, ?9 those that are reserved.
const callers = {
  key: `api_keys k JOIN users u ON u.id = k.user_id WHERE k.hash = ?1 AND k.status = 'active'`,
  user: '(SELECT NULL AS id) k JOIN users u WHERE u.id = ?1 AND u.email IS NOT NULL',
};
const balance = '(max(0, ?4 - iif(u.free_month >= ?5, u.free_used, 0)) + u.paid_files)';
const uncharged = 'iif(u.uncharged_day >= ?7, u.uncharged_used, 0)';
const unchargedCpu = 'iif(u.uncharged_day >= ?7, u.uncharged_cpu, 0)';
const openCpu =
  '(SELECT coalesce(sum(cpu), 0) FROM reservations r WHERE r.user_id = u.id AND r.expires_at > ?3)';
const open = '(SELECT count(*) FROM reservations r WHERE r.user_id = u.id AND r.expires_at > ?3)';

const outcomeRow = z.object({
  user_id: z.string(),
  key_id: z.string().nullable(),
  reserved: z.number(),
  remaining: z.number(),
  uncharged: z.number(),
});

/**
 * Authorizes the caller and reserves one file of the user's quota, in one
 * transaction and one round trip. The insert is the gate: it counts open
 * reservations itself, so parallel requests cannot exceed the quota.
 */
export async function authorizeAndReserve(
  db: D1Database,
  caller: Caller,
  { now, day, month, ...allowed }: QuotaTerms,
): Promise<ReserveResult> {
  const id = newId('res');
  const [from, who] =
    'keyHash' in caller ? [callers.key, caller.keyHash] : [callers.user, caller.userId];
  const { freeFilesPerMonth, unchargedPerDay, unchargedCpuMsPerDay } = allowed;
  const values = [
    ...[who, id, now, freeFilesPerMonth, month, unchargedPerDay, day],
    ...[unchargedCpuMsPerDay, reservedCpuMs],
  ];
  const [, outcome] = await db.batch([
    db
      .prepare(
        `INSERT INTO reservations (id, user_id, key_id, expires_at, cpu)
         SELECT ?2, u.id, k.id, ?10, ?9 FROM ${from} AND ${balance} > ${open}
           AND ${uncharged} + ${open} < ?6 AND ${unchargedCpu} + ${openCpu} + ?9 <= ?8`,
      )
      .bind(...values, now + reservationLife),
    db
      .prepare(
        `SELECT u.id AS user_id, k.id AS key_id, EXISTS (SELECT 1 FROM reservations WHERE id = ?2) AS reserved,
                max(0, ${balance} - ${open}) AS remaining,
                (${uncharged} >= ?6 OR ${unchargedCpu} + ?9 > ?8) AS uncharged
         FROM ${from}`,
      )
      .bind(...values),
  ]);
  const [first] = outcome?.results ?? [];
  if (first === undefined) return { kind: 'unknown-caller' };
  const { user_id: userId, key_id: keyId, ...row } = outcomeRow.parse(first);
  if (row.reserved === 1) {
    return { kind: 'reserved', keyId, reservation: { id, userId, remaining: row.remaining } };
  }
  if (row.remaining === 0) return { kind: 'exhausted', keyId };
  return { kind: 'too-many-uncharged', keyId, forToday: row.uncharged === 1 };
}

/**
 * Raises the computing time of a reservation before the work begins. The update is the gate: it counts what is
 * booked and what is reserved, so parallel requests cannot exceed the day's time.
 * @param cpuMs predicted, in milliseconds
 */
export async function reserveCpu(
  db: D1Database,
  id: string,
  cpuMs: number,
  { now, day, unchargedCpuMsPerDay }: QuotaTerms,
): Promise<'reserved' | 'too-much-in-flight' | 'too-much-today'> {
  const booked = 'iif(u.uncharged_day >= ?4, u.uncharged_cpu, 0)';
  const [raised, left] = await db.batch([
    db
      .prepare(
        `UPDATE reservations SET cpu = ?2 WHERE id = ?1 AND ?5 >= ?2 + (
           SELECT ${booked} + (SELECT coalesce(sum(r.cpu), 0) FROM reservations r
                               WHERE r.user_id = u.id AND r.expires_at > ?3 AND r.id != ?1)
           FROM users u WHERE u.id = reservations.user_id)
         RETURNING id`,
      )
      .bind(id, Math.ceil(cpuMs), now, day, unchargedCpuMsPerDay),
    db
      .prepare(
        `SELECT 1 FROM reservations JOIN users u ON u.id = user_id
         WHERE reservations.id = ?1 AND ${booked} + ?2 <= ?5 AND ?3 > 0`,
      )
      .bind(id, Math.ceil(cpuMs), now, day, unchargedCpuMsPerDay),
  ]);
  if (raised?.results.length) return 'reserved';
  return left?.results.length ? 'too-much-in-flight' : 'too-much-today';
}

/** Returns a reserved file: nothing was answered that counts. */
export async function returnReservation(db: D1Database, id: string): Promise<void> {
  await db.prepare('DELETE FROM reservations WHERE id = ?1').bind(id).run();
}

/** The end of a request with a reservation, as it is booked. */
export interface Settlement {
  readonly reservationId: string;
  readonly terms: QuotaTerms;
  /** The file that was answered, sizes in bytes; null: the work led to a refusal. */
  readonly answered: { readonly bytesIn: number; readonly bytesOut: number } | null;
  /** Whether the file is taken off the quota: free first, then paid. */
  readonly charged: boolean;
  /** The file by a pseudonym, which is charged once in an hour; null: whenever it comes. */
  readonly file: string | null;
  /** What the work was predicted to take, in milliseconds. */
  readonly cpuMs: number;
}

/**
 * Books the ends of requests: counters, statistics, and the charge or the
 * uncharged answer, in one transaction. Every statement requires that its
 * reservation exists and the last one of each deletes it, so repeating the call books
 * nothing twice.
 */
export async function settleReservations(
  db: D1Database,
  settlements: readonly Settlement[],
): Promise<void> {
  await db.batch(
    settlements.flatMap((settlement) => {
      const { reservationId: id, answered, terms } = settlement;
      return [
        ...(answered ? [addToDay(db, id, answered, terms), addToKey(db, id, terms)] : []),
        ...chargeOrCount(db, settlement),
        db.prepare('DELETE FROM reservations WHERE id = ?1').bind(id),
      ];
    }),
  );
}

function chargeOrCount(
  db: D1Database,
  { reservationId: id, charged, file, cpuMs, terms }: Settlement,
): D1PreparedStatement[] {
  if (!charged) return [countUncharged(db, id, cpuMs, terms)];
  if (file === null) return [charge(db, id, terms)];
  // whoever has the mark of the file is charged, in whatever order they come
  return [
    markCharged(db, id, file, terms),
    charge(db, id, terms, isMarkedBy('=')),
    countUncharged(db, id, cpuMs, terms, isMarkedBy('!=')),
  ];

  function isMarkedBy(compared: '=' | '!='): Condition {
    return {
      sql: `AND (SELECT reservation_id FROM charged_files
                 WHERE user_id = users.id AND file = ?4) ${compared} ?1`,
      values: [file],
    };
  }
}

/** A further condition of a statement about the user of a reservation, and its values. */
interface Condition {
  readonly sql: string;
  readonly values: readonly unknown[];
}

const always: Condition = { sql: '', values: [] };

/** Marks a file as charged by this reservation, unless another one has charged it within the hour. */
function markCharged(
  db: D1Database,
  id: string,
  file: string,
  { now }: QuotaTerms,
): D1PreparedStatement {
  return db
    .prepare(
      `INSERT INTO charged_files (user_id, file, charged_at, reservation_id)
       SELECT user_id, ?2, ?3, id FROM reservations WHERE id = ?1
       ON CONFLICT (user_id, file) DO UPDATE SET
         charged_at = excluded.charged_at,
         reservation_id = excluded.reservation_id
       WHERE charged_at <= excluded.charged_at - ${chargedFileLife}`,
    )
    .bind(id, file, now);
}

/** Whether a file of the cabinet would not be charged again. */
export async function isCharged(
  db: D1Database,
  { userId, file, now }: { readonly userId: string; readonly file: string; readonly now: number },
): Promise<boolean> {
  const row = await db
    .prepare('SELECT 1 FROM charged_files WHERE user_id = ?1 AND file = ?2 AND charged_at > ?3')
    .bind(userId, file, now - chargedFileLife)
    .first();
  return row !== null;
}

function addToDay(
  db: D1Database,
  id: string,
  { bytesIn, bytesOut }: NonNullable<Settlement['answered']>,
  { day }: QuotaTerms,
): D1PreparedStatement {
  return db
    .prepare(
      `INSERT INTO usage_days (user_id, day, key_id, files, bytes_in, bytes_out, bytes_saved)
       SELECT user_id, ?2, coalesce(key_id, ''), 1, ?3, ?4, ?5 FROM reservations WHERE id = ?1
       ON CONFLICT (user_id, day, key_id) DO UPDATE SET
         files = files + 1,
         bytes_in = bytes_in + excluded.bytes_in,
         bytes_out = bytes_out + excluded.bytes_out,
         bytes_saved = bytes_saved + excluded.bytes_saved`,
    )
    .bind(id, day, bytesIn, bytesOut, Math.max(0, bytesIn - bytesOut));
}

function addToKey(db: D1Database, id: string, { now }: QuotaTerms): D1PreparedStatement {
  return db
    .prepare(
      `UPDATE api_keys SET all_time_used = all_time_used + 1,
                           last_used_at = max(coalesce(last_used_at, 0), ?2)
       WHERE id = (SELECT key_id FROM reservations WHERE id = ?1)`,
    )
    .bind(id, now);
}

/**
 * The right-hand sides see the row as it was, so the order of SET does not
 * matter. A file that is settled after the month has turned belongs to the
 * month that the row is in by then.
 */
function charge(
  db: D1Database,
  id: string,
  { month, freeFilesPerMonth }: QuotaTerms,
  { sql, values }: Condition = always,
): D1PreparedStatement {
  const used = 'iif(free_month >= ?2, free_used, 0)';
  return db
    .prepare(
      `UPDATE users SET
         paid_files = iif(${used} < ?3, paid_files, max(0, paid_files - 1)),
         free_used = iif(${used} < ?3, ${used} + 1, ${used}),
         free_month = max(free_month, ?2)
       WHERE id = (SELECT user_id FROM reservations WHERE id = ?1) ${sql}`,
    )
    .bind(id, month, freeFilesPerMonth, ...values);
}

function countUncharged(
  db: D1Database,
  id: string,
  cpuMs: number,
  { day }: QuotaTerms,
  { sql, values }: Condition = always,
): D1PreparedStatement {
  return db
    .prepare(
      `UPDATE users SET
         uncharged_used = iif(uncharged_day >= ?2, uncharged_used, 0) + 1,
         uncharged_cpu = iif(uncharged_day >= ?2, uncharged_cpu, 0) + ?3,
         uncharged_day = max(uncharged_day, ?2)
       WHERE id = (SELECT user_id FROM reservations WHERE id = ?1) ${sql}`,
    )
    .bind(id, day, Math.ceil(cpuMs), ...values);
}
