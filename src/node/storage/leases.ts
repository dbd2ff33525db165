import type { Named } from '../../platform.ts';
import { type Claimed, Lease, type Outcome } from '../../routes/delivery/lease.ts';

/** Leases that nobody holds or waits for are forgotten at once; those that have lapsed, when there are more than these. */
const fewLeases = 1000;

/** The leases of images by URL, in memory. */
export class Leases implements Named {
  readonly #leases = new Map<string, Lease>();
  #sweptAbove = fewLeases;

  getByName(name: string) {
    return {
      claim: (maker: string, maxWait: number): Promise<Claimed> =>
        this.#lease(name).claim(maker, maxWait),
      renew: async (maker: string): Promise<boolean> => this.#lease(name).renew(maker),
      finish: async (maker: string, outcome: Outcome | null): Promise<void> => {
        const lease = this.#lease(name);
        lease.finish(maker, outcome);
        if (lease.isFree) this.#leases.delete(name);
      },
    };
  }

  #lease(name: string): Lease {
    const known = this.#leases.get(name);
    if (known) return known;
    this.#sweep();
    const lease = new Lease();
    this.#leases.set(name, lease);
    return lease;
  }

  #sweep(): void {
    if (this.#leases.size < this.#sweptAbove) return;
    for (const [name, lease] of this.#leases) if (lease.isFree) this.#leases.delete(name);
    // Otherwise, each of very many would look at all others.
    this.#sweptAbove = Math.max(fewLeases, 2 * this.#leases.size);
  }
}
