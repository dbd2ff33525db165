/**
 * `npm run bench:clearing [-- --rows n]`: measures how long the hourly clearing blocks the database. Fills every
 * cleared table with expired rows (100,000 by default) in a D1 database of its own that runs in workerd, clears them,
 * and prints the number of slices and the longest statement for each table. Takes at most ten minutes, and ends with a
 * verdict. Other work on the machine affects the times.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { withBindings } from '../scripts/local/database.ts';
import { wholeNumber } from '../scripts/local/options.ts';
import { slugsFreeSince } from '../src/policy/limits.ts';
import { firstDayKept } from '../src/policy/quota.ts';
import { clearExpired } from '../src/store/expired.ts';
import { clearedTables, expiredRows } from '../test/support/expired-rows.ts';
import { type Executed, recorded } from '../test/support/recorded-database.ts';
import { terminalTable } from './harness/report.ts';
import { median } from './measures/figures.ts';

/** Maximum duration of a statement, in milliseconds. */
const maxMilliseconds = 50;

const { values } = parseArgs({ options: { rows: { type: 'string', default: '100000' } } });
const rows = wholeNumber('rows', values.rows, 1);

const folder = await mkdtemp(join(tmpdir(), 'fewerbytes-clearing-'));
const batches: (readonly Executed[])[] = [];
let runs = 0;
try {
  await withBindings(folder, async ({ DB }) => {
    for (const sql of expiredRows(rows)) await DB.prepare(sql).run();
    const database = recorded(DB, (batch) => batches.push(batch));
    const now = Date.now();
    for (; (await remaining(DB)) > 0; runs += 1) {
      await clearExpired(database, {
        now,
        firstDayKept: firstDayKept(now),
        slugsFreeSince: slugsFreeSince(now),
      });
    }
  });
} finally {
  await rm(folder, { recursive: true });
}

/** Number of expired rows left in all tables. */
async function remaining(db: D1Database): Promise<number> {
  const counts = await db.batch<{ n: number }>(
    Object.values(clearedTables).map((sql) => db.prepare(sql)),
  );
  return counts.reduce((sum, { results }) => sum + (results[0]?.n ?? 0), 0);
}

/** The table that a transaction clears: the one that its last statement changes. */
function tableOf(batch: readonly Executed[]): string | undefined {
  return /(?:DELETE FROM|UPDATE) (\w+)/.exec(batch.at(-1)?.sql ?? '')?.[1];
}

function timesOf(slices: readonly (readonly Executed[])[]): number[] {
  return slices.flatMap((batch) => batch.map(({ milliseconds }) => milliseconds));
}

const columns = ['table', 'rows', 'slices', 'median, ms', 'longest statement, ms'];
const lines = Object.keys(clearedTables).map((table) => {
  const slices = batches.filter((batch) => tableOf(batch) === table);
  const changed = slices.reduce((sum, batch) => sum + (batch.at(-1)?.changed ?? 0), 0);
  const times = timesOf(slices);
  const figures = [changed, slices.length, median(times) ?? 0, Math.max(...times)];
  return [table, ...figures.map((figure) => figure.toLocaleString('en-US'))];
});
const caption = `Expired rows, cleared in ${runs} runs of the clearing`;
console.log(terminalTable({ caption, columns, rows: lines }));

const times = timesOf(batches);
const longest = Math.max(...times);
const late = times.filter((time) => time > maxMilliseconds).length;
console.log(
  late === 0
    ? `\nClearing: the longest of ${times.length.toLocaleString('en-US')} statements took ${longest} ms, at most ${maxMilliseconds} allowed`
    : `\nClearing: ${late} of ${times.length.toLocaleString('en-US')} statements took longer than ${maxMilliseconds} ms, the longest ${longest}`,
);
process.exit(late === 0 ? 0 : 1);
