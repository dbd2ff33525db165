import type { EventEmitter } from 'node:events';
import autocannon from 'autocannon';
import type { Table } from '../harness/section.ts';

interface Target {
  readonly what: string;
  readonly url: string;
  /** Requests to send in rotation. */
  readonly requests: readonly autocannon.Request[];
  /** Number of concurrent requests. */
  readonly connections: number;
  /** Maximum duration, in seconds. */
  readonly seconds: number;
  /** Stops after this number of responses, unless the time is over before. */
  readonly answers?: number;
}

/**
 * Sends requests continuously and measures each; any status except 200 counts as a failure, and so does a lack of
 * responses.
 */
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
      // Shorter than the whole run, so that hanging requests are noticed; in whole seconds.
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

/** Response head in the form of autocannon's parser: names and values alternate. */
interface Head {
  readonly statusCode: number;
  readonly headers: readonly string[];
}

function retryAfter({ headers }: Head): string {
  const at = headers.findIndex((text, i) => i % 2 === 0 && text.toLowerCase() === 'retry-after');
  return (at < 0 ? undefined : headers[at + 1]) ?? 'never';
}

/** A measurement with a table of its own, and the number of images that were answered for it. */
export interface Measured {
  readonly table: Table;
  readonly succeeded: number;
  readonly failures: readonly string[];
}

/** Response times and failures. */
export interface Latencies {
  readonly what: string;
  /** Duration of the measurement, in seconds. */
  readonly seconds: number;
  /** Times of responses with status 200, in milliseconds. */
  readonly times: readonly number[];
  /** All other responses and errors. */
  readonly failures: readonly string[];
  /**
   * Requests that may have been under way when the measurement was stopped: the service may have counted them, although
   * their responses were not received.
   */
  readonly cut?: number;
  /** `Retry-After` of each 503; undefined if not recorded. */
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
  return [what, rate, ...figures, String(failures.length), refusalText(retries)];
}

/** The number of 503 responses, and the distinct values of `Retry-After`. */
function refusalText(retries: readonly string[] | undefined): string {
  if (!retries) return '–';
  if (retries.length === 0) return '0';
  return `${retries.length} (${[...new Set(retries)].sort().join(', ')} s)`;
}
