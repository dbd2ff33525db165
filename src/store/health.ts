export type Dependency = 'database' | 'kv';

/** The newest file of migrations/, which this version requires; a test compares it with the folder. */
export const newestMigration = '0004_key-options.sql';

/** Timeout for a dependency, in milliseconds. */
const checkTimeout = 5000;

/** How long a result is reused, in milliseconds from the start of the check. */
const maxAge = 5000;

/** Interval at which a request polls for the result of another request's check, in milliseconds. */
const pollInterval = 25;

interface Check {
  readonly begun: number;
  failing: readonly Dependency[] | null;
}

/**
 * Creates a check of the dependencies of this service. Anyone may call it, and D1 has a single writer, so an isolate
 * checks only once in five seconds, however many requests arrive.
 * @returns a function that resolves to the failing dependencies
 */
export function healthCheck(): (env: Pick<Env, 'DB' | 'KV'>) => Promise<readonly Dependency[]> {
  let newest: Check | null = null;
  return async function failingParts(env) {
    const now = Date.now();
    if (newest === null || now - newest.begun >= maxAge) {
      const check: Check = { begun: now, failing: null };
      newest = check;
      check.failing = await failingNow(env);
      return check.failing;
    }
    // Polled rather than awaited: a promise of another request may never settle in this one.
    const check = newest;
    while (check.failing === null && Date.now() - now < checkTimeout)
      await scheduler.wait(pollInterval);
    return check.failing ?? failingNow(env);
  };
}

async function failingNow({ DB, KV }: Pick<Env, 'DB' | 'KV'>): Promise<Dependency[]> {
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
