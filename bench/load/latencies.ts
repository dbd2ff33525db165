/** How long answers took, and what they were. */
export interface Latencies {
  readonly what: string;
  /** For how long it was measured, in seconds. */
  readonly seconds: number;
  /** Of the answers with the wanted status, in milliseconds. */
  readonly times: readonly number[];
  /** Whatever else came, or did not come. */
  readonly failures: readonly string[];
}

export const latencyColumns = ['', 'requests/s', 'p50 ms', 'p95 ms', 'p99 ms', 'failures'];

/** A row of the table. */
export function latencyRow({ what, seconds, times, failures }: Latencies): string[] {
  const sorted = times.toSorted((a, b) => a - b);
  const figures = [0.5, 0.95, 0.99].map((share) => {
    const value = sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
    return value === undefined ? '–' : value.toFixed(value < 10 ? 1 : 0);
  });
  return [what, (times.length / seconds).toFixed(1), ...figures, String(failures.length)];
}

/** The value in the middle. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
