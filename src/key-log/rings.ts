import type { ObjectSql } from '../platform.ts';
import { keyLogLimits } from '../policy/limits.ts';
import type { Erasure } from '../store/accounts.ts';

/** A request with a key, as its owner sees it: figures, a route and a code, and nothing that the client sent as it was. */
export interface KeyRequest {
  /** When its headers arrived, in milliseconds since 1970. */
  readonly at: number;
  /** The pattern that its path matched, such as `/v1/optimize`. */
  readonly route: string;
  readonly status: number;
  /** The error code of its response; null if there is none. */
  readonly code: string | null;
  /** Sizes of the source and of the results in bytes; null if there are none. */
  readonly bytesIn: number | null;
  readonly bytesOut: number | null;
  /** From the arrival of the headers until the response was ready to be sent. */
  readonly milliseconds: number;
  /** How many of its results were charged. */
  readonly charged: number;
}

/**
 * The tables, made with the first row. Every changed row is billed. A slot holds requests that were recorded on the same day,
 * so that all of them become too old together.
 * @internal
 */
export const keyLogSchema = `
  CREATE TABLE slots (
    key_hash  TEXT NOT NULL,
    slot      INTEGER NOT NULL,  -- seq modulo the number of slots
    user_id   TEXT NOT NULL,
    seq       INTEGER NOT NULL,  -- increases with every slot begun
    day       INTEGER NOT NULL,  -- days from 1970 to the recording, UTC
    requests  TEXT NOT NULL,     -- JSON, oldest first
    PRIMARY KEY (key_hash, slot)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE erased (
    user_id  TEXT PRIMARY KEY,
    day      INTEGER NOT NULL    -- days from 1970 to the erasure, UTC
  ) STRICT, WITHOUT ROWID`;

/**
 * What becomes of the rows of an account that is deleted.
 * @internal
 */
export const keyLogErasures: Readonly<Record<string, Erasure>> = {
  slots: { erased: 'rows', kept: {} },
  erased: {
    erased: [],
    kept: { 'take no requests that end later, for a week': ['user_id', 'day'] },
  },
};

const dayLength = 24 * 60 * 60 * 1000;

/** Requests in a row: with more of them, each row that is written would be longer, and the cost per row is the same. */
const slotSize = 20;

/**
 * Rows of each key. One that was begun on an earlier day is not filled up, and the requests that are shown were recorded
 * on one day more than they are kept for.
 */
const slotCount = Math.ceil(keyLogLimits.requests / slotSize) + keyLogLimits.days + 1;

/** How long after the end of their last day old requests are deleted at most, in milliseconds. */
const deletionSpread = 6 * 60 * 60 * 1000;

/** A request as it is stored: short, because its row is written again with each request that joins it. */
type Entry = [
  at: number,
  route: string,
  status: number,
  code: string | null,
  bytesIn: number | null,
  bytesOut: number | null,
  milliseconds: number,
  charged: number,
];

/** The row to which the next requests of a key are added. */
interface OpenSlot {
  readonly userId: string;
  readonly seq: number;
  readonly day: number;
  readonly entries: readonly Entry[];
}

/**
 * The latest requests with each key of a mailbox, exactly those that were recorded last. Those of a key are in a ring of rows:
 * the oldest one is overwritten, so none has to be deleted while a key is used, and requests that are recorded together share
 * a row.
 */
export class Rings {
  readonly #sql: ObjectSql;
  #hasTables: boolean;
  /** The open slot of each key that was looked up, by its hash; of keys without requests there is none. */
  readonly #open = new Map<string, OpenSlot>();
  /** Day of the oldest row; null if there is none. */
  #oldestDay: number | null;
  /** Not everything is deleted at midnight. */
  readonly #delay = Math.random() * deletionSpread;

  /** Billed rows written so far. */
  rowsWritten = 0;

  constructor(sql: ObjectSql) {
    this.#sql = sql;
    const [found] = sql.exec("SELECT 1 FROM sqlite_schema WHERE name = 'slots'").toArray();
    this.#hasTables = found !== undefined;
    this.#oldestDay = this.#readOldestDay();
  }

  /** The user of a key of which there are requests; null if there are none. */
  ownerOf(keyHash: string): string | null {
    return this.#openOf(keyHash)?.userId ?? null;
  }

  /** Adds requests with a key of a user, in the order in which they ended, unless the user was erased. */
  append(keyHash: string, userId: string, requests: readonly KeyRequest[], now: number): void {
    this.#makeTables();
    if (this.#isErased(userId)) return;
    const day = dayOf(now);
    let open = this.#openOf(keyHash) ?? { userId, seq: -1, day: -1, entries: [] };
    let rest = requests.slice(-keyLogLimits.requests).map(entryOf);
    while (rest.length > 0) {
      // The clock of another machine may be behind.
      const isOpen = open.entries.length < slotSize && open.day >= day;
      if (!isOpen) open = { userId, seq: open.seq + 1, day, entries: [] };
      const room = slotSize - open.entries.length;
      open = { ...open, entries: [...open.entries, ...rest.slice(0, room)] };
      rest = rest.slice(room);
      this.#save(keyHash, open);
    }
    this.#oldestDay = Math.min(this.#oldestDay ?? open.day, open.day);
  }

  #save(keyHash: string, open: OpenSlot): void {
    const { userId, seq, day, entries } = open;
    this.#write(
      'INSERT OR REPLACE INTO slots VALUES (?, ?, ?, ?, ?, ?)',
      ...[keyHash, seq % slotCount, userId, seq, day, JSON.stringify(entries)],
    );
    this.#open.set(keyHash, open);
  }

  /** The latest requests with a key, newest first. */
  of(keyHash: string, now: number): readonly KeyRequest[] {
    const since = now - keyLogLimits.days * dayLength;
    return this.#rows('SELECT requests FROM slots WHERE key_hash = ? ORDER BY seq DESC', keyHash)
      .flatMap(({ requests }) => entriesIn(requests).toReversed())
      .slice(0, keyLogLimits.requests)
      .map(requestOf)
      .filter(({ at }) => at > since)
      .sort((one, other) => other.at - one.at);
  }

  /** Deletes all requests of a user, and takes no more of them. */
  erase(userId: string, now: number): void {
    this.#makeTables();
    this.#write('DELETE FROM slots WHERE user_id = ?', userId);
    this.#write('INSERT OR REPLACE INTO erased VALUES (?, ?)', userId, dayOf(now));
    this.#reload();
  }

  /** Whether there is nothing to delete, now or later. */
  get isEmpty(): boolean {
    return this.#oldestDay === null;
  }

  /** When there will be something to delete, in milliseconds since 1970; if there is nothing yet, as if it came now. */
  nextDeletion(now: number): number {
    const day = this.#oldestDay ?? dayOf(now);
    return (day + keyLogLimits.days + 1) * dayLength + this.#delay;
  }

  /** Deletes the requests that are too old to be shown. */
  forget(now: number): void {
    const lastDay = dayOf(now) - keyLogLimits.days - 1;
    if (this.#oldestDay === null || this.#oldestDay > lastDay) return;
    this.#write('DELETE FROM slots WHERE day <= ?', lastDay);
    this.#write('DELETE FROM erased WHERE day <= ?', lastDay);
    this.#reload();
  }

  #openOf(keyHash: string): OpenSlot | null {
    const known = this.#open.get(keyHash);
    if (known) return known;
    const [last] = this.#rows(
      'SELECT * FROM slots WHERE key_hash = ? ORDER BY seq DESC LIMIT 1',
      keyHash,
    );
    if (!last) return null;
    const { user_id, seq, day, requests } = last;
    const entries = entriesIn(requests);
    const open = { userId: String(user_id), seq: Number(seq), day: Number(day), entries };
    this.#open.set(keyHash, open);
    return open;
  }

  #isErased(userId: string): boolean {
    return this.#rows('SELECT 1 FROM erased WHERE user_id = ?', userId).length > 0;
  }

  #makeTables(): void {
    if (!this.#hasTables) this.#sql.exec(keyLogSchema);
    this.#hasTables = true;
  }

  #reload(): void {
    this.#open.clear();
    this.#oldestDay = this.#readOldestDay();
  }

  #readOldestDay(): number | null {
    const days = 'SELECT day FROM slots UNION ALL SELECT day FROM erased';
    const [row] = this.#rows(`SELECT min(day) AS day FROM (${days})`);
    return row && row.day !== null ? Number(row.day) : null;
  }

  #write(sql: string, ...values: (string | number)[]): void {
    this.rowsWritten += this.#sql.exec(sql, ...values).rowsWritten;
  }

  #rows(sql: string, ...values: string[]): Row[] {
    return this.#hasTables ? this.#sql.exec(sql, ...values).toArray() : [];
  }
}

type Row = ReturnType<ReturnType<ObjectSql['exec']>['toArray']>[number];

/** Days since 1970, UTC. */
function dayOf(now: number): number {
  return Math.floor(now / dayLength);
}

function entryOf(request: KeyRequest): Entry {
  const { at, route, status, code, bytesIn, bytesOut, milliseconds, charged } = request;
  return [at, route, status, code, bytesIn, bytesOut, milliseconds, charged];
}

function requestOf(entry: Entry): KeyRequest {
  const [at, route, status, code, bytesIn, bytesOut, milliseconds, charged] = entry;
  return { at, route, status, code, bytesIn, bytesOut, milliseconds, charged };
}

function entriesIn(requests: Row[string] | undefined): readonly Entry[] {
  return JSON.parse(String(requests)) as readonly Entry[];
}
