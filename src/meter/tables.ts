import type { ObjectSql } from '../platform.ts';
import type { QuotaMailKind } from '../policy/quota.ts';
import type {
  AccountRow,
  Doubt,
  KeyRow,
  LaneRow,
  MadeResult,
  MailboxRow,
  PaymentRow,
  QuotaMailRow,
  Reservation,
  StoredState,
} from './rows.ts';
import { schemaSteps } from './schema.ts';

type Row = ReturnType<ReturnType<ObjectSql['exec']>['toArray']>[number];

type Value = Row[string];

/** Reads and writes the tables; calls without an `await` between them form one transaction. */
export class Tables {
  readonly #sql: ObjectSql;

  /** Billed rows written since the object was loaded. */
  rowsWritten = 0;

  constructor(sql: ObjectSql) {
    this.#sql = sql;
    sql.exec('CREATE TABLE IF NOT EXISTS schema_steps (step INTEGER PRIMARY KEY) STRICT');
    const applied = this.#rows('SELECT step FROM schema_steps').length;
    for (const [step, statements] of schemaSteps.entries()) {
      if (step < applied) continue;
      sql.exec(statements);
      sql.exec('INSERT INTO schema_steps VALUES (?)', step);
    }
  }

  read(): StoredState | null {
    const [mailbox] = this.#rows('SELECT * FROM mailbox');
    if (mailbox === undefined) return null;
    return {
      mailbox: {
        version: number(mailbox.version),
        freeMonth: text(mailbox.free_month),
        freeUsed: number(mailbox.free_used),
        unchargedDay: text(mailbox.uncharged_day),
        uncharged: number(mailbox.uncharged),
        unchargedCpu: number(mailbox.uncharged_cpu),
        flush: number(mailbox.flush),
        flushedSeq: number(mailbox.flushed_seq),
      },
      accounts: this.#rows('SELECT * FROM accounts').map((row) => ({
        userId: text(row.user_id),
        version: number(row.version),
        isDeleted: row.is_deleted === 1,
        granted: number(row.granted),
        credited: number(row.credited),
        used: number(row.used),
      })),
      payments: this.#rows('SELECT * FROM payments').map((row) => ({
        id: text(row.id),
        userId: text(row.user_id),
        version: number(row.version),
        granted: number(row.granted),
        standing: number(row.standing),
        paidAt: numberOrNull(row.paid_at),
      })),
      keys: this.#rows('SELECT * FROM keys').map((row) => ({
        id: text(row.id),
        userId: text(row.user_id),
        hash: text(row.hash),
        version: number(row.version),
        isRevoked: row.is_revoked === 1,
        isReported: row.is_told === 1,
        allTime: number(row.all_time),
        lastUsedAt: numberOrNull(row.last_used_at),
        monthlyLimit: numberOrNull(row.monthly_limit),
        expiresAt: numberOrNull(row.expires_at),
        revokesAt: numberOrNull(row.revokes_at),
        month: text(row.month),
        monthUsed: number(row.month_used),
      })),
      lanes: this.#rows('SELECT * FROM lanes ORDER BY id').map(laneOf),
      doubts: this.#rows('SELECT * FROM doubts').map((row) => ({
        id: number(row.id),
        keyId: row.key_id === null ? null : text(row.key_id),
        until: number(row.until),
      })),
      quotaMails: this.#rows('SELECT * FROM quota_mails').map((row) => ({
        kind: text(row.kind) as QuotaMailKind,
        period: text(row.period),
        userId: text(row.user_id),
        origin: text(row.origin),
        isDone: row.is_done === 1,
      })),
    };
  }

  saveMailbox(row: MailboxRow): void {
    this.#write(
      'INSERT OR REPLACE INTO mailbox VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?)',
      ...[row.version, row.freeMonth, row.freeUsed],
      ...[row.unchargedDay, row.uncharged, row.unchargedCpu, row.flush, row.flushedSeq],
    );
  }

  saveAccount({ userId, version, isDeleted, granted, credited, used }: AccountRow): void {
    const values = [userId, version, isDeleted ? 1 : 0, granted, credited, used];
    this.#write('INSERT OR REPLACE INTO accounts VALUES (?, ?, ?, ?, ?, ?)', ...values);
  }

  savePayment({ id, userId, version, granted, standing, paidAt }: PaymentRow): void {
    const values = [id, userId, version, granted, standing, paidAt];
    this.#write('INSERT OR REPLACE INTO payments VALUES (?, ?, ?, ?, ?, ?)', ...values);
  }

  saveKey(row: KeyRow): void {
    this.#write(
      'INSERT OR REPLACE INTO keys VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
      ...[row.id, row.userId, row.hash, row.version, row.isRevoked ? 1 : 0, row.isReported ? 1 : 0],
      ...[row.allTime, row.lastUsedAt, row.monthlyLimit, row.expiresAt, row.revokesAt],
      ...[row.month, row.monthUsed],
    );
  }

  deleteKey(id: string): void {
    this.#write('DELETE FROM keys WHERE id = ?', id);
  }

  saveLane(lane: LaneRow): void {
    const { reservation } = lane;
    this.#write(
      'INSERT OR REPLACE INTO lanes VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
      ...[lane.id, lane.userId, lane.keyId, lane.day, lane.seq],
      ...[lane.files, lane.bytesIn, lane.bytesOut, lane.bytesSaved, lane.free, lane.paid],
      ...[lane.uncharged, lane.unchargedCpu, lane.lastUsedAt],
      ...(reservation === null
        ? [null, null, 0, 0]
        : [idText(reservation), reservation.pool, reservation.cpu, reservation.expiresAt]),
    );
  }

  saveQuotaMail({ kind, period, userId, origin, isDone }: QuotaMailRow): void {
    const values = [kind, period, userId, origin, isDone ? 1 : 0];
    this.#write('INSERT OR REPLACE INTO quota_mails VALUES (?, ?, ?, ?, ?)', ...values);
  }

  saveDoubt({ id, keyId, until }: Doubt): void {
    this.#write('INSERT INTO doubts VALUES (?, ?, ?)', id, keyId, until);
  }

  deleteDoubt(id: number): void {
    this.#write('DELETE FROM doubts WHERE id = ?', id);
  }

  deleteLane(id: number): void {
    this.#write('DELETE FROM lanes WHERE id = ?', id);
  }

  /** When a result was charged that is charged once; null if never, or no longer known. */
  chargedAt(userId: string, file: string): number | null {
    const [row] = this.#rows(
      'SELECT charged_at FROM charged_files WHERE user_id = ? AND file = ?',
      userId,
      file,
    );
    return row === undefined ? null : number(row.charged_at);
  }

  markCharged(userId: string, file: string, now: number): void {
    this.#write('INSERT OR REPLACE INTO charged_files VALUES (?, ?, ?)', userId, file, now);
  }

  /** Deletes the records of results charged up to `until`, and all those of deleted accounts. */
  forgetCharged(until: number): void {
    this.#write(
      `DELETE FROM charged_files WHERE charged_at <= ?
       OR user_id IN (SELECT user_id FROM accounts WHERE is_deleted = 1)`,
      until,
    );
  }

  /** When the oldest result was charged that is charged once; null if none is known. */
  firstCharged(): number | null {
    const [row] = this.#rows('SELECT min(charged_at) AS at FROM charged_files');
    return numberOrNull(row?.at);
  }

  /** The first month of which results of sites are known, YYYY-MM; null if none are. */
  firstMonthMade(): string | null {
    // There may be millions: those of each account are found by the key of the table.
    const [row] = this.#rows(
      `SELECT min((SELECT month FROM made_results m
                   WHERE m.user_id = accounts.user_id ORDER BY month LIMIT 1)) AS month
       FROM accounts`,
    );
    return row?.month == null ? null : text(row.month);
  }

  /** Whether a result that a site has made in a month was charged; null if it has not been made. */
  wasChargedAsMade({ userId, month, siteId, file }: MadeResult): boolean | null {
    const [row] = this.#rows(
      `SELECT is_charged FROM made_results
       WHERE user_id = ? AND month = ? AND site_id = ? AND file = ?`,
      ...[userId, month, siteId, file],
    );
    return row === undefined ? null : row.is_charged === 1;
  }

  /** The results that a site has made in a month whose names begin like `file`, at most this many. */
  madeLike({ userId, month, siteId, file }: MadeResult, most: number): readonly string[] {
    const rows = this.#rows(
      `SELECT file FROM made_results
       WHERE user_id = ? AND month = ? AND site_id = ? AND file >= ? AND file < ? LIMIT ?`,
      ...[userId, month, siteId, file, `${file}\u{10FFFF}`, most],
    );
    return rows.map((row) => text(row.file));
  }

  saveMade({ userId, month, siteId, file }: MadeResult, isCharged: boolean): void {
    const values = [userId, month, siteId, file, isCharged ? 1 : 0];
    this.#write('INSERT OR REPLACE INTO made_results VALUES (?, ?, ?, ?, ?)', ...values);
  }

  /**
   * Deletes the records of results that the sites of a user have made before a month.
   * @param most how many rows; the others are for another call
   */
  forgetMade(userId: string, month: string, most: number): void {
    this.#write(
      `DELETE FROM made_results WHERE (user_id, month, site_id, file) IN (
         SELECT user_id, month, site_id, file FROM made_results
         WHERE user_id = ? AND month < ? LIMIT ?)`,
      ...[userId, month, most],
    );
  }

  #write(sql: string, ...values: (string | number | null)[]): void {
    this.rowsWritten += this.#sql.exec(sql, ...values).rowsWritten;
  }

  #rows(sql: string, ...values: (string | number | null)[]): Row[] {
    return this.#sql.exec(sql, ...values).toArray();
  }
}

function laneOf(row: Row): LaneRow {
  return {
    id: number(row.id),
    userId: text(row.user_id),
    keyId: text(row.key_id),
    day: text(row.day),
    seq: number(row.seq),
    files: number(row.files),
    bytesIn: number(row.bytes_in),
    bytesOut: number(row.bytes_out),
    bytesSaved: number(row.bytes_saved),
    free: number(row.free),
    paid: number(row.paid),
    uncharged: number(row.uncharged),
    unchargedCpu: number(row.uncharged_cpu),
    lastUsedAt: numberOrNull(row.last_used_at),
    reservation:
      row.reservation === null
        ? null
        : {
            ...idsIn(text(row.reservation)),
            pool: row.pool === 'paid' || row.pool === 'none' ? row.pool : 'free',
            cpu: number(row.cpu),
            expiresAt: number(row.expires_at),
          },
  };
}

type Ids = Pick<Reservation, 'id' | 'awaitsFetch' | 'takenOver' | 'makes'>;

/** Everything is in one column, so that a Worker of an earlier version can read and write the row as well. */
function idText({ id, awaitsFetch, takenOver, makes }: Ids): string {
  if (awaitsFetch) return `${id} awaits`;
  if (makes) return `${id} makes ${makes.path} ${makes.file}`;
  return takenOver ? `${id} for ${takenOver.id} ${takenOver.cpu} ${takenOver.expiresAt}` : id;
}

function idsIn(column: string): Ids {
  const [id = '', word, from = '', cpu, expiresAt] = column.split(' ');
  const takenOver =
    word === 'for' ? { id: from, cpu: Number(cpu), expiresAt: Number(expiresAt) } : null;
  const makes = word === 'makes' ? { path: from, file: cpu ?? '' } : null;
  return { id, awaitsFetch: word === 'awaits', takenOver, makes };
}

const number = (value: Value | undefined): number => Number(value);
const text = (value: Value | undefined): string => String(value);
const numberOrNull = (value: Value | undefined): number | null =>
  value === null || value === undefined ? null : Number(value);
