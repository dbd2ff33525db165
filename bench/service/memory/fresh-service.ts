/**
 * Measures requests in a separate service. It runs in a separate process, so that its workerd can be distinguished from
 * others.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { arena, sideArena } from '../../../src/image/wasm/arena.ts';
import { startTestService } from '../../../test/support/service.ts';
import { workerdOfService } from '../workerd.ts';
import { workOn } from './source-pictures.ts';

/** A picture on disk, and the query to send it with. */
export interface PictureRequest {
  readonly path: string;
  readonly search: string;
  /** The searches of single calls that need the same arenas; absent if it is one. */
  readonly asCalls?: readonly string[];
}

/** A set of requests to measure. */
export interface Task {
  readonly requests: readonly PictureRequest[];
  /** Whether they are sent at the same time or one after the other. */
  readonly areParallel: boolean;
  /** Warm-up pictures with the same code paths: small ones that make the code hot, then tiny ones. */
  readonly small: readonly PictureRequest[];
  readonly tiny: readonly PictureRequest[];
}

/** The measurement; sizes are in bytes. */
export interface Reading {
  readonly statuses: readonly number[];
  /** Memory of the idle service. */
  readonly idle: number;
  /** The part of `idle` that consists of arenas, as grown by the warm-up pictures. */
  readonly arenas: number;
  /**
   * The most that buffers of the warm-up can have left with the allocator, which the measured requests can reuse
   * unnoticed.
   */
  readonly left: number;
  /** Peak memory during the requests. */
  readonly peak: number;
  readonly milliseconds: number;
}

/**
 * Warm-up with small pictures: the number of rounds, and the maximum time in milliseconds. It lets the code be compiled
 * and optimized, which takes megabytes that no request holds, and lets V8 grow the space for young objects by tens of
 * megabytes, which never contains pixels.
 */
const warmUp = { least: 12, most: 150, time: 2000 };

/** Milliseconds until the memory of the warm-up is released. */
const rest = 300;

process.on('message', async (task: Task) => {
  const reading = await measured(task);
  process.send?.(reading);
});

async function measured({ requests, areParallel, ...before }: Task): Promise<Reading> {
  const service = await startTestService();
  try {
    const send = async ({ search, asCalls, bytes }: Loaded) => {
      const route = asCalls ? '/v1/sets' : '/v1/optimize';
      const response = await fetch(new URL(`${route}${search}`, service.url), {
        method: 'POST',
        headers: { Authorization: `Bearer ${service.key}` },
        body: bytes,
      });
      return { status: response.status, bytesOut: (await response.arrayBuffer()).byteLength };
    };
    const [large, small, tiny] = [requests, before.small, before.tiny].map((all) =>
      all.map(loaded),
    );
    if (!large || !small || !tiny) throw new Error('three lists are wanted');
    let left = 0;
    const began = performance.now();
    for (let i = 0; i < warmUp.most; i += 1) {
      const share = i < warmUp.least ? 0 : (performance.now() - began) / warmUp.time;
      if (share > 1) break;
      for (const one of share < 0.5 ? small : tiny) {
        const { bytesOut } = await send(one);
        // Each buffer counts once as a whole, and once for its transfer in chunks.
        left += 2 * (one.bytes.length + bytesOut);
      }
    }
    await pause(rest);
    const workerd = workerdOfService();
    workerd.forgetPeak();
    const idle = workerd.resident();
    const start = performance.now();
    const statuses: number[] = [];
    const sendAndRecord = async (one: Loaded) => {
      statuses.push((await send(one)).status);
    };
    if (areParallel) await Promise.all(large.map(sendAndRecord));
    else for (const one of large) await sendAndRecord(one);
    const milliseconds = performance.now() - start;
    const peak = workerd.peak();
    for (const one of [...small, ...tiny]) processLocally(one);
    const arenas = arena.bytes + sideArena.bytes;
    return { statuses, idle, arenas, left, peak, milliseconds };
  } finally {
    await service.close();
  }
}

/**
 * Processes a picture as the service did, so that the arenas of this process grow to the size of those of the idle
 * service.
 */
function processLocally({ bytes, search, asCalls = [search] }: Loaded): void {
  for (const call of asCalls) {
    const work = workOn(bytes, Object.fromEntries(new URLSearchParams(call)));
    if (!work) throw new Error('no small picture');
    work.start().finish();
  }
}

interface Loaded extends Omit<PictureRequest, 'path'> {
  readonly bytes: Uint8Array<ArrayBuffer>;
}

function loaded({ path, ...request }: PictureRequest): Loaded {
  return { ...request, bytes: new Uint8Array(readFileSync(path)) };
}
