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
export interface Cost {
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
