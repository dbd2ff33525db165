import type { Flush } from '../store/mailboxes.ts';
import type { LaneRow, Reservation } from './rows.ts';
import type { Tables } from './tables.ts';

/** The lanes of one user, key (or the cabinet) and UTC day. */
type Group = Pick<LaneRow, 'userId' | 'keyId' | 'day'>;

/**
 * The lanes of a mailbox (README.md), with their requests in flight. Held in memory, with every change written to the
 * tables.
 */
export class Lanes {
  readonly #tables: Tables;
  readonly #lanes: Map<number, LaneRow>;
  /** Lanes with a reservation, by its id. */
  readonly #open: Map<string, LaneRow>;
  #lastId: number;
  #lastSeq: number;

  /** @param flushedSeq the highest sequence number of a lane that D1 has */
  constructor(tables: Tables, kept: readonly LaneRow[], flushedSeq: number) {
    this.#tables = tables;
    this.#lanes = new Map(kept.map((row) => [row.id, row]));
    this.#open = new Map(
      kept.flatMap((lane) => (lane.reservation ? [[lane.reservation.id, lane]] : [])),
    );
    this.#lastId = Math.max(0, ...this.#lanes.keys());
    this.#lastSeq = Math.max(flushedSeq, ...kept.map(({ seq }) => seq));
  }

  /** The highest sequence number of a lane: increases with every changed figure. */
  get lastSeq(): number {
    return this.#lastSeq;
  }

  /** The lanes whose figures have changed since that sequence number. */
  changedSince(seq: number): readonly LaneRow[] {
    return [...this.#lanes.values()].filter((lane) => lane.seq > seq);
  }

  /** The lane of a request in flight. */
  ofReservation(id: string): LaneRow | undefined {
    return this.#open.get(id);
  }

  /** Assigns a lane to a request: one of the group without a request in flight, or a new one. */
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

  /**
   * Ends expired reservations of results that were created for a later request and not fetched in time, and counts them
   * as uncharged work.
   */
  expireUnfetched(now: number): void {
    for (const lane of [...this.#open.values()]) {
      const { reservation } = lane;
      if (!reservation || isOpen(lane, now)) continue;
      const unfetched = reservation.awaitsFetch ? reservation : reservation.takenOver;
      if (!unfetched) continue;
      this.close(reservation.id);
      lane.uncharged += 1;
      lane.unchargedCpu += unfetched.cpu;
      this.save(lane, { hasNewFigures: true });
    }
  }

  /**
   * Transfers the reservation of a result to the request that fetches it.
   * @param fetching the fetching request, with the CPU time reserved for it in milliseconds
   * @returns whether the result was awaiting a fetch by the same user and key
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

  /** Ends a request in flight without a result: an output that it was fetching waits for another fetch. */
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

  /** Changes the CPU time reserved for a request in flight. */
  raise(lane: LaneRow, reservation: Reservation): void {
    lane.reservation = reservation;
    this.#tables.saveLane(lane);
  }

  /**
   * Ends a request in flight; null if there is none with this id. The caller adds its figures to the lane and then
   * saves it.
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
   * Removes the lanes of days before this one, if D1 has their figures and no request is in flight.
   * @returns the removed lanes, oldest first
   */
  removeBefore(day: string, flushedSeq: number, now: number): readonly LaneRow[] {
    const past = [...this.#lanes.values()].filter((lane) => lane.day < day);
    // The figure of a day is the sum over all lanes of its key, so they are removed together.
    const needed = past.filter((lane) => lane.seq > flushedSeq || isOpen(lane, now));
    const keptGroups = new Set(needed.map(groupOf));
    const removed = past.filter((lane) => !keptGroups.has(groupOf(lane)));
    for (const { id, reservation } of removed) {
      if (reservation) this.#open.delete(reservation.id);
      this.#lanes.delete(id);
      this.#tables.deleteLane(id);
    }
    return removed.sort((one, other) => (one.day < other.day ? -1 : 1));
  }

  /** The sum of a figure over all lanes. */
  sum(of: (lane: LaneRow) => number): number {
    let sum = 0;
    for (const lane of this.#lanes.values()) sum += of(lane);
    return sum;
  }

  /** The number of requests in flight in lanes for which `counts` is true. */
  countOpen(now: number, counts: (lane: LaneRow, reservation: Reservation) => boolean): number {
    let open = 0;
    for (const lane of this.#open.values()) {
      if (lane.reservation && isOpen(lane, now) && counts(lane, lane.reservation)) open += 1;
    }
    return open;
  }

  /** The number of requests in flight, and the CPU time reserved for them in milliseconds. */
  inFlight(now: number): { count: number; cpu: number } {
    let [count, cpu] = [0, 0];
    for (const lane of this.#open.values()) {
      if (!lane.reservation || !isOpen(lane, now)) continue;
      count += 1;
      cpu += lane.reservation.cpu + (lane.reservation.takenOver?.cpu ?? 0);
    }
    return { count, cpu };
  }

  /** The figures of a key, or the cabinet, on a day. */
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

  /** Whether any lane counts the files of a key. */
  hasKey(keyId: string): boolean {
    return [...this.#lanes.values()].some((lane) => lane.keyId === keyId);
  }

  /** The number of files of a key in the lanes, and when it was last used. */
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

/** Identifies the group of lanes whose figures are added up. */
export function groupOf({ userId, keyId, day }: Group): string {
  return `${userId} ${keyId} ${day}`;
}

/** The later of two times. */
export function latest(one: number | null, other: number | null): number | null {
  return one === null ? other : Math.max(one, other ?? 0);
}

function isOpen({ reservation }: LaneRow, now: number): boolean {
  return reservation !== null && reservation.expiresAt > now;
}
