import type { Failure } from './failure.ts';

/** How an attempt to make a result ended, for those who waited for it. */
export type Outcome =
  /** It is in the bucket. */
  { readonly kind: 'kept' } | { readonly kind: 'failed'; readonly failure: Failure };

/** What a request for a result is told: to make it, how that ended, or that another one is still making it. */
export type Claimed = { readonly kind: 'make' } | Outcome | { readonly kind: 'busy' };

/** How long a maker that does not renew its lease is waited for, in milliseconds. */
export const leaseTime = 60_000;

/** The same of one that has waited and takes over, which may have left: it renews its lease when it begins. */
const takeoverTime = 3000;

/** How often those who wait look whether the lease has lapsed, in milliseconds. */
const lookInterval = 1000;

/**
 * Lets one request make a result, and others wait for it. Lives in the memory of a Durable Object, and so in one place
 * worldwide. If that is lost, a second request may make the result, which is charged once nevertheless.
 */
export class Lease {
  #maker: string | null = null;
  #until = 0;
  /** Those who wait, in order of arrival, with what tells them how it goes on. */
  readonly #waiting = new Map<string, (claimed: Claimed | null) => void>();

  /**
   * Asks to make a result.
   * @param maker id of the request
   * @param maxWait milliseconds to wait for another maker; 0 if it is not waited for
   */
  async claim(maker: string, maxWait: number): Promise<Claimed> {
    const deadline = Date.now() + maxWait;
    for (let hasWaited = false; ; hasWaited = true) {
      const now = Date.now();
      // The maker itself asks again if its answer was lost.
      const isAnothers = this.#maker !== null && this.#maker !== maker && now < this.#until;
      if (!isAnothers) {
        this.#give(maker, hasWaited ? takeoverTime : leaseTime);
        return { kind: 'make' };
      }
      if (now >= deadline) return { kind: 'busy' };
      const told = await this.#wait(maker, Math.min(lookInterval, deadline - now));
      if (told) return told;
    }
  }

  /** Whether nobody holds it, or waits for it: then a new one does as well. */
  get isFree(): boolean {
    return this.#waiting.size === 0 && (this.#maker === null || Date.now() >= this.#until);
  }

  /** Says that a result is still being made. @returns whether anyone else waits for it */
  renew(maker: string): boolean {
    if (this.#maker === maker) this.#until = Date.now() + leaseTime;
    return this.#waiting.size > 0;
  }

  /**
   * Ends an attempt.
   * @param outcome null if it was given up, or the result could not be kept: the next one who waits makes it
   */
  finish(maker: string, outcome: Outcome | null): void {
    // Another one has taken over, and its outcome counts.
    if (this.#maker !== maker) return;
    this.#maker = null;
    if (outcome) {
      for (const tell of this.#waiting.values()) tell(outcome);
      return;
    }
    const [next] = this.#waiting;
    if (!next) return;
    const [heir, tell] = next;
    this.#give(heir, takeoverTime);
    tell({ kind: 'make' });
  }

  #give(maker: string, time: number): void {
    this.#maker = maker;
    this.#until = Date.now() + time;
  }

  /** Waits until it is told how it goes on; null after that time. */
  #wait(maker: string, milliseconds: number): Promise<Claimed | null> {
    return new Promise((resolve) => {
      const tell = (claimed: Claimed | null) => {
        this.#waiting.delete(maker);
        clearTimeout(timer);
        resolve(claimed);
      };
      const timer = setTimeout(() => tell(null), milliseconds);
      this.#waiting.set(maker, tell);
    });
  }
}
