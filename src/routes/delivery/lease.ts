import type { ApiError, ErrorCode } from '../../errors.ts';

/** How an attempt to make a result ended, for those who waited for it. */
export type Outcome =
  /** It is in the bucket. */
  | { readonly kind: 'kept' }
  /** It could not be kept: whoever else wants it makes it, too. */
  | { readonly kind: 'not-kept' }
  | { readonly kind: 'failed'; readonly failure: Failure };

/** An error as it is told to another invocation of the service. */
export interface Failure extends Pick<ApiError, 'members' | 'headers'> {
  readonly code: ErrorCode;
  readonly detail: string;
  /** The status of the source, if that has no such image. */
  readonly status: 404 | 410 | null;
}

/** What a request for a result is told: to make it, how that ended, or that another one is still making it. */
export type Claimed = { readonly kind: 'make' } | Outcome | { readonly kind: 'busy' };

/** How long a maker that does not renew its lease is waited for, in milliseconds. */
export const leaseTime = 60_000;

/**
 * Lets one request make a result, and others wait for it. Lives in the memory of a Durable Object, and so in one place
 * worldwide: if that is lost, a second request may make the result, which is charged once nevertheless.
 */
export class Lease {
  #maker: string | null = null;
  #until = 0;
  /** Those who wait, in order of arrival. */
  readonly #waiting = new Set<(claimed: Claimed) => void>();

  /**
   * Asks to make a result.
   * @param maker id of the request
   * @param maxWait milliseconds to wait for another maker; 0 if it is not waited for
   */
  async claim(maker: string, maxWait: number): Promise<Claimed> {
    const lapsesIn = this.#until - Date.now();
    if (this.#maker === null || lapsesIn <= 0) {
      this.#give(maker);
      return { kind: 'make' };
    }
    if (maxWait <= 0) return { kind: 'busy' };
    const claimed = await this.#wait(Math.min(maxWait, lapsesIn));
    // The other one may have died: its lease has lapsed, or been renewed meanwhile.
    const left = maxWait - lapsesIn;
    return claimed.kind === 'busy' && left > 0 ? this.claim(maker, left) : claimed;
  }

  /** Says that a result is still being made. @returns whether anyone waits for it */
  renew(maker: string): boolean {
    if (this.#maker === maker) this.#until = Date.now() + leaseTime;
    return this.#waiting.size > 0;
  }

  /**
   * Ends an attempt.
   * @param outcome null if it was given up: the next one who waits makes the result
   */
  finish(maker: string, outcome: Outcome | null): void {
    // Another one has taken over, and its outcome counts.
    if (this.#maker !== maker) return;
    this.#maker = null;
    if (outcome?.kind === 'kept' || outcome?.kind === 'failed') {
      for (const tell of [...this.#waiting]) tell(outcome);
      return;
    }
    const [next] = this.#waiting;
    next?.({ kind: 'make' });
  }

  #give(maker: string): void {
    this.#maker = maker;
    this.#until = Date.now() + leaseTime;
  }

  #wait(milliseconds: number): Promise<Claimed> {
    return new Promise((resolve) => {
      const tell = (claimed: Claimed) => {
        this.#waiting.delete(tell);
        clearTimeout(timer);
        resolve(claimed);
      };
      const timer = setTimeout(() => tell({ kind: 'busy' }), milliseconds);
      this.#waiting.add(tell);
    });
  }
}
