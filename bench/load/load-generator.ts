import type { EventEmitter } from 'node:events';
import autocannon from 'autocannon';

interface Target {
  readonly what: string;
  readonly url: string;
  /** Requests that come in turn. */
  readonly requests: readonly autocannon.Request[];
  /** That are under way at a time. */
  readonly connections: number;
  /** For how long at most. */
  readonly seconds: number;
  /** Until so many have been answered, if it is not over before. */
  readonly answers?: number;
}

/** Keeps requests coming and takes the time of each; any status but 200 is a failure, and so is none for long. */
export async function generateLoad(target: Target): Promise<Latencies> {
  const { what, url, requests, connections, seconds, answers } = target;
  const times: number[] = [];
  const failures: string[] = [];
  const retries: string[] = [];
  let isStopped = answers === undefined;
  const began = performance.now();
  await new Promise<void>((done) => {
    const options = {
      url,
      requests: [...requests],
      connections,
      // shorter than all of it, so that what hangs is seen; in whole seconds
      timeout: Math.ceil(seconds * 0.7),
      setupClient: (client: EventEmitter) => {
        client.on('headers', (head: Head) => {
          if (head.statusCode === 503) retries.push(retryAfter(head));
        });
      },
      ...(answers === undefined ? { duration: seconds } : { amount: answers }),
    };
    const instance = autocannon(options, () => {
      clearTimeout(timer);
      done();
    });
    const timer = setTimeout(() => {
      isStopped = true;
      instance.stop();
    }, seconds * 1000);
    instance.on('response', (_, status, __, time) => {
      if (status === 200) times.push(time);
      else failures.push(`status ${status}`);
    });
    instance.on('reqError', (error: unknown) => failures.push(String(error)));
  });
  if (times.length < connections) failures.push(`${times.length} answers in ${seconds} seconds`);
  const cut = isStopped ? connections : 0;
  return { what, seconds: (performance.now() - began) / 1000, times, failures, retries, cut };
}

/** As autocannon's parser tells it: names and values in turn. */
interface Head {
  readonly statusCode: number;
  readonly headers: readonly string[];
}

function retryAfter({ headers }: Head): string {
  const at = headers.findIndex((text, i) => i % 2 === 0 && text.toLowerCase() === 'retry-after');
  return (at < 0 ? undefined : headers[at + 1]) ?? 'never';
}

/** How long answers took, and what they were. */
export interface Latencies {
  readonly what: string;
  /** For how long it was measured, in seconds. */
  readonly seconds: number;
  /** Of the answers with the wanted status, in milliseconds. */
  readonly times: readonly number[];
  /** Whatever else came, or did not come. */
  readonly failures: readonly string[];
  /** Requests that may have been under way when it was stopped: they may be counted, and were not answered. */
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
