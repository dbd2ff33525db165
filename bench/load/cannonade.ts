import type { EventEmitter } from 'node:events';
import autocannon from 'autocannon';
import type { Latencies } from './latencies.ts';

export interface Target {
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
export async function cannonade(target: Target): Promise<Latencies> {
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
