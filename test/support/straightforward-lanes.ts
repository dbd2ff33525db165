import { latest } from '../../src/meter/lanes.ts';
import {
  type Figures,
  figureNames,
  type LaneRow,
  noFigures,
  type Reservation,
} from '../../src/meter/rows.ts';

type Group = Pick<LaneRow, 'userId' | 'keyId' | 'day'>;

/** Lanes by their definition: each question looks at all of them. What `Lanes` keeps up to date is compared with it. */
export class StraightforwardLanes {
  rows: LaneRow[] = [];
  #lastSeq = 0;
  /** Durable rows written. */
  written = 0;

  open(group: Group, reservation: Reservation, now: number): void {
    const idle = this.rows.find((row) => isSameGroup(row, group) && !isOpen(row, now));
    if (!idle) {
      const id = 1 + Math.max(0, ...this.rows.map((row) => row.id));
      this.rows.push({ id, ...group, seq: 0, ...noFigures, lastUsedAt: null, reservation });
    } else idle.reservation = reservation;
    this.written += 1;
  }

  expireUnfetched(now: number): void {
    for (const lane of this.rows) {
      const { reservation } = lane;
      if (!reservation || isOpen(lane, now)) continue;
      const unfetched = reservation.awaitsFetch ? reservation : reservation.takenOver;
      if (unfetched)
        this.settle(reservation.id, { uncharged: 1, unchargedCpu: unfetched.cpu }, null);
    }
  }

  settle(id: string, figures: Partial<Figures>, usedAt: number | null): boolean {
    const lane = this.find(id);
    if (!lane) return false;
    lane.reservation = null;
    for (const name of figureNames) lane[name] += figures[name] ?? 0;
    lane.lastUsedAt = latest(lane.lastUsedAt, usedAt);
    this.#lastSeq += 1;
    lane.seq = this.#lastSeq;
    this.written += 1;
    return true;
  }

  handOver(
    from: string,
    group: Group,
    fetching: Pick<Reservation, 'id' | 'cpu' | 'expiresAt'>,
  ): boolean {
    const lane = this.find(from);
    const awaiting = lane?.reservation;
    if (!lane || !awaiting?.awaitsFetch) return false;
    if (lane.userId !== group.userId || lane.keyId !== group.keyId) return false;
    const { id, cpu, expiresAt, pool } = awaiting;
    lane.reservation = {
      ...fetching,
      pool,
      awaitsFetch: false,
      takenOver: { id, cpu, expiresAt },
      makes: null,
    };
    this.written += 1;
    return true;
  }

  giveBack(id: string): void {
    const lane = this.find(id);
    if (!lane?.reservation) return;
    const { takenOver, pool } = lane.reservation;
    lane.reservation = takenOver && {
      ...takenOver,
      pool,
      awaitsFetch: true,
      takenOver: null,
      makes: null,
    };
    this.written += 1;
  }

  raise(id: string, cpu: number): void {
    const lane = this.find(id);
    if (!lane?.reservation) return;
    lane.reservation = { ...lane.reservation, cpu };
    if (!lane.reservation.makes) this.written += 1;
  }

  /** The time that is set aside for results of sites is known in memory only. */
  forgetRaises(cpu: number): void {
    for (const lane of this.rows) {
      if (lane.reservation?.makes) lane.reservation = { ...lane.reservation, cpu };
    }
  }

  removeBefore(day: string, flushedSeq: number, now: number): readonly number[] {
    const isNeeded = (lane: LaneRow) => lane.seq > flushedSeq || isOpen(lane, now);
    const removed = this.rows.filter(
      (row) => row.day < day && !this.rows.some((each) => isSameGroup(each, row) && isNeeded(each)),
    );
    this.rows = this.rows.filter((row) => !removed.includes(row));
    this.written += removed.length;
    return removed.map(({ id }) => id);
  }

  find(id: string): LaneRow | undefined {
    return this.rows.find(({ reservation }) => reservation?.id === id);
  }

  sum(name: keyof Figures, counts: (lane: LaneRow) => boolean): number {
    return this.rows.filter(counts).reduce((sum, lane) => sum + lane[name], 0);
  }

  /** The reservations in flight at a time. */
  inFlight(
    now: number,
    counts: (lane: LaneRow, reservation: Reservation) => boolean = () => true,
  ): readonly Reservation[] {
    return this.rows.flatMap((lane) => {
      const { reservation } = lane;
      return reservation && isOpen(lane, now) && counts(lane, reservation) ? [reservation] : [];
    });
  }
}

function isSameGroup(one: Group, other: Group): boolean {
  return one.userId === other.userId && one.keyId === other.keyId && one.day === other.day;
}

function isOpen({ reservation }: LaneRow, now: number): boolean {
  return reservation !== null && reservation.expiresAt > now;
}
