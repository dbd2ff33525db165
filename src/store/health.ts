export type Part = 'database' | 'kv';

/** The newest of migrations/, which this version needs; a test holds it against the folder. */
export const newestMigration = '0001_first-version.sql';

/** How long a part may take to answer, in milliseconds. */
const patience = 5000;

/** How long an outcome stands, in milliseconds from when the parts were asked. */
const life = 5000;

/** Between two looks at whether another request has the outcome, in milliseconds. */
const pause = 25;

interface Check {
  readonly begun: number;
  failing: readonly Part[] | null;
}

/**
 * A check of the parts that this service depends on. Anyone may ask, and D1 has one
 * writer: so an isolate asks the parts once in five seconds, however many come at once.
 * @returns what gives the parts that do not answer as they should
 */
export function healthCheck(): (env: Pick<Env, 'DB' | 'KV'>) => Promise<readonly Part[]> {
  let newest: Check | null = null;
  return async function failingParts(env) {
    const now = Date.now();
    if (newest === null || now - newest.begun >= life) {
      const check: Check = { begun: now, failing: null };
      newest = check;
      check.failing = await failingNow(env);
      return check.failing;
    }
    // looked at and not awaited: a promise of another request may never settle in this one
    const check = newest;
    while (check.failing === null && Date.now() - now < patience) await scheduler.wait(pause);
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

/** @throws Error where nothing can be written, or the newest migration is not there */
async function demandDatabase(db: D1Database): Promise<void> {
  const [, found] = await db.batch([
    // changes nothing, but is refused where nothing can be written
    db.prepare('UPDATE users SET id = id WHERE 1 = 0'),
    db.prepare('SELECT 1 FROM d1_migrations WHERE name = ?1').bind(newestMigration),
  ]);
  if (found?.results.length !== 1) throw new Error('a migration is missing');
}

/** Fails when an answer takes too long. */
async function inTime(answer: Promise<unknown>): Promise<unknown> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error('no answer')), patience);
  });
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
}
