/** Measures one request in a service of its own; a process of its own, so that its workerd can be told from others. */
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { startTestService } from '../../../test/support/service.ts';
import { workerdOfService } from '../workerd.ts';

/** What is to be measured. */
export interface Errand {
  readonly path: string;
  /** A small picture of the same kind, to warm up with. */
  readonly small: string;
  readonly search: string;
  /** As `search`, for the small picture. */
  readonly smallSearch: string;
}

/** What came of it. */
export interface Reading {
  readonly status: number;
  /** Of the service, at rest, in bytes. */
  readonly idle: number;
  /** The most that it held during the request, in bytes. */
  readonly peak: number;
  readonly milliseconds: number;
  readonly bytesOut: number;
}

/**
 * The code of these requests is compiled, and compiled again as it gets hot, which takes megabytes that
 * no request holds. So small pictures go before, at most for so long in milliseconds.
 */
const warmUp = { least: 12, most: 150, time: 2000 };

/** Until what the small ones have left is given back. */
const rest = 300;

process.on('message', async (errand: Errand) => {
  const reading = await measured(errand);
  process.send?.(reading);
});

async function measured({ path, small, search, smallSearch }: Errand): Promise<Reading> {
  const service = await startTestService();
  try {
    const request = (bytes: Uint8Array<ArrayBuffer>, query: string) =>
      fetch(new URL(`/v1/optimize${query}`, service.url), {
        method: 'POST',
        headers: { Authorization: `Bearer ${service.key}` },
        body: bytes,
      });
    const [file, first] = [path, small].map((name) => new Uint8Array(readFileSync(name)));
    if (!file || !first) throw new Error('two pictures are wanted');
    const until = performance.now() + warmUp.time;
    for (let i = 0; i < warmUp.most; i += 1) {
      if (i >= warmUp.least && performance.now() > until) break;
      await (await request(first, smallSearch)).arrayBuffer();
    }
    await pause(rest);
    const workerd = workerdOfService();
    workerd.forgetPeak();
    const idle = workerd.resident();
    const start = performance.now();
    const response = await request(file, search);
    const { byteLength: bytesOut } = await response.arrayBuffer();
    const milliseconds = performance.now() - start;
    return { status: response.status, idle, peak: workerd.peak(), milliseconds, bytesOut };
  } finally {
    await service.close();
  }
}
