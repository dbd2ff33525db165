/**
 * `npm run bench:scale`: what the service takes at 10 million and at a billion files a day, from what a file takes
 * (`bench:metering`) and the platform's published limits. Arrivals are Poisson; how many files an account has follows
 * Zipf's law, the busiest one having the largest share; a meter flushes a minute after the first file that it has not
 * told of. Accounts of every size are simulated minute by minute for a day, and weighted by how many there are.
 */
import { Random } from '../test/support/random.ts';
import { terminalTable } from './harness/report.ts';
import { costOf } from './service/cost.ts';

/** Of one file and one flush, as `bench:metering` counts them. */
const measured = {
  rowsPerFile: 2,
  /** Two of the meter's own, and its alarm. */
  rowsPerFlush: 3,
  /** The mailbox, the key, the day. */
  databaseRowsPerFlush: 3,
  /** A JPEG of a megapixel at `quality=77`. */
  cpuMs: 20,
  /** Seconds that a meter is active for a file. */
  active: 0.01,
} as const;

/**
 * What the platform publishes, November 2026: developers.cloudflare.com/durable-objects/platform/limits (about 1,000
 * simple requests a second for an object), …/d1/platform/limits (one writer; about 1,000 statements a second of a
 * millisecond each).
 */
const limits = {
  /** Two calls a file. */
  filesOfOneMeter: 500,
  /** Batches of about four statements. */
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
 * @param accounts that send anything on that day
 * @param interval minutes that figures wait for others
 */
function dayOf(files: number, accounts: number, interval: number): string[] {
  const harmonic = harmonicNumber(accounts);
  const filesOf = (rank: number) => files / (rank ** exponent * harmonic);
  let flushes = 0;
  // ranks in groups that double: one of each is simulated for all
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

/** How often a meter flushes that has so many files on a day, on average over some days. */
function flushesIn(files: number, interval: number): number {
  const perMinute = files / minutesPerDay;
  const days = perMinute < 0.01 ? 200 : 5;
  let flushes = 0;
  for (let left = 0, minute = 0; minute < days * minutesPerDay; minute += 1) {
    if (left > 0) left -= 1;
    // a file has come in this minute, and nothing is to be flushed yet
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
