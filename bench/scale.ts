/**
 * `npm run bench:scale`: estimates the service's load and cost at 10 million and at a billion files per day, from the
 * cost of a file (`bench:metering`) and the platform's published limits. Arrivals are Poisson; the number of files per
 * account follows Zipf's law; a meter flushes a minute after the first file that it has not yet reported. Accounts of
 * every size are simulated minute by minute for several days, and weighted by their number.
 */
import { Random } from '../test/support/random.ts';
import { terminalTable } from './harness/report.ts';
import { costOf } from './service/cost.ts';

/** Costs of one file and one flush, as `bench:metering` counts them. */
const measured = {
  rowsPerFile: 2,
  /** Two rows of the meter, and its alarm. */
  rowsPerFlush: 3,
  /** The rows of mailbox, key and day. */
  databaseRowsPerFlush: 3,
  /** A JPEG of one megapixel at `quality=77`. */
  cpuMs: 20,
  /** Seconds for which a meter is active per file. */
  active: 0.01,
} as const;

/**
 * The platform's published limits, November 2026: developers.cloudflare.com/durable-objects/platform/limits (about
 * 1,000 simple requests per second for an object), …/d1/platform/limits (a single writer; about 1,000 statements per
 * second of one millisecond each).
 */
const limits = {
  /** Per second, at two calls per file. */
  filesOfOneMeter: 500,
  /** Per second, in batches of about four statements. */
  flushesOfD1: 250,
} as const;

const minutesPerDay = 1440;
const exponent = 1;
const random = new Random(25);

console.log(
  terminalTable({
    caption: 'A day',
    columns: [
      ...['files', 'accounts', 'flush after, min', 'files/s', 'busiest, files/s', 'flushes/s'],
      'of D1’s',
      ...['rows a file', 'in D1', '$ a day', '$ for 1,000 files'],
    ],
    rows: [
      ...[1, 10].map((interval) => dayOf(10e6, 100_000, interval)),
      ...[1, 10].map((interval) => dayOf(1e9, 1_000_000, interval)),
    ],
  }),
);
console.log(
  `One meter takes about ${limits.filesOfOneMeter} files a second, D1 about ${limits.flushesOfD1} flushes.`,
);

/**
 * A row of the table for one day.
 * @param accounts number of accounts that send files on that day
 * @param interval minutes between flushes
 */
function dayOf(files: number, accounts: number, interval: number): string[] {
  const harmonic = harmonicNumber(accounts);
  const filesOf = (rank: number) => files / (rank ** exponent * harmonic);
  let flushes = 0;
  // Ranks in groups of doubling size: one account of each group is simulated for all of it.
  for (let rank = 1; rank <= accounts; rank *= 2) {
    const count = Math.min(rank, accounts - rank + 1);
    flushes += count * flushesIn(filesOf(rank + (count - 1) / 2), interval);
  }
  const rows = measured.rowsPerFile + (flushes * measured.rowsPerFlush) / files;
  const databaseRows = (flushes * measured.databaseRowsPerFlush) / files;
  const calls = 2 + flushes / files;
  const { active, cpuMs } = measured;
  const { total } = costOf(files, cpuMs, { calls, active, rows, databaseRows });
  const seconds = 86_400;
  return [
    files.toLocaleString('en'),
    accounts.toLocaleString('en'),
    String(interval),
    (files / seconds).toFixed(0),
    (filesOf(1) / seconds).toFixed(0),
    (flushes / seconds).toFixed(0),
    `${Math.round((100 * flushes) / seconds / limits.flushesOfD1)}%`,
    (rows + databaseRows).toFixed(2),
    databaseRows.toFixed(2),
    total.toFixed(0),
    ((1000 * total) / files).toFixed(5),
  ];
}

/** Average number of flushes per day of a meter with this number of files per day, simulated over several days. */
function flushesIn(files: number, interval: number): number {
  const perMinute = files / minutesPerDay;
  const days = perMinute < 0.01 ? 200 : 5;
  let flushes = 0;
  for (let left = 0, minute = 0; minute < days * minutesPerDay; minute += 1) {
    if (left > 0) left -= 1;
    // A file has arrived in this minute, and no flush is pending.
    else if (random.unit() < 1 - Math.exp(-perMinute)) {
      flushes += 1;
      left = interval;
    }
  }
  return flushes / days;
}

function harmonicNumber(count: number): number {
  let sum = 0;
  for (let rank = 1; rank <= count; rank += 1) sum += 1 / rank ** exponent;
  return sum;
}
