import type { Flush } from '../store/mailboxes.ts';
import { type Change, Heap, InFlight } from './in-flight.ts';
import { imageOf, LaneSums, monthOfDay } from './lane-sums.ts';
import { type Figures, figureNames, type LaneRow, noFigures, type Reservation } from './rows.ts';
import type { Tables } from './tables.ts';

/** The user, key and UTC day whose files a lane counts. */
type GroupId = Pick<LaneRow, 'userId' | 'keyId' | 'day'>;

/** The lanes of one user, key and day. */
interface Group extends GroupId {
  readonly lanes: Set<LaneRow>;
  /** Lanes without a request in flight, lowest id first; some may have got one, or been removed, since. */
  readonly idle: Heap<LaneRow>;
  /** The sums over the lanes. */
  readonly figures: Figures;
  lastUsedAt: number | null;
  /** Requests in flight for which a file is reserved, or that make a result of a site. */
  promised: number;
}

/** Rows that merging lanes may cost for each file, while the whole file is to cost 2.2. */
const mergeRowsPerFile = 0.1;

/**
 * The lanes of a mailbox (README.md), with their requests in flight. Held in memory, with every change written to the
 * tables. All sums are kept up to date with each change, so that no call about one request takes longer after a burst
 * that has left thousands of lanes.
 */
export class Lanes {
  readonly #tables: Tables;
  readonly #lanes = new Map<number, LaneRow>();
  readonly #groups = new Map<string, Group>();
  readonly #groupsOfKeys = new Map<string, Set<Group>>();
  /** Ids of the lanes in the `idle` heap of their group. */
  readonly #listed = new Set<number>();
  readonly #inFlight = new InFlight((lane, change) => this.#countReservation(lane, change));
  /** Lanes whose results were not fetched before their reservation expired, until they are booked as uncharged. */
  readonly #unfetched = new Set<LaneRow>();
  readonly #sums = new LaneSums();
  #lastId: number;
  #lastSeq: number;
  /** Rows that merging lanes may write now. */
  #mergeRows = 0;

  /** @param flushedSeq the highest sequence number of a lane that D1 has */
  constructor(tables: Tables, kept: readonly LaneRow[], flushedSeq: number) {
    this.#tables = tables;
    this.#lastId = 0;
    this.#lastSeq = flushedSeq;
    for (const lane of kept) {
      this.#lastId = Math.max(this.#lastId, lane.id);
      this.#lastSeq = Math.max(this.#lastSeq, lane.seq);
      this.#insert(lane);
      this.#count(lane, lane, lane.lastUsedAt);
      const { reservation } = lane;
      if (reservation) this.#inFlight.begin(lane, reservation);
      else this.#list(lane);
    }
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
    return this.#inFlight.find(id);
  }

  /** Assigns a lane to a request: one of the group without a request in flight, or a new one. */
  open(group: GroupId, reservation: Reservation, now: number): void {
    this.#inFlight.advanceTo(now);
    this.#reserve(this.#idle(group, now) ?? this.#add(group), reservation);
  }

  /**
   * Changes the CPU time reserved for a lane. For a result of a site, only memory knows: a row more for each would cost
   * more than what is lost with the object, which is how much work in flight there is.
   */
  raise(lane: LaneRow, reservation: Reservation): void {
    this.#begin(lane, reservation);
    if (reservation.makes === null) this.#tables.saveLane(lane);
  }

  #reserve(lane: LaneRow, reservation: Reservation): void {
    this.#begin(lane, reservation);
    this.#tables.saveLane(lane);
  }

  #begin(lane: LaneRow, reservation: Reservation): void {
    this.#end(lane);
    this.#inFlight.begin(lane, reservation);
  }

  #end(lane: LaneRow): void {
    this.#inFlight.end(lane);
    this.#unfetched.delete(lane);
  }

  /**
   * Ends expired reservations of results that were created for a later request and not fetched in time, and counts them
   * as uncharged work.
   */
  expireUnfetched(now: number): void {
    this.#inFlight.advanceTo(now);
    for (const lane of this.#unfetched) {
      const { reservation } = lane;
      if (!reservation) continue;
      const { cpu } = reservation.takenOver ?? reservation;
      this.close(reservation.id);
      this.book(lane, { uncharged: 1, unchargedCpu: cpu });
      this.save(lane);
    }
  }

  /**
   * Transfers the reservation of a result to the request that fetches it.
   * @param fetching the fetching request, with the CPU time reserved for it in milliseconds
   * @returns whether the result was awaiting a fetch by the same user and key
   */
  handOver(
    from: string,
    { userId, keyId }: GroupId,
    fetching: Pick<Reservation, 'id' | 'cpu' | 'expiresAt'>,
  ): boolean {
    const lane = this.#inFlight.find(from);
    const reservation = lane?.reservation;
    if (!lane || !reservation?.awaitsFetch) return false;
    if (lane.userId !== userId || lane.keyId !== keyId) return false;
    const { id, cpu, expiresAt, pool } = reservation;
    const takenOver = { id, cpu, expiresAt };
    this.#reserve(lane, { ...fetching, pool, awaitsFetch: false, takenOver, makes: null });
    return true;
  }

  /** Ends a request in flight without a result: an output that it was fetching waits for another fetch. */
  giveBack(id: string): void {
    const reservation = this.#inFlight.find(id)?.reservation;
    const lane = this.close(id);
    if (!lane || !reservation) return;
    const { takenOver, pool } = reservation;
    const awaiting = { pool, awaitsFetch: true, takenOver: null, makes: null };
    if (takenOver) this.#reserve(lane, { ...takenOver, ...awaiting });
    else this.#tables.saveLane(lane);
  }

  /**
   * Ends a request in flight; null if there is none with this id. The caller adds its figures to the lane and then
   * saves it.
   */
  close(id: string): LaneRow | null {
    const lane = this.#inFlight.find(id);
    if (!lane) return null;
    this.#end(lane);
    this.#list(lane);
    return lane;
  }

  /**
   * Adds figures to a lane whose request has ended.
   * @param usedAt when its key was used, in milliseconds since 1970; null leaves that as it is
   */
  book(lane: LaneRow, figures: Partial<Figures>, usedAt: number | null = null): void {
    for (const name of figureNames) lane[name] += figures[name] ?? 0;
    lane.lastUsedAt = latest(lane.lastUsedAt, usedAt);
    this.#count(lane, figures, usedAt);
  }

  /** Writes a lane whose figures have changed. */
  save(lane: LaneRow): void {
    this.#lastSeq += 1;
    lane.seq = this.#lastSeq;
    this.#tables.saveLane(lane);
    this.#mergeRows += mergeRowsPerFile;
  }

  #idle(id: GroupId, now: number): LaneRow | null {
    const idle = this.#groups.get(groupOf(id))?.idle;
    for (let lane = idle?.pop(); lane; lane = idle?.pop()) {
      this.#listed.delete(lane.id);
      if (this.#lanes.has(lane.id) && !isOpen(lane, now)) return lane;
    }
    return null;
  }

  /** Offers a lane to the next request of its group. */
  #list(lane: LaneRow): void {
    if (this.#listed.has(lane.id)) return;
    this.#listed.add(lane.id);
    this.#groups.get(groupOf(lane))?.idle.push(lane.id, lane);
  }

  #add({ userId, keyId, day }: GroupId): LaneRow {
    this.#lastId += 1;
    const lane: LaneRow = {
      ...{ id: this.#lastId, userId, keyId, day, seq: 0 },
      ...noFigures,
      ...{ lastUsedAt: null, reservation: null },
    };
    this.#insert(lane);
    return lane;
  }

  #insert(lane: LaneRow): void {
    this.#lanes.set(lane.id, lane);
    const name = groupOf(lane);
    const group = this.#groups.get(name) ?? this.#newGroup(lane);
    this.#groups.set(name, group);
    group.lanes.add(lane);
  }

  #newGroup({ userId, keyId, day }: GroupId): Group {
    const group: Group = {
      ...{ userId, keyId, day, lanes: new Set(), idle: new Heap() },
      ...{ figures: { ...noFigures }, lastUsedAt: null, promised: 0 },
    };
    const siblings = this.#groupsOfKeys.get(keyId) ?? new Set();
    this.#groupsOfKeys.set(keyId, siblings.add(group));
    return group;
  }

  /** Adds figures of a lane to the sums. */
  #count(lane: LaneRow, figures: Partial<Figures>, usedAt: number | null): void {
    const group = this.#groups.get(groupOf(lane));
    if (!group) throw new Error('a lane is in no group');
    for (const name of figureNames) group.figures[name] += figures[name] ?? 0;
    group.lastUsedAt = latest(group.lastUsedAt, usedAt);
    this.#sums.count(lane, figures, 1);
  }

  #countReservation(lane: LaneRow & { readonly reservation: Reservation }, change: Change): void {
    const { pool, awaitsFetch, takenOver, makes } = lane.reservation;
    const sign = change === 'counts' ? 1 : -1;
    this.#sums.countReservation(lane, lane.reservation, sign);
    const group = this.#groups.get(groupOf(lane));
    if (group && (pool !== 'none' || makes)) group.promised += sign;
    if (change === 'counts') this.#unfetched.delete(lane);
    if (change !== 'expired') return;
    this.#list(lane);
    if (awaitsFetch || takenOver) this.#unfetched.add(lane);
  }

  /**
   * Removes the lanes of days before this one, if D1 has their figures and no request is in flight.
   * @returns the removed lanes, oldest first
   */
  removeBefore(day: string, flushedSeq: number, now: number): readonly LaneRow[] {
    const removed: LaneRow[] = [];
    for (const [name, group] of this.#groups) {
      // The figure of a day is the sum over all lanes of its key, so they are removed together.
      const lanes = group.day < day ? [...group.lanes] : [];
      const isNeeded = lanes.some((lane) => lane.seq > flushedSeq || isOpen(lane, now));
      if (lanes.length === 0 || isNeeded) continue;
      for (const lane of lanes) {
        this.#end(lane);
        this.#delete(lane);
      }
      this.#sums.count(group, group.figures, -1);
      this.#groups.delete(name);
      const siblings = this.#groupsOfKeys.get(group.keyId);
      siblings?.delete(group);
      if (siblings?.size === 0) this.#groupsOfKeys.delete(group.keyId);
      removed.push(...lanes);
    }
    return removed.sort((one, other) => (one.day < other.day ? -1 : 1));
  }

  #delete({ id }: LaneRow): void {
    this.#lanes.delete(id);
    this.#listed.delete(id);
    this.#tables.deleteLane(id);
  }

  /**
   * Merges lanes that a burst has left into another one of their group: those that no request has used since an
   * earlier flush. Each would be deleted at the end of the day anyway, but where bursts return, they are created and
   * merged again, so this is limited to `mergeRowsPerFile`. Sums stay the same, so D1 need not be told.
   * @param unusedSeq lanes with higher sequence numbers are still needed; D1 has the figures of all others
   */
  mergeUnused(unusedSeq: number): void {
    for (const { lanes } of this.#groups.values()) {
      // One row for the lane that takes the figures, and one for each lane that goes.
      const most = Math.floor(this.#mergeRows) - 1;
      if (most < 1) return;
      const isUnused = ({ seq, reservation }: LaneRow) => seq <= unusedSeq && reservation === null;
      const [target, ...others] = [...lanes].filter(isUnused);
      const merged = others.slice(0, most);
      if (!target || merged.length === 0) continue;
      for (const lane of merged) {
        for (const name of figureNames) target[name] += lane[name];
        target.lastUsedAt = latest(target.lastUsedAt, lane.lastUsedAt);
        lanes.delete(lane);
        this.#delete(lane);
      }
      this.#tables.saveLane(target);
      this.#mergeRows -= merged.length + 1;
    }
  }

  /** Free files used in a month, over all accounts. */
  freeUsed(month: string): number {
    return this.#sums.free.used.of(month);
  }

  /** Paid files used by a user. */
  paidUsed(userId: string): number {
    return this.#sums.paid.used.of(userId);
  }

  /** The number of uncharged responses on a day, and their CPU time in milliseconds. */
  uncharged(day: string): { responses: number; cpu: number } {
    const { responses, cpu } = this.#sums.uncharged;
    return { responses: responses.of(day), cpu: cpu.of(day) };
  }

  /** Free files of a month that are reserved for requests in flight. */
  freeInFlight(month: string, now: number): number {
    this.#inFlight.advanceTo(now);
    return this.#sums.free.reserved.of(month);
  }

  /** Paid files of a user that are reserved for requests in flight. */
  paidInFlight(userId: string, now: number): number {
    this.#inFlight.advanceTo(now);
    return this.#sums.paid.reserved.of(userId);
  }

  /** The number of requests in flight, and the CPU time reserved for them in milliseconds. */
  inFlight(now: number): { count: number; cpu: number } {
    this.#inFlight.advanceTo(now);
    return { ...this.#sums.inFlight };
  }

  /** The figures of a key on a day. */
  dayOf(id: GroupId): Flush['days'][number] {
    const { userId, keyId, day } = id;
    const { files, bytesIn, bytesOut, bytesSaved } =
      this.#groups.get(groupOf(id))?.figures ?? noFigures;
    return { userId, keyId, day, files, bytesIn, bytesOut, bytesSaved };
  }

  /** Whether any lane counts the files of a key. */
  hasKey(keyId: string): boolean {
    return this.#groupsOfKeys.has(keyId);
  }

  /** The number of files of a key in the lanes, and when it was last used. */
  useOf(keyId: string): { files: number; lastUsedAt: number | null } {
    const use = { files: 0, lastUsedAt: null as number | null };
    for (const { figures, lastUsedAt } of this.#groupsOf(keyId)) {
      use.files += figures.files;
      use.lastUsedAt = latest(use.lastUsedAt, lastUsedAt);
    }
    return use;
  }

  /** Charged files of a key in a month. */
  charged(keyId: string, month: string): number {
    return this.#sumOfKey(keyId, month, ({ figures }) => figures.free + figures.paid);
  }

  /** Files of a key in a month that were returned, charged or not. */
  returned(keyId: string, month: string): number {
    return this.#sumOfKey(keyId, month, ({ figures }) => figures.files);
  }

  /** The results of an image that a site is making in the month of a day. */
  resultsInFlight(
    site: Pick<LaneRow, 'keyId' | 'day'>,
    path: string,
    now: number,
  ): Iterable<string> {
    this.#inFlight.advanceTo(now);
    return this.#sums.results.of(imageOf(site, path));
  }

  /** Files of a key in a month that are reserved for requests in flight; those of a site that it is making. */
  keyInFlight(keyId: string, month: string, now: number): number {
    this.#inFlight.advanceTo(now);
    return this.#sumOfKey(keyId, month, ({ promised }) => promised);
  }

  #sumOfKey(keyId: string, month: string, of: (group: Group) => number): number {
    let sum = 0;
    for (const group of this.#groupsOf(keyId)) {
      if (monthOfDay(group.day) === month) sum += of(group);
    }
    return sum;
  }

  /** As many as days that are not folded yet. */
  #groupsOf(keyId: string): Iterable<Group> {
    return this.#groupsOfKeys.get(keyId) ?? [];
  }
}

/** Identifies the group of lanes whose figures are added up. */
export function groupOf({ userId, keyId, day }: GroupId): string {
  return `${userId} ${keyId} ${day}`;
}

/** The later of two times. */
export function latest(one: number | null, other: number | null): number | null {
  return one === null ? other : Math.max(one, other ?? 0);
}

function isOpen({ reservation }: LaneRow, now: number): boolean {
  return reservation !== null && reservation.expiresAt > now;
}
