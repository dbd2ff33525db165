import type { D1Database, Platform } from '../platform.ts';

type Dependency = 'database' | 'kv';

/** The newest file of migrations/, which this version requires; a test compares it with the folder. */
export const newestMigration = '0006_sites.sql';

/** Timeout for a dependency, in milliseconds. */
const checkTimeout = 5000;

/** How long a result is used, in milliseconds from the start of the check. */
const maxAge = 5000;

/**
 * Age in milliseconds from which on the next request has the dependencies checked again, after its own answer: so whoever
 * asks regularly never waits for them.
 */
const refreshAge = 2000;

/** Interval at which a request polls for the result of another request's check, in milliseconds. */
const pollInterval = 25;

interface Check {
  readonly begun: number;
  /** Null while it is running. */
  failing: readonly Dependency[] | null;
}

interface Outcome extends Check {
  readonly failing: readonly Dependency[];
}

/** @param afterwards keeps the request running until what it is given has settled */
type FailingParts = (
  env: Pick<Platform, 'DB' | 'KV'>,
  afterwards: (refreshed: Promise<unknown>) => void,
) => Promise<readonly Dependency[]>;

/**
 * Creates a check of the dependencies of this service. Anyone may call it, and D1 has a single writer, so an isolate
 * checks only once in two seconds, however many requests arrive.
 * @returns a function that resolves to the failing dependencies
 */
export function healthCheck(): FailingParts {
  let newest: Check | null = null;
  let known: Outcome | null = null;
  const check = async (env: Pick<Platform, 'DB' | 'KV'>) => {
    const own: Check = { begun: Date.now(), failing: null };
    newest = own;
    const failing = await failingNow(env);
    own.failing = failing;
    const isNewer = known === null || known.begun < own.begun || known.begun > Date.now();
    if (isNewer) known = { begun: own.begun, failing };
    return failing;
  };
  return async function failingParts(env, afterwards) {
    const now = Date.now();
    // Results of the future are from before the clock was put back.
    const ageOf = ({ begun }: Check) => (begun > now ? maxAge : now - begun);
    const running = newest?.failing === null && ageOf(newest) < maxAge ? newest : null;
    if (known !== null && ageOf(known) < maxAge) {
      const isDue = ageOf(known) >= refreshAge && running === null;
      // If it fails, the next request that finds no usable result reports that.
      if (isDue) afterwards(check(env).catch(() => {}));
      return known.failing;
    }
    if (running === null) return check(env);
    // Polled rather than awaited: a promise of another request may never settle in this one.
    while (running.failing === null && Date.now() - now < checkTimeout)
      await scheduler.wait(pollInterval);
    return running.failing ?? failingNow(env);
  };
}

async function failingNow({ DB, KV }: Pick<Platform, 'DB' | 'KV'>): Promise<Dependency[]> {
  const checks: readonly (readonly [Dependency, Promise<unknown>])[] = [
    ['database', demandDatabase(DB)],
    ['kv', KV.get('health')],
  ];
  const outcomes = await Promise.allSettled(checks.map(([, check]) => inTime(check)));
  return checks.flatMap(([part], i) => (outcomes[i]?.status === 'rejected' ? [part] : []));
}

/** @throws Error if the database cannot be written, or the newest migration is missing */
async function demandDatabase(db: D1Database): Promise<void> {
  const [, found] = await db.batch([
    // Changes nothing, but fails if the database cannot be written.
    db.prepare('UPDATE users SET id = id WHERE 1 = 0'),
    db.prepare('SELECT 1 FROM d1_migrations WHERE name = ?1').bind(newestMigration),
  ]);
  if (found?.results.length !== 1) throw new Error('a migration is missing');
}

/** Rejects if a response takes longer than the timeout. */
async function inTime(response: Promise<unknown>): Promise<unknown> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timedOut = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error('no answer')), checkTimeout);
  });
  return Promise.race([response, timedOut]).finally(() => clearTimeout(timer));
}
