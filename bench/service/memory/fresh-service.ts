/** Measures requests in a service of their own; a process of its own, so that its workerd can be told from others. */
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { execute } from '../../../src/image/pipeline/execute.ts';
import { readSource } from '../../../src/image/pipeline/read-source.ts';
import { arena, sideArena } from '../../../src/image/wasm/arena.ts';
import { startTestService } from '../../../test/support/service.ts';
import { workerdOfService } from '../workerd.ts';
import { planFor } from './source-pictures.ts';

/** A picture on disk, and what is asked for. */
export interface Sending {
  readonly path: string;
  readonly search: string;
}

/** What is to be measured. */
export interface Errand {
  readonly requests: readonly Sending[];
  /** All at once, or one after the other. */
  readonly areParallel: boolean;
  /** Pictures that go the same ways, to warm up with: a few that make the code hot, then tiny ones. */
  readonly small: readonly Sending[];
  readonly tiny: readonly Sending[];
}

/** What came of it; sizes in bytes. */
export interface Reading {
  readonly statuses: readonly number[];
  /** Of the service, at rest. */
  readonly idle: number;
  /** The part of it that is the arenas: what small pictures before have made them grow to. */
  readonly arenas: number;
  /** The most that the buffers of those before can have left with the allocator, for these to take unseen. */
  readonly left: number;
  /** The most that it held during the requests. */
  readonly peak: number;
  readonly milliseconds: number;
}

/**
 * The code of these requests is compiled, and compiled again as it gets hot, which takes megabytes that
 * no request holds; and V8 makes room for young objects, by tens of megabytes, in which no pixel ever is.
 * So small pictures go before, at most for so long in milliseconds.
 */
const warmUp = { least: 12, most: 150, time: 2000 };

/** Until what the small ones have left is given back. */
const rest = 300;

process.on('message', async (errand: Errand) => {
  const reading = await measured(errand);
  process.send?.(reading);
});

async function measured({ requests, areParallel, ...before }: Errand): Promise<Reading> {
  const service = await startTestService();
  try {
    const send = async ({ search, bytes }: Loaded) => {
      const response = await fetch(new URL(`/v1/optimize${search}`, service.url), {
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
        // each once as a whole, and once on its way in pieces
        left += 2 * (one.bytes.length + bytesOut);
      }
    }
    await pause(rest);
    const workerd = workerdOfService();
    workerd.forgetPeak();
    const idle = workerd.resident();
    const start = performance.now();
    const statuses: number[] = [];
    const note = async (one: Loaded) => {
      statuses.push((await send(one)).status);
    };
    if (areParallel) await Promise.all(large.map(note));
    else for (const one of large) await note(one);
    const milliseconds = performance.now() - start;
    const peak = workerd.peak();
    for (const one of [...small, ...tiny]) workOn(one);
    const arenas = arena.bytes + sideArena.bytes;
    return { statuses, idle, arenas, left, peak, milliseconds };
  } finally {
    await service.close();
  }
}

/** As the service did, so that the arenas of this process are as large as the service's were at rest. */
function workOn({ bytes, search }: Loaded): void {
  const source = readSource(bytes);
  const planned = planFor(bytes, Object.fromEntries(new URLSearchParams(search)));
  if (source.kind !== 'source' || planned.kind === 'refused') throw new Error('no small picture');
  execute(bytes, source, planned, { level: 'none', releaseFile: () => null });
}

interface Loaded {
  readonly search: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

function loaded({ path, search }: Sending): Loaded {
  return { search, bytes: new Uint8Array(readFileSync(path)) };
}
