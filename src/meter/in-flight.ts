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

interface Entry<Item> {
  readonly order: number;
  readonly item: Item;
}

/** A binary heap: returns the item with the lowest order first; adding and taking one cost logarithmic time. */
export class Heap<Item> {
  readonly #entries: Entry<Item>[] = [];

  get size(): number {
    return this.#entries.length;
  }

  /** The lowest order; undefined if there are no items. */
  get lowest(): number | undefined {
    return this.#entries[0]?.order;
  }

  push(order: number, item: Item): void {
    this.#entries.push({ order, item });
    let at = this.#entries.length - 1;
    while (at > 0 && this.#swapIfLower(at, (at - 1) >> 1)) at = (at - 1) >> 1;
  }

  pop(): Item | undefined {
    const [first] = this.#entries;
    const last = this.#entries.pop();
    if (this.#entries.length > 0 && last !== undefined) {
      this.#entries[0] = last;
      this.#sink();
    }
    return first?.item;
  }

  /** Moves the first entry down to where it belongs. */
  #sink(): void {
    const order = (at: number) => this.#entries[at]?.order ?? Number.POSITIVE_INFINITY;
    for (let at = 0; ; ) {
      const left = 2 * at + 1;
      const child = order(left) <= order(left + 1) ? left : left + 1;
      if (!this.#swapIfLower(child, at)) return;
      at = child;
    }
  }

  #swapIfLower(child: number, parent: number): boolean {
    const [lower, upper] = [this.#entries[child], this.#entries[parent]];
    if (lower === undefined || upper === undefined || lower.order >= upper.order) return false;
    this.#entries[parent] = lower;
    this.#entries[child] = upper;
    return true;
  }
}
