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

/** The sums of what all isolates have counted. */
export class Totals {
  readonly #storage: TotalsStorage;
  readonly #samples: Record<string, number>;
  #isKept = true;

  constructor(storage: TotalsStorage) {
    this.#storage = storage;
    this.#samples = { ...storage.get(key) };
  }

  /** Adds increases. They are kept with the next `keep`, and if the object is lost before that, they are, too. */
  add(increases: Samples): void {
    for (const [sample, by] of Object.entries(increases)) {
      this.#samples[sample] = (this.#samples[sample] ?? 0) + by;
    }
    this.#isKept = false;
  }

  /** Writes the sums, as one row, if they have changed. @returns whether it did */
  keep(): boolean {
    if (this.#isKept) return false;
    this.#storage.put(key, this.#samples);
    this.#isKept = true;
    return true;
  }

  /** The sums. They are kept before anyone sees them: a counter that goes back would look like one that began anew. */
  read(): Samples {
    this.keep();
    return { ...this.#samples };
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
