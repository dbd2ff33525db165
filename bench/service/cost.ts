import type { TestService } from '../../test/support/service.ts';

/**
 * Prices in dollars beyond what the plan of $5 per month includes (10 million requests, 30 million CPU milliseconds, a
 * million requests to Durable Objects, 50 million rows written), as of November 2026:
 * https://developers.cloudflare.com/workers/platform/pricing/ and …/durable-objects/platform/pricing/
 */
const prices = {
  request: 0.3 / 1e6,
  cpuMillisecond: 0.02 / 1e6,
  /** A call to a Durable Object, or an alarm. */
  objectRequest: 0.15 / 1e6,
  /** A second in which it is active, with 128 MB. */
  objectSecond: (0.128 * 12.5) / 1e6,
  /** A row in D1, or in a Durable Object's own tables; setting an alarm counts as one. */
  rowWritten: 1 / 1e6,
} as const;

/** Average cost of counting one file. */
export interface Metering {
  /** Calls to the meter, and its alarms. */
  readonly calls: number;
  /** Seconds in which the meter is active. */
  readonly active: number;
  /** Rows written by the meter, including alarms. */
  readonly rows: number;
  /** Rows written in D1. */
  readonly databaseRows: number;
}

/** The cost of a number of requests, in dollars. */
interface Cost {
  readonly requests: number;
  readonly cpu: number;
  readonly counting: number;
  readonly total: number;
}

/** @param cpuMilliseconds CPU time of one request */
export function costOf(count: number, cpuMilliseconds: number, metering: Metering): Cost {
  const { calls, active, rows, databaseRows } = metering;
  const requests = count * prices.request;
  const cpu = count * cpuMilliseconds * prices.cpuMillisecond;
  const counting =
    count *
    (calls * prices.objectRequest +
      active * prices.objectSecond +
      (rows + databaseRows) * prices.rowWritten);
  return { requests, cpu, counting, total: requests + cpu + counting };
}

const flushedTogether = 100;

/**
 * The cost of counting for files that arrive at a rate of a hundred per minute, so that a hundred are flushed together.
 */
export async function meteringOf({ meters }: TestService, email: string): Promise<Metering> {
  const meter = await meters.of(email);
  await meters.use(email, 1);
  await meter.flush();
  const before = await countersOf(meter);
  const began = performance.now();
  await meters.use(email, flushedTogether);
  await meter.flush();
  const active = (performance.now() - began) / 1000;
  const after = await countersOf(meter);
  return {
    // One call to reserve, one to settle, and the alarm that flushes, which is a written row, too.
    calls: 2 + 1 / flushedTogether,
    active: active / flushedTogether,
    rows: (after.rows - before.rows + 1) / flushedTogether,
    databaseRows: (after.databaseRows - before.databaseRows) / flushedTogether,
  };
}

type Meter = Awaited<ReturnType<TestService['meters']['of']>>;

/** Rows that a meter has written so far, in its own tables and in D1. */
export async function countersOf(meter: Meter): Promise<{ rows: number; databaseRows: number }> {
  const writes = await meter.writes();
  const [rows, alarms, databaseRows] = [
    await writes.rows,
    await writes.alarms,
    await writes.databaseRows,
  ];
  return { rows: rows + alarms, databaseRows };
}
