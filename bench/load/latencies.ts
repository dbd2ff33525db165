/** How long answers took, and what they were. */
export interface Latencies {
  readonly what: string;
  /** For how long it was measured, in seconds. */
  readonly seconds: number;
  /** Of the answers with the wanted status, in milliseconds. */
  readonly times: readonly number[];
  /** Whatever else came, or did not come. */
  readonly failures: readonly string[];
  /** Requests that may have been under way when it was stopped: they are in the books, and were not answered. */
  readonly cut?: number;
  /** What `Retry-After` said with each 503; undefined: it was not looked at. */
  readonly retries?: readonly string[];
}

export const latencyColumns = [
  '',
  'requests/s',
  'p50 ms',
  'p95 ms',
  'p99 ms',
  'failures',
  '503 (Retry-After)',
];

/** A row of the table. */
export function latencyRow({ what, seconds, times, failures, retries }: Latencies): string[] {
  const sorted = times.toSorted((a, b) => a - b);
  const figures = [0.5, 0.95, 0.99].map((share) => {
    const value = sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
    return value === undefined ? '–' : value.toFixed(value < 10 ? 1 : 0);
  });
  const rate = (times.length / seconds).toFixed(1);
  return [what, rate, ...figures, String(failures.length), refused(retries)];
}

/** How many, and after how many seconds one was to come again. */
function refused(retries: readonly string[] | undefined): string {
  if (!retries) return '–';
  if (retries.length === 0) return '0';
  return `${retries.length} (${[...new Set(retries)].sort().join(', ')} s)`;
}
