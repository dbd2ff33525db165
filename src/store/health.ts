export type Part = 'database' | 'kv';

/** The newest file of migrations/, which this version requires; a test compares it with the folder. */
export const newestMigration = '0004_key-options.sql';

/** How long a part may take to answer, in milliseconds. */
const checkTimeout = 5000;

/** How long an outcome is reused, in milliseconds from the start of the check. */
const maxAge = 5000;

/** How often a request looks for the outcome of another one's check, in milliseconds. */
const pollInterval = 25;

interface Check {
  readonly begun: number;
  failing: readonly Part[] | null;
}

/**
 * Makes a check of the parts that this service depends on. Anyone may ask for it, and
 * D1 has one writer: so an isolate checks once in five seconds, however many ask at once.
 * @returns a function that resolves to the failing parts
 */
export function healthCheck(): (env: Pick<Env, 'DB' | 'KV'>) => Promise<readonly Part[]> {
  let newest: Check | null = null;
  return async function failingParts(env) {
    const now = Date.now();
    if (newest === null || now - newest.begun >= maxAge) {
      const check: Check = { begun: now, failing: null };
      newest = check;
      check.failing = await failingNow(env);
      return check.failing;
    }
    // polled and not awaited: a promise of another request may never settle in this one
    const check = newest;
    while (check.failing === null && Date.now() - now < checkTimeout)
      await scheduler.wait(pollInterval);
    return check.failing ?? failingNow(env);
  };
}

async function failingNow({ DB, KV }: Pick<Env, 'DB' | 'KV'>): Promise<Part[]> {
  const checks: readonly (readonly [Part, Promise<unknown>])[] = [
    ['database', demandDatabase(DB)],
    ['kv', KV.get('health')],
  ];
  const outcomes = await Promise.allSettled(checks.map(([, check]) => inTime(check)));
  return checks.flatMap(([part], i) => (outcomes[i]?.status === 'rejected' ? [part] : []));
}

/** @throws Error where the database cannot be written, or the newest migration is missing */
async function demandDatabase(db: D1Database): Promise<void> {
  const [, found] = await db.batch([
    // changes nothing, but fails where the database cannot be written
    db.prepare('UPDATE users SET id = id WHERE 1 = 0'),
    db.prepare('SELECT 1 FROM d1_migrations WHERE name = ?1').bind(newestMigration),
  ]);
  if (found?.results.length !== 1) throw new Error('a migration is missing');
}

/** Rejects when an answer takes longer than the time-out. */
async function inTime(answer: Promise<unknown>): Promise<unknown> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error('no answer')), checkTimeout);
  });
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
}
