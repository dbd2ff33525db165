import { bodyLimits } from '../../policy/limits.ts';

/**
 * Lifetime in milliseconds of a hold that has not been renewed. Requests release their holds when they end, but the
 * code of a request that the platform tears down never runs again, and its buffers are gone. Longer than any step of a
 * request between two renewals.
 */
const holdLifetime = 5 * 60 * 1000;

/** What a buffer is for: reading a wanted body, or draining one that was refused. */
type Purpose = 'reading' | 'draining';

/** Bytes taken from the pool until `release`. */
export interface PoolHold {
  /**
   * Changes the size of the hold to `bytes`, or returns false and changes nothing. Shrinking fails only after the hold
   * has expired.
   */
  resizeTo(bytes: number): boolean;
  /** Keeps the hold alive: the request that owns it is still running. */
  renew(): void;
  /** May be called repeatedly, and after the hold has expired. */
  release(): void;
}

interface Entry {
  readonly purpose: Purpose;
  bytes: number;
  expiresAt: number;
}

/**
 * Memory for bodies that are read completely before the sender is known: JSON, Stripe events, and the rest of refused
 * bodies. It is separate from the memory for images, so such bodies cannot use that up. All counting is synchronous and
 * therefore free of races.
 */
export class BodyPool {
  readonly #capacity: Readonly<Record<Purpose, number>>;
  /** In order of expiry, the first to expire first. */
  readonly #entries = new Set<Entry>();
  readonly #held: Record<Purpose, number> = { reading: 0, draining: 0 };

  /** @param capacity bytes available for each purpose; bodies that are refused for lack of room are drained */
  constructor(capacity: Readonly<Record<Purpose, number>>) {
    this.#capacity = capacity;
  }

  /** Bytes held now. */
  get held(): number {
    return this.#held.reading + this.#held.draining;
  }

  /** Takes `bytes`; returns null if they do not fit now. */
  hold(bytes: number, purpose: Purpose): PoolHold | null {
    this.#removeExpired();
    const entry: Entry = { purpose, bytes: 0, expiresAt: 0 };
    this.#renew(entry);
    const hold = this.#holdOf(entry);
    if (hold.resizeTo(bytes)) return hold;
    hold.release();
    return null;
  }

  #holdOf(entry: Entry): PoolHold {
    return {
      resizeTo: (bytes) => this.#entries.has(entry) && this.#resize(entry, bytes),
      renew: () => {
        if (this.#entries.has(entry)) this.#renew(entry);
      },
      release: () => this.#remove(entry),
    };
  }

  #resize(entry: Entry, bytes: number): boolean {
    const growth = bytes - entry.bytes;
    const room = this.#capacity[entry.purpose] - this.#held[entry.purpose];
    if (growth > 0 && growth > room) return false;
    this.#held[entry.purpose] += growth;
    entry.bytes = bytes;
    this.#renew(entry);
    return true;
  }

  #renew(entry: Entry): void {
    entry.expiresAt = Date.now() + holdLifetime;
    // Moved to the end: it is now the last to expire.
    this.#entries.delete(entry);
    this.#entries.add(entry);
  }

  #remove(entry: Entry): void {
    if (this.#entries.delete(entry)) this.#held[entry.purpose] -= entry.bytes;
  }

  #removeExpired(): void {
    const now = Date.now();
    for (const entry of this.#entries) {
      if (entry.expiresAt >= now) return;
      this.#remove(entry);
    }
  }
}

/** The pool of this isolate. */
export const bodyPool = new BodyPool({
  reading: bodyLimits.poolBytes - bodyLimits.drainBytes,
  draining: bodyLimits.drainBytes,
});
