import { bodyLimits } from '../../policy/limits.ts';

/**
 * A hold lapses when nothing was heard of it for so many milliseconds. Holds are
 * released when their request ends; the rest of a request that was torn down by
 * the platform never runs, and its buffers are gone with it. Longer than anything
 * takes that a request does between two signs of life.
 */
const holdLife = 5 * 60 * 1000;

/** What a buffer is for: the body is wanted, or is drained since it was refused. */
type Purpose = 'reading' | 'draining';

/** Bytes taken from the pool, until `release`. */
export interface PoolHold {
  /** Takes so many bytes instead, or refuses and changes nothing. Less is refused only once the hold has lapsed. */
  resizeTo(bytes: number): boolean;
  /** A sign of life: the request that holds this is still running. */
  renew(): void;
  /** May be called again, and after the hold has lapsed. */
  release(): void;
}

interface Entry {
  readonly purpose: Purpose;
  bytes: number;
  lapses: number;
}

/**
 * Memory for bodies that are read whole before anything is known about who
 * sends them: JSON, events of Stripe, and the rest of refused bodies. It stands
 * beside the memory of images, which such bodies can therefore not take.
 * Counting is synchronous, so nothing slips in between.
 */
export class BodyPool {
  readonly #parts: Readonly<Record<Purpose, number>>;
  /** Those that lapse first stand first. */
  readonly #entries = new Set<Entry>();
  readonly #held: Record<Purpose, number> = { reading: 0, draining: 0 };

  /** @param parts how many bytes there are for each purpose: bodies that are refused for want of room are drained */
  constructor(parts: Readonly<Record<Purpose, number>>) {
    this.#parts = parts;
  }

  /** Bytes held now. */
  get held(): number {
    return this.#held.reading + this.#held.draining;
  }

  /** Takes `bytes`, or null when they do not fit now. */
  hold(bytes: number, purpose: Purpose): PoolHold | null {
    this.#forgetLapsed();
    const entry: Entry = { purpose, bytes: 0, lapses: 0 };
    this.#renew(entry);
    const hold = this.#entered(entry);
    if (hold.resizeTo(bytes)) return hold;
    hold.release();
    return null;
  }

  #entered(entry: Entry): PoolHold {
    return {
      resizeTo: (bytes) => this.#entries.has(entry) && this.#resize(entry, bytes),
      renew: () => {
        if (this.#entries.has(entry)) this.#renew(entry);
      },
      release: () => this.#remove(entry),
    };
  }

  #resize(entry: Entry, bytes: number): boolean {
    const more = bytes - entry.bytes;
    const room = this.#parts[entry.purpose] - this.#held[entry.purpose];
    if (more > 0 && more > room) return false;
    this.#held[entry.purpose] += more;
    entry.bytes = bytes;
    this.#renew(entry);
    return true;
  }

  #renew(entry: Entry): void {
    entry.lapses = Date.now() + holdLife;
    // the last one to lapse
    this.#entries.delete(entry);
    this.#entries.add(entry);
  }

  #remove(entry: Entry): void {
    if (this.#entries.delete(entry)) this.#held[entry.purpose] -= entry.bytes;
  }

  #forgetLapsed(): void {
    const now = Date.now();
    for (const entry of this.#entries) {
      if (entry.lapses >= now) return;
      this.#remove(entry);
    }
  }
}

/** The pool of this isolate. */
export const bodyPool = new BodyPool({
  reading: bodyLimits.poolBytes - bodyLimits.drainBytes,
  draining: bodyLimits.drainBytes,
});
