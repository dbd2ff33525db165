import { type RateLimitName, rateLimits } from '../settings.ts';

/** Milliseconds over which requests are counted. */
const windowLength = 60_000;

/** Keys that are counted at once: about 20 MB for each limit, when as many networks call within a minute or two. */
const maxKeys = 100_000;

/**
 * A rate limit in memory, over a sliding minute: requests of the minute before count as if they had been spread evenly.
 * The clock of the machine may jump; this one cannot.
 */
export class MemoryRateLimit {
  readonly #perMinute: number;
  readonly #clock: () => number;
  #counts = new Map<string, number>();
  #previous = new Map<string, number>();
  #window = 0;

  /** @param clock milliseconds since any moment */
  constructor(perMinute: number, clock = () => performance.now()) {
    this.#perMinute = perMinute;
    this.#clock = clock;
  }

  /** Counts a request, unless it is refused. */
  async limit({ key }: { readonly key: string }): Promise<{ readonly success: boolean }> {
    const now = this.#clock();
    this.#turnTo(Math.floor(now / windowLength));
    const share = 1 - (now % windowLength) / windowLength;
    const count = this.#counts.get(key) ?? 0;
    const before = (this.#previous.get(key) ?? 0) * share;
    if (count + before + 1 > this.#perMinute + 1e-9) return { success: false };
    // Those that have been here for longest go first; they begin anew.
    if (count === 0 && this.#counts.size >= maxKeys) {
      for (const [oldest] of this.#counts) {
        this.#counts.delete(oldest);
        break;
      }
    }
    this.#counts.set(key, count + 1);
    return { success: true };
  }

  #turnTo(window: number): void {
    if (window === this.#window) return;
    this.#previous = window === this.#window + 1 ? this.#counts : new Map();
    this.#counts = new Map();
    this.#window = window;
  }
}

/** All rate limits of the service. */
export function memoryRateLimits(): Record<RateLimitName, MemoryRateLimit> {
  const limits = Object.entries(rateLimits).map(([name, { perMinute }]) => [
    name,
    new MemoryRateLimit(perMinute),
  ]);
  return Object.fromEntries(limits) as Record<RateLimitName, MemoryRateLimit>;
}
