import { hashApiKey } from '../../../src/access/api-key.ts';
import { quotaTerms } from '../../../src/policy/quota.ts';
import { authorizeAndReserve, settleReservations } from '../../../src/store/reservations.ts';
import type { TestService } from '../../../test/support/service.ts';
import type { Plot, Series, Table } from '../../harness/section.ts';
import type { TimedJob, Way } from './jobs.ts';

const count = 1000;

export function speedTable(rows: readonly TimedJob[]): Table {
  return {
    caption: 'Time of one request in milliseconds',
    columns: [
      ...['', 'megapixels', 'status', 'quality', 'CPU', 'wall'],
      ...['sharp, quality', 'sharp, CPU', 'against sharp'],
    ],
    rows: rows.map(({ job, pixels, status, quality, sharpQuality, cpu, wall, sharp }) => [
      job.name,
      (pixels / 1e6).toFixed(2),
      String(status),
      quality,
      cpu.toFixed(1),
      wall.toFixed(1),
      sharpQuality === null ? '–' : String(sharpQuality),
      sharp.toFixed(1),
      sharp > 0 ? (cpu / sharp).toFixed(2) : '–',
    ]),
  };
}

export function costTable(rows: readonly TimedJob[], database: DatabaseRows): Table {
  return {
    caption: `Dollars for ${count} requests`,
    columns: ['', 'requests', 'CPU time', 'database', 'in all'],
    rows: rows.map(({ job, cpu }) => {
      const cost = costOf(count, cpu, database);
      const cells = [cost.requests, cost.cpu, cost.database, cost.total];
      return [job.name, ...cells.map((dollars) => dollars.toFixed(4))];
    }),
  };
}

/** CPU time by megapixels, both on scales of powers; of one photo in several sizes a line. */
export function speedPlot(rows: readonly TimedJob[]): Plot {
  const ways = [...new Set(rows.map(({ job: { way } }) => way))];
  const series = (name: string, way: Way, timeOf: (row: TimedJob) => number): Series => {
    const timed = rows.filter((row) => row.job.way === way && timeOf(row) > 0);
    return {
      name: `${name}, ${way}`,
      mark: way === 'JPEG kept' ? 'line' : 'points',
      points: timed.map((row) => ({ x: row.pixels / 1e6, y: timeOf(row) })),
    };
  };
  return {
    name: 'speed-megapixels',
    title: 'CPU time of one request',
    x: { title: 'megapixels of the source', scale: 'log' },
    y: { title: 'CPU time, ms', scale: 'log' },
    series: [
      ...ways.map((way) => series('ours', way, ({ cpu }) => cpu)),
      ...ways.map((way) => series('sharp', way, ({ sharp }) => sharp)),
    ],
  };
}

export function failuresOf(rows: readonly TimedJob[]): string[] {
  return rows.flatMap(({ job, status }) => (status === 200 ? [] : [`${job.name}: ${status}`]));
}

/**
 * Prices in dollars beyond what the plan of $5 a month includes (10 million requests, 30 million CPU
 * milliseconds, 25 billion rows read, 50 million rows written), as of November 2026:
 * https://developers.cloudflare.com/workers/platform/pricing/ and …/d1/platform/pricing/
 */
const prices = {
  request: 0.3 / 1e6,
  cpuMillisecond: 0.02 / 1e6,
  rowRead: 0.001 / 1e6,
  rowWritten: 1 / 1e6,
} as const;

/** Rows that the database reads and writes for one picture, indices included. */
export interface DatabaseRows {
  readonly read: number;
  readonly written: number;
}

/** What so many requests cost, in dollars. */
interface Cost {
  readonly requests: number;
  readonly cpu: number;
  readonly database: number;
  readonly total: number;
}

/** @param cpuMilliseconds of one request */
export function costOf(count: number, cpuMilliseconds: number, rows: DatabaseRows): Cost {
  const requests = count * prices.request;
  const cpu = count * cpuMilliseconds * prices.cpuMillisecond;
  const database = count * (rows.read * prices.rowRead + rows.written * prices.rowWritten);
  return { requests, cpu, database, total: requests + cpu + database };
}

/** The rows that one picture takes in the database, as D1 itself counts them: reserved, then charged. */
export async function databaseRows({ database, key }: TestService): Promise<DatabaseRows> {
  const rows = { read: 0, written: 0 };
  const counted = new Proxy(database, {
    get: (target, name: keyof D1Database) => {
      if (name !== 'batch') return target[name].bind(target);
      return async (statements: D1PreparedStatement[]) => {
        const results = await target.batch(statements);
        for (const { meta } of results) {
          rows.read += meta.rows_read;
          rows.written += meta.rows_written;
        }
        return results;
      };
    },
  });
  const terms = quotaTerms(Date.now(), {
    freeFilesPerMonth: 100_000,
    unchargedPerDay: 100_000,
    unchargedCpuMsPerDay: 1e9,
  });
  const reserved = await authorizeAndReserve(counted, { keyHash: await hashApiKey(key) }, terms);
  if (reserved.kind !== 'reserved') throw new Error(`no file was reserved: ${reserved.kind}`);
  const answered = { bytesIn: 2000, bytesOut: 1000 };
  const reservationId = reserved.reservation.id;
  const end = { answered, charged: true, cpuMs: 1, file: null };
  await settleReservations(counted, [{ reservationId, terms, ...end }]);
  return rows;
}
