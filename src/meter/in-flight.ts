import { Heap } from './heap.ts';
import type { LaneRow, Reservation } from './rows.ts';

/** A lane while it has a reservation. */
type OpenLane = LaneRow & { readonly reservation: Reservation };

/** What happens to a reservation: it begins to count, or stops counting since it has ended or expired. */
export type Change = 'counts' | 'ended' | 'expired';

/**
 * The lanes with a reservation, in the order in which these expire, so that no call looks at all of them. The clocks of
 * Workers differ: a reservation that has expired at one time counts again at an earlier one.
 */
export class InFlight {
  /** By the id of the reservation. */
  readonly #lanes = new Map<string, OpenLane>();
  /** Also has entries of reservations that have ended since. */
  #expiries = new Heap<OpenLane>();
  readonly #expired = new Set<OpenLane>();
  /** The latest time at which one of `#expired` has expired, in milliseconds since 1970. */
  #lastExpiry = Number.NEGATIVE_INFINITY;
  readonly #onChange: (lane: OpenLane, change: Change) => void;

  /** @param onChange called with each reservation that begins or stops to count, while its lane still has it */
  constructor(onChange: (lane: OpenLane, change: Change) => void) {
    this.#onChange = onChange;
  }

  /** The lane of a reservation, expired or not. */
  find(id: string): LaneRow | undefined {
    return this.#lanes.get(id);
  }

  /** Gives a lane without a reservation a new one. */
  begin(lane: LaneRow, reservation: Reservation): void {
    lane.reservation = reservation;
    const open = lane as OpenLane;
    this.#lanes.set(reservation.id, open);
    this.#count(open);
    if (this.#expiries.size > 2 * this.#lanes.size + 100) this.#dropEnded();
  }

  /** Ends the reservation of a lane, if it has one. */
  end(lane: LaneRow): void {
    if (lane.reservation === null) return;
    const open = lane as OpenLane;
    this.#lanes.delete(lane.reservation.id);
    if (!this.#expired.delete(open)) this.#onChange(open, 'ended');
    lane.reservation = null;
  }

  /** Makes the reservations count, and only those, that have not expired at a time. */
  advanceTo(now: number): void {
    if (now < this.#lastExpiry) this.#countAgain(now);
    while ((this.#expiries.lowest ?? Number.POSITIVE_INFINITY) <= now) {
      const lane = this.#expiries.pop();
      if (!lane?.reservation || this.#expired.has(lane)) continue;
      // An entry of an earlier reservation of this lane.
      const { expiresAt } = lane.reservation;
      if (expiresAt > now) continue;
      this.#expired.add(lane);
      this.#lastExpiry = Math.max(this.#lastExpiry, expiresAt);
      this.#onChange(lane, 'expired');
    }
  }

  #count(lane: OpenLane): void {
    this.#expiries.push(lane.reservation.expiresAt, lane);
    this.#onChange(lane, 'counts');
  }

  #countAgain(now: number): void {
    this.#lastExpiry = Number.NEGATIVE_INFINITY;
    for (const lane of this.#expired) {
      const { expiresAt } = lane.reservation;
      if (expiresAt > now) {
        this.#expired.delete(lane);
        this.#count(lane);
      } else this.#lastExpiry = Math.max(this.#lastExpiry, expiresAt);
    }
  }

  #dropEnded(): void {
    this.#expiries = new Heap();
    for (const lane of this.#lanes.values()) {
      if (!this.#expired.has(lane)) this.#expiries.push(lane.reservation.expiresAt, lane);
    }
  }
}
