import { keyLogLimits } from '../policy/limits.ts';
import type { Accounts } from './accounts.ts';
import type { KeyRequest, RequestBatch } from './messages.ts';
import type { KeyRow } from './rows.ts';
import type { Tables } from './tables.ts';

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

/** Batches that are remembered because a call may be repeated. */
const maxBatches = 100;

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
  readonly seq: number;
  readonly day: number;
  readonly entries: readonly Entry[];
}

/**
 * The latest requests with each key, exactly those that were recorded last. They are in a ring of rows: the oldest one is
 * overwritten, so none has to be deleted while a key is used, and requests that are recorded together share a row.
 */
export class RequestLog {
  readonly #tables: Tables;
  readonly #accounts: Accounts;
  /** The open slot of each key of which a request was recorded since the meter was loaded, by the id of the key. */
  readonly #open = new Map<string, OpenSlot>();
  /** The ids of the latest batches, oldest first. */
  readonly #batches = new Set<string>();
  /** Day of the oldest row; null if there is none. */
  #oldestDay: number | null;
  /** Meters do not all delete at midnight. */
  readonly #delay = Math.random() * deletionSpread;

  constructor(tables: Tables, accounts: Accounts) {
    this.#tables = tables;
    this.#accounts = accounts;
    this.#oldestDay = tables.oldestSlotDay();
  }

  /** Whether the keys of all requests are known here. */
  knows({ requests }: RequestBatch): boolean {
    return requests.every(({ keyHash }) => this.#accounts.keyOf(keyHash) !== null);
  }

  /** Records requests, except those with an unknown key or of a deleted account. Writes at most one row for each. */
  record({ id, requests }: RequestBatch, now: number): void {
    if (this.#batches.has(id)) return;
    this.#batches.add(id);
    const [oldest] = this.#batches;
    if (this.#batches.size > maxBatches && oldest !== undefined) this.#batches.delete(oldest);
    for (const [keyHash, ofKey] of Map.groupBy(requests, (request) => request.keyHash)) {
      const key = this.#accounts.keyOf(keyHash);
      if (key) this.#append(key, ofKey.slice(-keyLogLimits.requests).map(entryOf), now);
    }
  }

  #append({ id: keyId, userId }: KeyRow, added: readonly Entry[], now: number): void {
    const day = Math.floor(now / dayLength);
    let open = this.#open.get(keyId) ?? this.#lastOf(userId, keyId);
    let rest = added;
    while (rest.length > 0) {
      // The clock of another machine may be behind.
      const isOpen = open.entries.length < slotSize && open.day >= day;
      if (!isOpen) open = { seq: open.seq + 1, day, entries: [] };
      const room = slotSize - open.entries.length;
      open = { ...open, entries: [...open.entries, ...rest.slice(0, room)] };
      rest = rest.slice(room);
      const slot = open.seq % slotCount;
      const requests = JSON.stringify(open.entries);
      this.#tables.saveSlot({ userId, keyId, slot, seq: open.seq, day: open.day, requests });
    }
    this.#open.set(keyId, open);
    this.#oldestDay = Math.min(this.#oldestDay ?? open.day, open.day);
  }

  #lastOf(userId: string, keyId: string): OpenSlot {
    const [last] = this.#tables.slotsOf(userId, keyId, 1);
    if (!last) return { seq: -1, day: -1, entries: [] };
    return { seq: last.seq, day: last.day, entries: entriesIn(last.requests) };
  }

  /** The latest requests with a key, newest first. */
  of(userId: string, keyId: string, now: number): readonly KeyRequest[] {
    const since = now - keyLogLimits.days * dayLength;
    return this.#tables
      .slotsOf(userId, keyId, -1)
      .flatMap(({ requests }) => entriesIn(requests).toReversed())
      .slice(0, keyLogLimits.requests)
      .map(requestOf)
      .filter(({ at }) => at > since)
      .sort((one, other) => other.at - one.at);
  }

  /** When there will be requests to delete, in milliseconds since 1970; null if none are kept. */
  get nextDeletion(): number | null {
    if (this.#oldestDay === null) return null;
    return (this.#oldestDay + keyLogLimits.days + 1) * dayLength + this.#delay;
  }

  /** Deletes the requests that are too old to be shown, and all of deleted accounts. */
  forget(now: number): void {
    if (this.#oldestDay === null) return;
    this.#tables.deleteLogsOfDeleted();
    const lastDay = Math.floor(now / dayLength) - keyLogLimits.days - 1;
    if (this.#oldestDay > lastDay) return;
    this.#tables.deleteSlots(lastDay);
    this.#open.clear();
    this.#oldestDay = this.#tables.oldestSlotDay();
  }
}

function entryOf(request: KeyRequest): Entry {
  const { at, route, status, code, bytesIn, bytesOut, milliseconds, charged } = request;
  return [at, route, status, code, bytesIn, bytesOut, milliseconds, charged];
}

function requestOf(entry: Entry): KeyRequest {
  const [at, route, status, code, bytesIn, bytesOut, milliseconds, charged] = entry;
  return { at, route, status, code, bytesIn, bytesOut, milliseconds, charged };
}

function entriesIn(requests: string): readonly Entry[] {
  return JSON.parse(requests) as readonly Entry[];
}
