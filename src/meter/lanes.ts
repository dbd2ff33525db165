import type { Flush } from '../store/mailboxes.ts';
import type { LaneRow, Reservation } from './rows.ts';
import type { Tables } from './tables.ts';

/** Whose files a lane counts, and on which UTC day. */
type Group = Pick<LaneRow, 'userId' | 'keyId' | 'day'>;

/**
 * The lanes of a mailbox (README.md), with the requests in flight that they have: in memory, with every change written to
 * the tables.
 */
export class Lanes {
  readonly #tables: Tables;
  readonly #lanes: Map<number, LaneRow>;
  /** Those with a reservation, by its id. */
  readonly #open: Map<string, LaneRow>;
  #lastId: number;
  #lastSeq: number;

  /** @param flushedSeq the highest number that any of them has had and D1 knows of */
  constructor(tables: Tables, kept: readonly LaneRow[], flushedSeq: number) {
    this.#tables = tables;
    this.#lanes = new Map(kept.map((row) => [row.id, row]));
    this.#open = new Map(
      kept.flatMap((lane) => (lane.reservation ? [[lane.reservation.id, lane]] : [])),
    );
    this.#lastId = Math.max(0, ...this.#lanes.keys());
    this.#lastSeq = Math.max(flushedSeq, ...kept.map(({ seq }) => seq));
  }

  /** The highest number of a lane: rises with every figure that changes. */
  get lastSeq(): number {
    return this.#lastSeq;
  }

  /** Those whose figures have changed since that number. */
  changedSince(seq: number): readonly LaneRow[] {
    return [...this.#lanes.values()].filter((lane) => lane.seq > seq);
  }

  /** The lane of a request in flight. */
  ofReservation(id: string): LaneRow | undefined {
    return this.#open.get(id);
  }

  /** Gives a request a lane of its own: one of the group that has none in flight any more, or another one. */
  open(group: Group, reservation: Reservation, now: number): void {
    const lane = this.#idle(group, now) ?? this.#add(group);
    if (lane.reservation) this.#open.delete(lane.reservation.id);
    this.#reserve(lane, reservation);
  }

  #reserve(lane: LaneRow, reservation: Reservation): void {
    lane.reservation = reservation;
    this.#open.set(reservation.id, lane);
    this.#tables.saveLane(lane);
  }

  /** Counts results that were made for later requests, and that nobody has fetched in time. */
  lapse(now: number): void {
    for (const lane of [...this.#open.values()]) {
      const { reservation } = lane;
      if (!reservation || isOpen(lane, now)) continue;
      const made = reservation.awaitsFetch ? reservation : reservation.takenOver;
      if (!made) continue;
      this.close(reservation.id);
      lane.uncharged += 1;
      lane.unchargedCpu += made.cpu;
      this.save(lane, { hasNewFigures: true });
    }
  }

  /**
   * Hands the reservation of a result over to the request that fetches it.
   * @param cpu computing time that is set aside for that, in milliseconds
   * @returns whether it was awaited, by the same user and key
   */
  handOver(
    from: string,
    { userId, keyId }: Group,
    fetching: Pick<Reservation, 'id' | 'cpu' | 'expiresAt'>,
  ): boolean {
    const lane = this.#open.get(from);
    const reservation = lane?.reservation;
    if (!lane || !reservation?.awaitsFetch) return false;
    if (lane.userId !== userId || lane.keyId !== keyId) return false;
    this.#open.delete(from);
    const { id, cpu, expiresAt, pool } = reservation;
    const takenOver = { id, cpu, expiresAt };
    this.#reserve(lane, { ...fetching, pool, awaitsFetch: false, takenOver });
    return true;
  }

  /** Ends a request in flight of which nothing came: a result that it was to fetch waits again. */
  giveBack(id: string): void {
    const reservation = this.#open.get(id)?.reservation;
    const lane = this.close(id);
    if (!lane || !reservation) return;
    const { takenOver, pool } = reservation;
    if (takenOver) this.#reserve(lane, { ...takenOver, pool, awaitsFetch: true, takenOver: null });
    else this.#tables.saveLane(lane);
  }

  #idle({ userId, keyId, day }: Group, now: number): LaneRow | null {
    for (const lane of this.#lanes.values()) {
      if (lane.userId !== userId || lane.keyId !== keyId || lane.day !== day) continue;
      if (!isOpen(lane, now)) return lane;
    }
    return null;
  }

  #add(group: Group): LaneRow {
    this.#lastId += 1;
    const lane: LaneRow = {
      ...{ id: this.#lastId, ...group, seq: 0 },
      ...{ files: 0, bytesIn: 0, bytesOut: 0, bytesSaved: 0, free: 0, paid: 0 },
      ...{ uncharged: 0, unchargedCpu: 0, lastUsedAt: null, reservation: null },
    };
    this.#lanes.set(lane.id, lane);
    return lane;
  }

  /** Sets another computing time aside for a request in flight. */
  raise(lane: LaneRow, reservation: Reservation): void {
    lane.reservation = reservation;
    this.#tables.saveLane(lane);
  }

  /**
   * Ends a request in flight; null: there is none of that id. What its lane counts for it is added before it is saved.
   */
  close(id: string): LaneRow | null {
    const lane = this.#open.get(id);
    if (!lane) return null;
    this.#open.delete(id);
    lane.reservation = null;
    return lane;
  }

  /** Writes a lane whose request has ended. */
  save(lane: LaneRow, { hasNewFigures }: { readonly hasNewFigures: boolean }): void {
    if (hasNewFigures) {
      this.#lastSeq += 1;
      lane.seq = this.#lastSeq;
    }
    this.#tables.saveLane(lane);
  }

  /**
   * Removes the lanes of days before this one, as far as D1 has their figures and no request is in flight.
   * @returns what they counted, the oldest first
   */
  removeBefore(day: string, flushedSeq: number, now: number): readonly LaneRow[] {
    const past = [...this.#lanes.values()].filter((lane) => lane.day < day);
    // a day's figure is the sum over all lanes of its key: they go together
    const kept = past.filter((lane) => lane.seq > flushedSeq || isOpen(lane, now));
    const keptGroups = new Set(kept.map(groupOf));
    const over = past.filter((lane) => !keptGroups.has(groupOf(lane)));
    for (const { id, reservation } of over) {
      if (reservation) this.#open.delete(reservation.id);
      this.#lanes.delete(id);
      this.#tables.deleteLane(id);
    }
    return over.sort((one, other) => (one.day < other.day ? -1 : 1));
  }

  /** One figure of all lanes. */
  sum(of: (lane: LaneRow) => number): number {
    let sum = 0;
    for (const lane of this.#lanes.values()) sum += of(lane);
    return sum;
  }

  /** How many requests are in flight, of the lanes that count. */
  countOpen(now: number, counts: (lane: LaneRow, reservation: Reservation) => boolean): number {
    let open = 0;
    for (const lane of this.#open.values()) {
      if (lane.reservation && isOpen(lane, now) && counts(lane, lane.reservation)) open += 1;
    }
    return open;
  }

  /** What is in flight, and the computing time that is set aside for it. */
  inFlight(now: number): { count: number; cpu: number } {
    let [count, cpu] = [0, 0];
    for (const lane of this.#open.values()) {
      if (!lane.reservation || !isOpen(lane, now)) continue;
      count += 1;
      cpu += lane.reservation.cpu + (lane.reservation.takenOver?.cpu ?? 0);
    }
    return { count, cpu };
  }

  /** What a key, or the cabinet, has counted on a day. */
  dayOf({ userId, keyId, day }: Group): Flush['days'][number] {
    const sums = { files: 0, bytesIn: 0, bytesOut: 0, bytesSaved: 0 };
    for (const lane of this.#lanes.values()) {
      if (lane.userId !== userId || lane.keyId !== keyId || lane.day !== day) continue;
      sums.files += lane.files;
      sums.bytesIn += lane.bytesIn;
      sums.bytesOut += lane.bytesOut;
      sums.bytesSaved += lane.bytesSaved;
    }
    return { userId, keyId, day, ...sums };
  }

  /** Whether any of them counts the files of a key. */
  hasKey(keyId: string): boolean {
    return [...this.#lanes.values()].some((lane) => lane.keyId === keyId);
  }

  /** Files of a key, and when it was used last. */
  useOf(keyId: string): { files: number; lastUsedAt: number | null } {
    const use = { files: 0, lastUsedAt: null as number | null };
    for (const lane of this.#lanes.values()) {
      if (lane.keyId !== keyId) continue;
      use.files += lane.files;
      use.lastUsedAt = latest(use.lastUsedAt, lane.lastUsedAt);
    }
    return use;
  }
}

/** Lanes whose figures belong together. */
export function groupOf({ userId, keyId, day }: Group): string {
  return `${userId} ${keyId} ${day}`;
}

/** The later of two moments. */
export function latest(one: number | null, other: number | null): number | null {
  return one === null ? other : Math.max(one, other ?? 0);
}

function isOpen({ reservation }: LaneRow, now: number): boolean {
  return reservation !== null && reservation.expiresAt > now;
}
