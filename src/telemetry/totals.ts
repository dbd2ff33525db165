import type { Platform } from '../platform.ts';
import { hasNews, returnNews, type Samples, takeNews } from './counts.ts';

// Where there are many isolates that nobody can ask, each hands what it has counted to one object.

type MetricsEnv = Pick<Platform, 'METRICS' | 'METRICS_TOKEN'>;

/** Where totals are kept. */
interface TotalsStorage {
  get(key: string): Samples | undefined;
  put(key: string, value: Samples): void;
}

const key = 'totals';

/**
 * How long sums may stay unwritten, in milliseconds. An object of which nobody wants anything may be dropped from memory after ten
 * seconds (https://developers.cloudflare.com/durable-objects/concepts/durable-object-lifecycle/).
 */
const keepInterval = 8000;

/** The sums of what all isolates have counted. */
export class Totals {
  readonly #storage: TotalsStorage;
  readonly #samples: Record<string, number>;
  #isKept = true;
  #keptAt = Number.NEGATIVE_INFINITY;
  #isPlanned = false;

  constructor(storage: TotalsStorage) {
    this.#storage = storage;
    this.#samples = { ...storage.get(key) };
  }

  /**
   * Adds increases, and writes the sums unless that was done a moment ago.
   * @param now in milliseconds since 1970
   * @returns when `keep` has to be called; null if there is no need, or it will be
   */
  add(increases: Samples, now: number): number | null {
    for (const [sample, by] of Object.entries(increases)) {
      this.#samples[sample] = (this.#samples[sample] ?? 0) + by;
    }
    this.#isKept = false;
    if (now - this.#keptAt >= keepInterval) {
      this.#write(now);
      return null;
    }
    if (this.#isPlanned) return null;
    this.#isPlanned = true;
    return this.#keptAt + keepInterval;
  }

  /** Writes the sums, if they have changed. */
  keep(now: number): void {
    this.#isPlanned = false;
    this.#write(now);
  }

  /** The sums. They are written before anyone sees them: a counter that goes back would look like one that began anew. */
  read(now: number): Samples {
    this.#write(now);
    return { ...this.#samples };
  }

  #write(now: number): void {
    if (this.#isKept) return;
    this.#storage.put(key, this.#samples);
    this.#isKept = true;
    this.#keptAt = now;
  }
}

/** How the object is called. */
interface TotalsCalls {
  add(increases: Samples): Promise<void>;
  read(): Promise<Samples>;
}

function totalsOf(namespace: NonNullable<Platform['METRICS']>): TotalsCalls {
  // Calls return plain data, but the stub's types wrap it in promises.
  return namespace.getByName(key) as unknown as TotalsCalls;
}

/** How long increases are collected before they are handed over, in milliseconds. */
const collectTime = 5000;

/** After this time, whoever was to hand increases over has been torn down, in milliseconds. */
const lapse = 4 * collectTime;

/** When a request took it upon itself to hand them over. */
let promisedAt: number | null = null;

/**
 * Has increases handed over within a few seconds, by whichever request finds that nobody has promised to. Does nothing where
 * this process counts for all, or nobody may read it.
 */
export function handOverSoon(env: MetricsEnv, waitUntil: (work: Promise<unknown>) => void): void {
  if (!env.METRICS || !env.METRICS_TOKEN || !hasNews()) return;
  const now = Date.now();
  if (promisedAt !== null && now - promisedAt < lapse) return;
  promisedAt = now;
  waitUntil(scheduler.wait(collectTime).then(() => handOver(env)));
}

/** Hands increases over; never rejects. What could not be handed over stays for the next time. */
export async function handOver({ METRICS, METRICS_TOKEN }: MetricsEnv): Promise<void> {
  promisedAt = null;
  if (!METRICS || !METRICS_TOKEN || !hasNews()) return;
  const increases = takeNews();
  try {
    await totalsOf(METRICS).add(increases);
  } catch {
    // If only its answer was lost, they count twice: rarely, and better than not at all.
    returnNews(increases);
  }
}

/**
 * What all isolates have handed over; null where this process counts for all.
 * @throws Error if the object fails
 */
export async function readTotals({ METRICS }: Pick<Platform, 'METRICS'>): Promise<Samples | null> {
  return METRICS ? totalsOf(METRICS).read() : null;
}
