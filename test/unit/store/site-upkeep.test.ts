import { expect, it } from 'vitest';
import { hourlyWork } from '../../../src/hourly.ts';
import type {
  D1Database,
  D1PreparedStatement,
  KVNamespace,
  Platform,
} from '../../../src/platform.ts';
import { maxSliceRows, maxStatements } from '../../../src/store/expired.ts';
import { completeSites } from '../../../src/store/site-upkeep.ts';
import { noOthers, onNode } from '../../support/bindings.ts';

/** What D1 allows an invocation of a Worker. */
const statementsAllowed = 1000;

/** Adds sites `site_0`, `site_1` and so on that have to be published, or were deleted and have to be swept. */
async function addSites(DB: D1Database, count: number, since: number | null): Promise<void> {
  const status = since === null ? 'active' : 'deleted';
  const site = DB.prepare(
    `INSERT INTO sites (id, user_id, slug, name, source, signed, secrets, presets, presets_only, cache_seconds,
                        on_error, status, published, unswept_since, created_at)
     SELECT 'site_' || value, 'usr_1', 'slug-' || value, '', '', 0, '[]', '{}', 0, 60,
            'error', '${status}', ${since === null ? 0 : 1}, ${since}, 0
     FROM json_each(?1)`,
  );
  const first = since === null ? 0 : 1000;
  const numbers = Array.from({ length: count }, (_, i) => first + i);
  await DB.batch([
    DB.prepare(`INSERT OR IGNORE INTO mailboxes (id) VALUES ('mbx_1')`),
    DB.prepare(
      `INSERT OR IGNORE INTO users (id, mailbox_id, epoch, created_at) VALUES ('usr_1', 'mbx_1', 0, 0)`,
    ),
    site.bind(JSON.stringify(numbers)),
  ]);
}

/** The database, with each statement counted. */
function counted(DB: D1Database, note: (statements: number) => void): D1Database {
  const inside = new WeakMap<D1PreparedStatement, D1PreparedStatement>();
  const wrapped = (statement: D1PreparedStatement): D1PreparedStatement => {
    const one = <Result>(run: () => Promise<Result>): Promise<Result> => {
      note(1);
      return run();
    };
    const outside: D1PreparedStatement = {
      bind: (...values) => wrapped(statement.bind(...values)),
      first: () => one(() => statement.first()),
      run: () => one(() => statement.run()),
      all: () => one(() => statement.all()),
    };
    inside.set(outside, statement);
    return outside;
  };
  return {
    prepare: (sql) => wrapped(DB.prepare(sql)),
    batch: (statements) => {
      note(statements.length);
      return DB.batch(statements.map((it) => inside.get(it) ?? it));
    },
  };
}

const countOf = async (DB: D1Database, condition: string) =>
  (await DB.prepare(`SELECT count(*) AS n FROM sites WHERE ${condition}`).first<{ n: number }>())
    ?.n;

it('an hourly run executes fewer statements than D1 allows, however much there is to do', async () => {
  await onNode(async ({ DB, RESULTS }) => {
    await addSites(DB, 300, null);
    await addSites(DB, 100, 0);
    await DB.prepare(
      `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${maxStatements * maxSliceRows})
       INSERT INTO sessions SELECT 'hash ' || n, 'usr_1', 0, 1 FROM numbers`,
    ).run();
    let statements = 0;
    const platform = {
      ...noOthers,
      DB: counted(DB, (more) => {
        statements += more;
      }),
      RESULTS,
      // Others change each site while it is written.
      KV: {
        put: async (name: string) => {
          await DB.prepare('UPDATE sites SET revision = revision + 1 WHERE slug = ?1')
            .bind(name.replace('site:', ''))
            .run();
        },
      } as unknown as KVNamespace,
    } as unknown as Platform;
    await hourlyWork(platform, Date.now());
    expect(statements).toBeGreaterThan(0.9 * statementsAllowed);
    expect(statements).toBeLessThan(statementsAllowed);
    expect(await countOf(DB, 'unswept_since IS NOT NULL')).toBe(50);
  });
});

it('a site that cannot be published or swept keeps no other waiting, and the first failure is told', async () => {
  await onNode(async ({ DB, KV, RESULTS }) => {
    await addSites(DB, 203, null);
    await addSites(DB, 5, 0);
    let failures = 0;
    const fail = () => {
      failures += 1;
      throw new Error(`failure ${failures}`);
    };
    const publishing = {
      put: async (...put: Parameters<KVNamespace['put']>) =>
        ['site:slug-0', 'site:slug-7'].includes(put[0]) ? fail() : KV.put(...put),
    } as KVNamespace;
    const sweeping = {
      list: async (options: Parameters<typeof RESULTS.list>[0]) =>
        options.prefix === 'site_1000/' ? fail() : RESULTS.list(options),
    } as typeof RESULTS;
    const run = () => completeSites({ DB, KV: publishing, RESULTS: sweeping });
    await expect(run()).rejects.toThrow('failure 1');
    expect(failures).toBe(3);
    expect(await countOf(DB, 'published = revision AND unswept_since IS NULL')).toBe(198 + 4);
    // Those that failed are asked for again, and others with them.
    await expect(run()).rejects.toThrow('failure 4');
    expect(await countOf(DB, 'published <> revision')).toBe(2);
    expect(await countOf(DB, 'unswept_since IS NOT NULL')).toBe(1);
  });
});
